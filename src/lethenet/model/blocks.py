"""What is prepared before samples are presented: scratch memory, encoding, bounds, and weights by input."""

from __future__ import annotations

import numpy as np

from .certificate import Certificate, bound_tile
from .compiling import kernel
from .neuron_steps import GROUP, gather_eight
from .records import Layer, Train
from .spikes import encode
from .train import DRAW
from .vectors import WIDE, address, fetch

_LINE = 64  # bytes that come from memory together


@kernel
def new_train(capacity: int, n_features: int) -> Train:
    """Scratch for a window of at most ``capacity`` input spikes."""
    capacity += WIDE
    return Train(
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


@kernel
def groups_for(n_columns: int) -> int:
    """How many groups hold so many columns."""
    return (n_columns + GROUP - 1) // GROUP


@kernel
def gather(
    layer: Layer,
    active: np.ndarray,
    n_active: int,
    neurons: np.ndarray,
    n_candidates: int,
    spare: int,
    column_buffer: np.ndarray,
    potential_buffer: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates' weights from the active inputs, by group and input, and room for potentials.

    Columns come in whole groups; the surplus has weights zero and never fires.
    """
    n_groups = groups_for(n_candidates + spare)
    columns = column_buffer[: n_groups * n_active * GROUP].reshape((n_groups, n_active, GROUP))
    weights = layer.weights
    source, target, n_features = address(weights), address(column_buffer), weights.shape[1]
    whole = n_candidates - n_candidates % 8
    begin, end = 4 * np.int64(active[0]), 4 * np.int64(active[n_active - 1]) + 4
    for c in range(0, whole, 8):
        for ahead in range(c + 8, min(c + 16, n_candidates)):
            row = source + neurons[ahead] * n_features * 4
            for line in range(begin, end, _LINE):
                fetch(row + line)
        o0, o1 = neurons[c] * n_features, neurons[c + 1] * n_features
        o2, o3 = neurons[c + 2] * n_features, neurons[c + 3] * n_features
        o4, o5 = neurons[c + 4] * n_features, neurons[c + 5] * n_features
        o6, o7 = neurons[c + 6] * n_features, neurons[c + 7] * n_features
        place = c // GROUP * n_active * GROUP + c % GROUP
        for k in range(n_active):
            i = np.int64(active[k])
            gather_eight(source, o0, o1, o2, o3, o4, o5, o6, o7, i, target, place)
            place += GROUP
    for c in range(whole, n_candidates):
        for k in range(n_active):
            columns[c // GROUP, k, c % GROUP] = weights[neurons[c], active[k]]
    for c in range(n_candidates, n_groups * GROUP):
        for k in range(n_active):
            columns[c // GROUP, k, c % GROUP] = np.float32(0.0)
    return columns, potential_buffer[: n_groups * 2 * GROUP].reshape((n_groups, 2, GROUP))


@kernel
def encode_block(
    X: np.ndarray,
    start: int,
    stop: int,
    active: np.ndarray,
    rates: np.ndarray,
    rates32: np.ndarray,
    n_active: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Encode samples ``start`` to ``stop - 1`` into the rows of the block's arrays."""
    for s in range(start, stop):
        b = s - start
        n_active[b], totals[b] = encode(X[s], active[b], rates[b])
        for k in range(n_active[b]):
            rates32[b, k] = np.float32(rates[b, k])


@kernel
def bound_block(
    certificate: Certificate,
    count: int,
    active: np.ndarray,
    rates32: np.ndarray,
    n_active: np.ndarray,
    bounds: np.ndarray,
) -> None:
    """λ·G_j for all neurons and the samples of a block, tile by tile."""
    tiles = certificate.tiles
    n_tiles, lines = (
        tiles.shape[0],
        tiles.shape[1],
    )  # an input's row of a tile is one line of memory
    share = (lines + count - 1) // count
    for t in range(n_tiles):
        coming = address(tiles) + (t + 1) * lines * _LINE
        for b in range(count):
            if t + 1 < n_tiles:
                for line in range(b * share, min((b + 1) * share, lines)):
                    fetch(coming + line * _LINE)
            bound_tile(tiles, t, active[b], rates32[b], n_active[b], bounds[b])
