"""Membrane potentials between two output spikes.

All potentials are zero after an output spike (at time ``base``) and then follow τ dv/dt = −v, plus w at
each input spike. They are kept as u = v e^((t − base)/τ): an input spike is one multiplication and one
addition a neuron, u ← u + w·growth with growth = e^((t − base)/τ), nothing decays, and the threshold
grows instead: a neuron fires when u ≥ v_th·growth.

Weights are not negative, so u never falls while thresholds rise. That is why eight input spikes can be
added in one pass and checked once, without any loss: if u after the eighth is still below the threshold
at the first, nobody crossed anywhere in between. Otherwise the few suspects are replayed one by
one. Additions happen in the same order either way: the potentials are the same bits.
"""

from __future__ import annotations

import numpy as np

from .bits import stay_out_of_line
from .compiling import kernel
from .elementary import exp
from .parameters import Constants

CHUNK = 8
# The thresholds are rounded, and exp is monotone only up to its last bit: look a little earlier.
_ALARM_MARGIN = np.float32(1.0 - 1e-6)


@kernel
def grow(
    constants: Constants,
    times: np.ndarray,
    first: int,
    last: int,
    base: float,
    growth: np.ndarray,
    thresholds: np.ndarray,
) -> None:
    """Growth factors and grown thresholds of the spikes ``first`` to ``last - 1``."""
    stay_out_of_line()
    inverse_tau, threshold = constants.inverse_tau_mem, constants.threshold
    for k in range(first, last):
        factor = exp((times[k] - base) * inverse_tau)
        growth[k] = np.float32(factor)
        thresholds[k] = np.float32(threshold * factor)


@kernel
def add_one(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    k: int,
    alarm: np.float32,
) -> np.int32:
    """Add input spike k to the potentials; return how many are at ``alarm`` or above.

    ``potentials[side]`` is read and ``potentials[1 - side]`` written.
    """
    stay_out_of_line()
    row, factor = inputs[k], growth[k]
    suspects = np.int32(0)
    for c in range(potentials.shape[1]):
        u = potentials[side, c] + columns[row, c] * factor
        potentials[1 - side, c] = u
        suspects = np.int32(suspects + np.int32(u >= alarm))
    return suspects


@kernel
def add_eight(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    k: int,
    alarm: np.float32,
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
        suspects = np.int32(suspects + np.int32(u >= alarm))
    return suspects


@kernel
def first_crossing(
    potentials: np.ndarray,
    side: int,
    columns: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    last: int,
    alarm: np.float32,
) -> tuple[int, int]:
    """Replay suspects over the spikes ``first`` to ``last - 1``: who crosses first, and when.

    Returns (spike, column), or (−1, −1) if nobody does. Among several that cross at the same spike the
    highest potential wins, the first column among equals.
    """
    stay_out_of_line()
    crossing, winner, highest = last, -1, np.float32(0.0)
    for c in range(potentials.shape[1]):
        if potentials[1 - side, c] >= alarm:
            u = potentials[side, c]
            for s in range(first, min(last, crossing + 1)):
                u = u + columns[inputs[s], c] * growth[s]
                if u >= thresholds[s]:
                    if s < crossing or u > highest:
                        crossing, winner, highest = s, c, u
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
    thresholds: np.ndarray,
    first: int,
    last: int,
) -> tuple[int, int, int]:
    """Add input spikes ``first`` to ``last - 1`` until somebody crosses the threshold.

    Returns (spike, side, winner). If nobody crosses: (last, side of the potentials, −1). If somebody
    does: the spike at which that happens, the side of the potentials before the chunk it is in, and
    the winner's column.
    """
    stay_out_of_line()
    k = first
    while k < last:
        alarm = thresholds[k] * _ALARM_MARGIN
        if k + CHUNK <= last:
            count = CHUNK
            suspects = add_eight(potentials, side, columns, inputs, growth, k, alarm)
        else:
            count = 1
            suspects = add_one(potentials, side, columns, inputs, growth, k, alarm)
        if suspects > 0:
            crossing, winner = first_crossing(
                potentials, side, columns, inputs, growth, thresholds, k, k + count, alarm
            )
            if winner >= 0:
                return crossing, side, winner
        side = 1 - side
        k += count
    return last, side, -1


@kernel
def replay(
    weights: np.ndarray,
    active: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    first: int,
    last: int,
) -> np.float32:
    """The potential u of one neuron after the input spikes ``first`` to ``last - 1``."""
    stay_out_of_line()
    u = np.float32(0.0)
    for k in range(first, last):
        u = u + weights[active[inputs[k]]] * growth[k]
    return u
