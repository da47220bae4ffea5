"""Membrane potentials of the traditional network, whose neurons have thresholds of their own.

As in :mod:`.membrane`, potentials are kept as u = v e^((t − base)/τ), and thresholds grow instead. A
neuron's threshold is v_th + θ_j e^(−(t − base)/τ_θ), so it fires at input spike k when

    u_j ≥ level_k + θ_j · slope_k,    level = v_th e^((t − base)/τ),
                                      slope = e^((t − base)(1/τ − 1/τ_θ))

Both grow with time because τ_θ ≥ τ. So eight input spikes can be added in one pass and checked once: if
u after the eighth is below the threshold at the first, nobody crossed anywhere in between.
"""

from __future__ import annotations

import numpy as np

from lethenet.engine.compiling.kernels import kernel
from lethenet.engine.llvm.llvm_bits import stay_out_of_line
from lethenet.engine.numbers import exp

CHUNK = 8
"""Input spikes that are added in one pass."""

# The thresholds are rounded, and exp is monotone only up to its last bit: look a little earlier.
_ALARM_MARGIN = np.float32(1.0 - 1e-6)


@kernel
def grow_thresholds(
    times: np.ndarray,
    first: int,
    last: int,
    base: float,
    threshold: float,
    growth_rate: float,
    slope_rate: float,
    growth: np.ndarray,
    levels: np.ndarray,
    slopes: np.ndarray,
) -> None:
    """What the spikes ``first`` to ``last - 1`` add, and the thresholds at them."""
    stay_out_of_line()
    for k in range(first, last):
        factor = exp((times[k] - base) * growth_rate)
        growth[k] = np.float32(factor)
        levels[k] = np.float32(threshold * factor)
        slopes[k] = np.float32(exp((times[k] - base) * slope_rate))


@kernel
def add_one(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thetas: np.ndarray,
    k: int,
    level: np.float32,
    slope: np.float32,
) -> np.int32:
    """Add input spike k; return how many potentials are at ``level + θ·slope`` or above.

    ``potentials[side]`` is read and ``potentials[1 - side]`` written.
    """
    stay_out_of_line()
    row, factor = inputs[k], growth[k]
    suspects = np.int32(0)
    for c in range(potentials.shape[1]):
        u = potentials[side, c] + columns[row, c] * factor
        potentials[1 - side, c] = u
        suspects = np.int32(suspects + np.int32(u >= level + thetas[c] * slope))
    return suspects


@kernel
def add_eight(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thetas: np.ndarray,
    k: int,
    level: np.float32,
    slope: np.float32,
) -> np.int32:
    """Add input spikes k to k + 7; otherwise as :func:`add_one`."""
    stay_out_of_line()
    r0, r1, r2, r3 = inputs[k], inputs[k + 1], inputs[k + 2], inputs[k + 3]
    r4, r5, r6, r7 = inputs[k + 4], inputs[k + 5], inputs[k + 6], inputs[k + 7]
    g0, g1, g2, g3 = growth[k], growth[k + 1], growth[k + 2], growth[k + 3]
    g4, g5, g6, g7 = growth[k + 4], growth[k + 5], growth[k + 6], growth[k + 7]
    suspects = np.int32(0)  # stays 32 bits wide, or LLVM halves the vectors
    for c in range(potentials.shape[1]):
        u = potentials[side, c] + columns[r0, c] * g0
        u = u + columns[r1, c] * g1
        u = u + columns[r2, c] * g2
        u = u + columns[r3, c] * g3
        u = u + columns[r4, c] * g4
        u = u + columns[r5, c] * g5
        u = u + columns[r6, c] * g6
        u = u + columns[r7, c] * g7
        potentials[1 - side, c] = u
        suspects = np.int32(suspects + np.int32(u >= level + thetas[c] * slope))
    return suspects


@kernel
def first_crossing(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    levels: np.ndarray,
    slopes: np.ndarray,
    thetas: np.ndarray,
    first: int,
    last: int,
) -> tuple[int, int]:
    """Replay suspects over the spikes ``first`` to ``last - 1``: who crosses first, and when.

    Returns (spike, neuron), or (−1, −1) if nobody does. Among several that cross at the same spike the
    one farthest above its own threshold wins, the first among equals.
    """
    stay_out_of_line()
    level, slope = levels[first] * _ALARM_MARGIN, slopes[first] * _ALARM_MARGIN
    crossing, winner, highest = last, -1, np.float32(0.0)
    for c in range(potentials.shape[1]):
        if potentials[1 - side, c] >= level + thetas[c] * slope:
            u = potentials[side, c]
            for s in range(first, min(last, crossing + 1)):
                u = u + columns[inputs[s], c] * growth[s]
                excess = u - (levels[s] + thetas[c] * slopes[s])
                if excess >= np.float32(0.0):
                    if s < crossing or excess > highest:
                        crossing, winner, highest = s, c, excess
                    break
    if winner < 0:
        return -1, -1
    return crossing, winner


@kernel
def integrate(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    levels: np.ndarray,
    slopes: np.ndarray,
    thetas: np.ndarray,
    first: int,
    last: int,
) -> tuple[int, int, int]:
    """Add input spikes ``first`` to ``last - 1`` until somebody crosses their threshold.

    Returns (spike, side, winner); (last, side of the potentials, −1) if nobody crosses.
    """
    stay_out_of_line()
    k = first
    while k < last:
        level, slope = levels[k] * _ALARM_MARGIN, slopes[k] * _ALARM_MARGIN
        if k + CHUNK <= last:
            count = CHUNK
            suspects = add_eight(potentials, side, columns, inputs, growth, thetas, k, level, slope)
        else:
            count = 1
            suspects = add_one(potentials, side, columns, inputs, growth, thetas, k, level, slope)
        if suspects > 0:
            crossing, winner = first_crossing(
                potentials, side, columns, inputs, growth, levels, slopes, thetas, k, k + count
            )
            if winner >= 0:
                return crossing, side, winner
        side = 1 - side
        k += count
    return last, side, -1
