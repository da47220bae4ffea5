"""What is prepared before samples are presented: scratch memory, encoding, bounds, and weights by input."""

from __future__ import annotations

import numpy as np

from .certificate import TILE, Certificate, bound_tile
from .compiling import kernel
from .membrane import CHUNK
from .presentation import DRAW
from .records import Layer, Train
from .spikes import encode


@kernel
def new_train(capacity: int, n_features: int) -> Train:
    """Scratch for a window of at most ``capacity`` input spikes."""
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
    """The candidates' weights from the active inputs, input by input, and room for potentials.

    Columns come in whole groups of eight; the surplus has weights zero and never fires.
    """
    width = (n_candidates + spare + CHUNK - 1) // CHUNK * CHUNK
    columns = column_buffer[: n_active * width].reshape((n_active, width))
    weights = layer.weights
    whole = n_candidates - n_candidates % 16
    for c in range(0, whole, 16):  # 16 neurons to a cache line of the result
        for k in range(n_active):
            i = active[k]
            for lane in range(16):
                columns[k, c + lane] = weights[neurons[c + lane], i]
    for k in range(n_active):
        for c in range(whole, n_candidates):
            columns[k, c] = weights[neurons[c], active[k]]
        for c in range(n_candidates, width):
            columns[k, c] = np.float32(0.0)
    return columns, potential_buffer[: 2 * width].reshape((2, width))


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
    for t in range(certificate.tiles.shape[0]):
        for b in range(count):
            bound_tile(
                certificate.tiles[t],
                active[b],
                rates32[b],
                n_active[b],
                bounds[b, t * TILE : (t + 1) * TILE],
            )
