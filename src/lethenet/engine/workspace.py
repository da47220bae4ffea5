"""What a network's kernels work with, made once and kept: its setting, and memory to work in.

Python hands it to a kernel as one reference. To take the hundred arrays inside one by one, and to make
them anew, takes longer than a presentation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.core import types
from numba.experimental import structref

from .blocks import LARGEST_BLOCK
from .candidates.bounded_neurons import MOST_RAISES
from .compiling.kernels import entry_kernel
from .layouts import Scratch, Setting
from .scratch import new_scratch


class Workspace(NamedTuple):
    """What stays the same from batch to batch. One kernel at a time may use it."""

    setting: Setting
    scratch: Scratch


@structref.register
class HeldType(types.StructRef):  # type: ignore[misc, name-defined]
    """How numba knows a :class:`Held`."""


class Held(structref.StructRefProxy):  # type: ignore[misc]
    """A tuple of arrays that kernels keep: its field ``value``."""


structref.define_proxy(Held, HeldType, ["value"])


@entry_kernel
def hold(value: Any) -> Any:
    """A tuple as kernels take it by one reference."""
    return Held(value)


def learning_block(n_neurons: int) -> int:
    """Samples whose bounds are computed together in learning.

    A large block reads G less often, but more tiles have to be computed again because of neurons that
    changed in it.
    """
    return min(max(n_neurons // 100, 16), LARGEST_BLOCK)


def new_workspace(setting: Setting, capacity: int, plastic: bool) -> Any:
    """A :class:`Workspace`, held, with room for ``capacity`` input spikes.

    To learn (``plastic``) or to recognise.
    """
    n_neurons, n_features = setting.layer.weights.shape
    constants, certified = setting.constants, setting.certified
    # Columns besides those of the candidates, for neurons that are imprinted and go on.
    spare = constants.n_output_spikes if plastic and not constants.stop_after_imprint else 0
    size = learning_block(n_neurons) if plastic else LARGEST_BLOCK
    parts = 0 if plastic else constants.n_output_spikes + MOST_RAISES + 1
    scratch = new_scratch(capacity, n_features, n_neurons, size, certified, plastic, spare, parts)
    return hold(Workspace(setting, scratch))
