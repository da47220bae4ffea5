"""Several samples at once: encoding, and the certificate's bounds for them."""

from __future__ import annotations

import numpy as np

from .candidates.certificate import bound_tile
from .candidates.fixed_point import pack
from .compiling.kernels import kernel
from .encoding import encode
from .layouts import Block, Certificate
from .llvm.llvm_bits import stay_out_of_line
from .llvm.neuron_steps import TILE, bound_products
from .llvm.vectors import LINE, address, fetch_soon

LARGEST_BLOCK = 64
"""Samples whose bounds are computed together at the most."""


@kernel
def encode_block(X: np.ndarray, start: int, stop: int, block: Block) -> None:
    """Encode samples ``start`` to ``stop - 1`` into the rows of a block."""
    for s in range(start, stop):
        b = s - start
        active, rates = block.active[b], block.rates[b]
        block.n_active[b], block.total_rates[b] = encode(X[s], active, rates)
        block.n_pairs[b], block.steps[b] = pack(
            active, rates, block.n_active[b], X.shape[1], block.pairs[b], block.packed[b]
        )


@kernel
def bound_block(certificate: Certificate, count: int, block: Block) -> None:
    """λ·G_j for all neurons and the first ``count`` samples of a block, tile by tile.

    What :func:`bound_sample` does, by addresses: to make rows of arrays takes as long as to use them here.
    """
    stay_out_of_line()
    n_pairs, steps = block.n_pairs, block.steps
    pairs, packed, bounds = address(block.pairs), address(block.packed), address(block.bounds)
    row, bounds_row = block.pairs.shape[1] * 4, block.bounds.shape[1] * 4
    n_tiles, size = certificate.tiles.shape[0], certificate.tiles.shape[1] * (TILE * 4)
    tile, own_steps = address(certificate.tiles), address(certificate.steps)
    # of a lone sample, most of the next tile is not needed
    share = (size // LINE + count - 1) // count * LINE if count > 1 else 0
    for t in range(n_tiles):
        for b in range(count):
            if t + 1 < n_tiles:
                for line in range(b * share, min((b + 1) * share, size), LINE):
                    fetch_soon(tile + size + line)
            bound_products(
                tile,
                pairs + b * row,
                packed + b * row,
                n_pairs[b],
                own_steps + t * (TILE * 4),
                steps[b],
                bounds + b * bounds_row + t * (TILE * 4),
            )
        tile += size


@kernel
def bound_sample(certificate: Certificate, t: int, block: Block, b: int) -> None:
    """λ·G_j for the neurons of tile t and sample b of a block."""
    bound_tile(
        certificate,
        t,
        block.pairs[b],
        block.packed[b],
        block.n_pairs[b],
        block.steps[b],
        block.bounds[b],
    )
