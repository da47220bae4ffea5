"""Sums of products from above, in integers: Σ x_i·y_i for x, y ≥ 0.

Bounds need no more than a few digits, but many of them. Both factors are rounded up to multiples of a
step of their own: x_i ≤ a·p_i and y_i ≤ b·q_i give Σ x_i y_i ≤ a b Σ p_i q_i, where p and q are integers
of 16 bits. Two neighbouring inputs (2m and 2m + 1) make a pair. One instruction then multiplies eight
pairs and adds the two products of each, on processors with registers of 256 bits.

The steps are chosen so that no sum passes 31 bits: p_i is at most :func:`largest`, the sum of q is at
most :func:`most`.
"""

from __future__ import annotations

import numpy as np

from ..compiling.kernels import kernel
from ..llvm.neuron_steps import PAIRS

_HIGHEST = 32767


@kernel
def most(n_features: int) -> int:
    """The largest sum that packed values may have: enough for many inputs, each rounded up."""
    return max(65536, 64 * n_features)


@kernel
def largest(n_features: int) -> int:
    """The largest integer that they may be multiplied with."""
    return min((2**31 - 1) // most(n_features), _HIGHEST)


def n_pairs_of(n_features: int) -> int:
    """How many pairs so many inputs make."""
    return (n_features + 1) // 2


def room_for_pairs(n_features: int) -> int:
    """Of so many inputs, filled up to a multiple of PAIRS."""
    return -(-n_features // (2 * PAIRS)) * PAIRS


@kernel
def pack(
    active: np.ndarray,
    values: np.ndarray,
    n_active: int,
    n_features: int,
    pairs: np.ndarray,
    packed: np.ndarray,
) -> tuple[int, np.float32]:
    """The pairs with an active input, and their values in steps: (how many pairs, the step).

    Pairs without a value fill them up to a multiple of PAIRS. ``active`` is ascending. The value of the
    even input is in the lower half of ``packed``.
    """
    total, top = 0.0, 0.0
    for k in range(n_active):
        total += values[k]
        top = max(top, np.float64(values[k]))
    if total == 0.0:
        return 0, np.float32(0.0)
    step = max(total / (most(n_features) - n_features), top / (_HIGHEST - 1))
    inverse = 1.0 / step
    n_pairs = -1
    before = -1
    for k in range(n_active):
        pair = active[k] >> 1
        if pair != before:
            n_pairs += 1
            pairs[n_pairs] = pair
            packed[n_pairs] = 0
            before = pair
        level = np.int32(values[k] * inverse) + np.int32(1)
        packed[n_pairs] += level << np.int32(16 * (active[k] & 1))
    n_pairs += 1
    while n_pairs % PAIRS > 0:
        pairs[n_pairs] = 0
        packed[n_pairs] = 0
        n_pairs += 1
    return n_pairs, np.float32(step * (1.0 + 1e-6))
