"""The learning kernel of every rule: the same loop with the rule's functions compiled into it."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..model.rule import OJA, Rule
from .batches import learn_batch, learn_rows
from .compiling.kernels import kernel, specialised
from .plasticity import depress, learn_spike, move_weights, move_weights_checked
from .presentation import present


@cache
def learning_kernel(rule: Rule) -> Any:
    """:func:`.batches.learn_batch` for this rule, kept on disk under the rule's fingerprint."""
    if rule == OJA:
        return learn_batch
    move = move_weights if rule.single else move_weights_checked
    spike = specialised(
        learn_spike,
        move_weights=specialised(move, step=kernel(rule.step)),
        rate_after=kernel(rule.rate),
        depress=specialised(depress, usage_after=kernel(rule.usage)),
    )
    rows = specialised(learn_rows, present=specialised(present, learn_spike=spike))
    return specialised(learn_batch, cache_key=rule.fingerprint, learn_rows=rows)
