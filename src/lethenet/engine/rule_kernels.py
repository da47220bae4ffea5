"""The learning kernel of every rule: the same loop with the rule's functions compiled into it."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..model.rule import OJA, Rule
from .batches import learn_batch, learn_rows
from .compiling.kernels import kernel, renamed, specialised
from .plasticity import depress, learn_spike, move_weights, move_weights_checked
from .presentation import present


@cache
def learning_kernel(rule: Rule) -> Any:
    """:func:`.batches.learn_batch` for this rule, kept on disk under the rule's fingerprint."""
    if rule == OJA:
        return learn_batch
    key = rule.fingerprint[:24]
    step, rate, usage = (kernel(renamed(part, key)) for part in (rule.step, rule.rate, rule.usage))
    move = specialised(move_weights if rule.single else move_weights_checked, key, step=step)
    depressing = specialised(depress, key, usage_after=usage)
    spike = specialised(learn_spike, key, move_weights=move, rate_after=rate, depress=depressing)
    presenting = specialised(present, key, learn_spike=spike)
    rows = specialised(learn_rows, key, present=presenting)
    return specialised(learn_batch, key, learn_rows=rows)
