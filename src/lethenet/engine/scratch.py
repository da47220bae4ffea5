"""Memory that kernels work in, made once for a batch of samples."""

from __future__ import annotations

import numpy as np

from .candidates.bounded_neurons import new_bounded
from .candidates.fixed_point import room_for_pairs
from .candidates.push import new_push_candidates
from .compiling.kernels import allocating_kernel
from .gathering import new_gathering
from .input_spikes import DRAW
from .layouts import Block, InputSpikes, Scratch
from .llvm.neuron_steps import GROUP, TILE
from .llvm.vectors import WIDE
from .presentation import MOST_SPIKES


@allocating_kernel
def new_input_spikes(capacity: int, n_features: int) -> InputSpikes:
    """Scratch for a window of at most ``capacity`` input spikes."""
    capacity += WIDE
    return InputSpikes(
        np.empty(capacity),
        np.empty(capacity, np.int32),
        np.empty(capacity),
        np.empty(capacity, np.float32),
        np.empty(capacity, np.float32),
        np.empty(capacity),
        np.empty(DRAW, np.uint64),
        np.empty(DRAW, np.uint64),
        np.empty(n_features, np.uint64),
        np.empty(2 * n_features, np.int32),
    )


def new_block(count: int, n_features: int, n_neurons: int) -> Block:
    """Scratch for so many samples and the bounds of so many neurons for them."""
    n_pairs = room_for_pairs(n_features)
    return Block(
        np.empty((count, n_features), np.int32),
        np.empty((count, n_features)),
        np.empty(count, np.int64),
        np.empty(count),
        np.empty((count, n_pairs), np.int32),
        np.empty((count, n_pairs), np.int32),
        np.empty(count, np.int64),
        np.empty(count, np.float32),
        np.empty((count, -(-n_neurons // TILE) * TILE), np.float32),
    )


def new_scratch(
    capacity: int,
    n_features: int,
    n_neurons: int,
    block: int,
    certified: bool,
    plastic: bool,
    spare: int,
    parts: int,
) -> Scratch:
    """Scratch for blocks of so many samples, ``capacity`` input spikes and ``spare`` further columns.

    ``parts`` is of how many parts a presentation may be that is looked back at.
    """
    n_tiles, room = -(-n_neurons // TILE), -(-(n_neurons + spare) // GROUP) * GROUP
    n_pushed = n_neurons if certified and plastic else 0
    longest = MOST_SPIKES if plastic else capacity + MOST_SPIKES
    return Scratch(
        new_input_spikes.py_func(capacity, n_features),  # type: ignore[attr-defined]
        new_block(block, n_features, n_neurons),
        new_bounded(n_neurons if certified else 0, n_features, longest, parts),
        new_push_candidates(n_pushed, n_features),
        new_gathering(n_features, room),
        np.empty(room, np.int64),
        np.full(n_neurons if plastic else 0, -1),  # only a push asks for columns by neuron
        np.empty(n_tiles, np.int64),
        np.zeros(n_tiles, np.bool_),
        spare,
        np.empty(n_features, np.float32),
        np.empty(1, np.int64),
    )
