"""Weights from the active inputs, by input: what the loops over neurons read.

Weights are kept by neuron. Those of some neurons from some neighbouring inputs are a small matrix, which is
transposed in registers; inputs that are not active go to a row that nobody reads.
"""

from __future__ import annotations

import numpy as np

from .compiling.kernels import kernel
from .layouts import Candidates, Gathering, Sample
from .llvm.llvm_bits import stay_out_of_line
from .llvm.neuron_steps import GROUP
from .llvm.transposing import FLOATS, transpose_floats
from .llvm.vectors import LINE, address, fetch

_LANES, _INPUTS = FLOATS


@kernel
def groups_for(n_columns: int) -> int:
    """How many groups hold so many columns."""
    return (n_columns + GROUP - 1) // GROUP


def new_gathering(n_features: int, n_columns: int) -> Gathering:
    """Scratch for so many columns."""
    n_groups = -(-n_columns // GROUP)
    columns = np.empty(n_groups * (n_features + 1) * GROUP + LINE // 4, np.float32)
    return Gathering(
        columns[-columns.ctypes.data % LINE // 4 :],  # rows are whole lines of memory
        np.empty(n_groups * 2 * GROUP, np.float32),
        np.empty((n_groups, GROUP), np.float32),
        np.zeros(n_features, np.float32),
        np.empty(_LANES, np.int64),
        np.empty(n_features // _INPUTS + 1, np.int64),
        np.empty((n_features // _INPUTS + 1) * _INPUTS, np.int64),
    )


@kernel
def find_blocks(
    active: np.ndarray,
    n_active: int,
    n_features: int,
    size: int,
    row: int,
    nobody: int,
    blocks: np.ndarray,
    targets: np.ndarray,
) -> int:
    """Blocks of ``size`` neighbouring inputs with an active one; how many there are.

    ``targets`` are the places of their rows, ``row`` elements each; row ``nobody`` is for inputs that are
    not active. The last block ends with the last input.
    """
    n_blocks = 0
    for k in range(n_active):
        start = min(np.int64(active[k]) // size * size, n_features - size)
        if n_blocks == 0 or blocks[n_blocks - 1] != start:
            blocks[n_blocks] = start
            for m in range(size):
                targets[n_blocks * size + m] = nobody * row
            n_blocks += 1
        targets[(n_blocks - 1) * size + active[k] - start] = k * row
    return n_blocks


@kernel
def gather(
    weights: np.ndarray,
    active: np.ndarray,
    n_active: int,
    neurons: np.ndarray,
    n_candidates: int,
    spare: int,
    scratch: Gathering,
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates' weights from the active inputs, by group and input, and room for potentials.

    Columns come in whole groups; the surplus has weights zero and never fires. There is room for
    ``spare`` more, in groups that :func:`join` begins.
    """
    stay_out_of_line()
    n_groups, n_features = groups_for(n_candidates + spare), weights.shape[1]
    n_rows = n_active + 1
    columns = scratch.columns[: n_groups * n_rows * GROUP].reshape((n_groups, n_rows, GROUP))
    potentials = scratch.potentials[: n_groups * 2 * GROUP].reshape((n_groups, 2, GROUP))
    if n_features < _INPUTS:
        gather_singly(weights, active, n_active, neurons, n_candidates, columns)
        return columns, potentials
    offsets, blocks = scratch.offsets, scratch.blocks
    n_blocks = find_blocks(
        active, n_active, n_features, _INPUTS, GROUP, n_active, blocks, scratch.targets
    )
    source, target = address(weights), address(columns)
    # the surplus is filled from a row of zeros, wherever that is
    zeros = (address(scratch.zeros) - source) // 4
    places, targets = address(offsets), address(scratch.targets)
    for c in range(0, groups_for(n_candidates) * GROUP, _LANES):
        for n in range(_LANES):
            offsets[n] = neurons[c + n] * n_features if c + n < n_candidates else zeros
            if c + _LANES + n < n_candidates:
                coming = source + neurons[c + _LANES + n] * n_features * 4
                for line in range(4 * blocks[0], 4 * (blocks[n_blocks - 1] + _INPUTS), LINE):
                    fetch(coming + line)
        into = target + (c // GROUP * n_rows * GROUP + c % GROUP) * 4
        for b in range(n_blocks):
            transpose_floats(source, places, blocks[b], into, targets + b * (_INPUTS * 8))
    return columns, potentials


@kernel
def gather_singly(
    weights: np.ndarray,
    active: np.ndarray,
    n_active: int,
    neurons: np.ndarray,
    n_candidates: int,
    columns: np.ndarray,
) -> None:
    """The same one by one, for inputs too few to make a block."""
    columns[:] = np.float32(0.0)
    for c in range(n_candidates):
        for k in range(n_active):
            columns[c // GROUP, k, c % GROUP] = weights[neurons[c], active[k]]


@kernel
def join(weights: np.ndarray, sample: Sample, chosen: Candidates, c: int, neuron: int) -> None:
    """Let another neuron be simulated, in column c, the first that is free."""
    columns, group, lane = chosen.columns, c // GROUP, c % GROUP
    if lane == 0:
        columns[group] = np.float32(0.0)
    for k in range(sample.n_active):
        columns[group, k, lane] = weights[neuron, sample.active[k]]
    chosen.neurons[c] = neuron
    if chosen.column_of.size > 0:
        chosen.column_of[neuron] = c
