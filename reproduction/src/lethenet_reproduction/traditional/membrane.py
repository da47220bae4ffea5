"""Membrane potentials of the traditional network, whose neurons have thresholds of their own.

As in :mod:`lethenet.engine.membrane`, potentials are kept as u = v e^((t − base)/τ), and thresholds grow
instead. A neuron's threshold is v_th + θ_j e^(−(t − base)/τ_θ), so it fires at input spike k when

    u_j ≥ level_k + θ_j · slope_k,    level = v_th e^((t − base)/τ),
                                      slope = e^((t − base)(1/τ − 1/τ_θ))

Both grow with time because τ_θ ≥ τ. So eight input spikes can be added in one pass and checked once: if
u after the eighth is below the threshold at the first, nobody crossed anywhere in between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lethenet.engine.compiling.kernels import kernel
from lethenet.engine.layouts import InputSpikes
from lethenet.engine.llvm.llvm_bits import stay_out_of_line
from lethenet.engine.numbers import exp

from .parameters import TraditionalConstants

CHUNK = 8
"""Input spikes that are added in one pass."""

# The thresholds are rounded, and exp is monotone only up to its last bit: look a little earlier.
_ALARM_MARGIN = np.float32(1.0 - 1e-6)


class Scratch(NamedTuple):
    """What a presentation works on besides the input spikes."""

    columns: np.ndarray  # float32 (n_active, width): weights from the active inputs
    potentials: np.ndarray  # float32 (2, width): before and after
    thetas: np.ndarray  # float32 (width,): rises of the thresholds at the time base
    slopes: np.ndarray  # float32, as many as there is room for input spikes
    trace: np.ndarray  # float64 (n_features,)


@kernel
def grow_thresholds(
    constants: TraditionalConstants,
    spikes: InputSpikes,
    slopes: np.ndarray,
    slope_rate: float,
    first: int,
    last: int,
    base: float,
) -> None:
    """What the spikes ``first`` to ``last - 1`` add, and the thresholds at them."""
    stay_out_of_line()
    times, growth, levels = spikes.times, spikes.growth, spikes.thresholds
    for k in range(first, last):
        factor = exp((times[k] - base) * constants.inverse_tau_mem)
        growth[k] = np.float32(factor)
        levels[k] = np.float32(constants.threshold * factor)
        slopes[k] = np.float32(exp((times[k] - base) * slope_rate))


@kernel
def add_one(
    scratch: Scratch, spikes: InputSpikes, side: int, k: int, level: np.float32, slope: np.float32
) -> np.int32:
    """Add input spike k; return how many potentials are at ``level + θ·slope`` or above.

    ``potentials[side]`` is read and ``potentials[1 - side]`` written.
    """
    stay_out_of_line()
    potentials, columns, thetas = scratch.potentials, scratch.columns, scratch.thetas
    row, factor = spikes.inputs[k], spikes.growth[k]
    suspects = np.int32(0)
    for c in range(potentials.shape[1]):
        u = potentials[side, c] + columns[row, c] * factor
        potentials[1 - side, c] = u
        suspects = np.int32(suspects + np.int32(u >= level + thetas[c] * slope))
    return suspects


@kernel
def add_eight(
    scratch: Scratch, spikes: InputSpikes, side: int, k: int, level: np.float32, slope: np.float32
) -> np.int32:
    """Add input spikes k to k + 7; otherwise as :func:`add_one`."""
    stay_out_of_line()
    potentials, columns, thetas = scratch.potentials, scratch.columns, scratch.thetas
    inputs, growth = spikes.inputs, spikes.growth
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
    scratch: Scratch, spikes: InputSpikes, side: int, first: int, last: int
) -> tuple[int, int]:
    """Replay suspects over the spikes ``first`` to ``last - 1``: who crosses first, and when.

    Returns (spike, neuron), or (−1, −1) if nobody does. Among several that cross at the same spike the
    one farthest above its own threshold wins, the first among equals.
    """
    stay_out_of_line()
    potentials, columns, thetas = scratch.potentials, scratch.columns, scratch.thetas
    inputs, growth = spikes.inputs, spikes.growth
    levels, slopes = spikes.thresholds, scratch.slopes
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
    scratch: Scratch, spikes: InputSpikes, side: int, first: int, last: int
) -> tuple[int, int, int]:
    """Add input spikes ``first`` to ``last - 1`` until somebody crosses their threshold.

    Returns (spike, side, winner); (last, side of the potentials, −1) if nobody crosses.
    """
    stay_out_of_line()
    k = first
    while k < last:
        level = spikes.thresholds[k] * _ALARM_MARGIN
        slope = scratch.slopes[k] * _ALARM_MARGIN
        if k + CHUNK <= last:
            count = CHUNK
            suspects = add_eight(scratch, spikes, side, k, level, slope)
        else:
            count = 1
            suspects = add_one(scratch, spikes, side, k, level, slope)
        if suspects > 0:
            crossing, winner = first_crossing(scratch, spikes, side, k, k + count)
            if winner >= 0:
                return crossing, side, winner
        side = 1 - side
        k += count
    return last, side, -1
