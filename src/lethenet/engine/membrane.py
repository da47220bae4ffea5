"""Membrane potentials between two output spikes.

With full inhibition, all potentials are zero after an output spike (at time ``base``). Then they follow
τ dv/dt = −v, plus w at each input spike. They are kept as u = v e^((t − base)/τ): an input spike is one
multiplication and one addition a neuron, u ← u + w·growth with growth = e^((t − base)/τ), nothing decays,
and the threshold grows instead: a neuron fires when u ≥ v_th·growth.

Weights are not negative, so u never falls while thresholds rise. That is why sixteen input spikes can be
added in one pass and checked once, without any loss: if u after the last is still below the threshold
at the first, nobody crossed anywhere in between. Otherwise they are added again four at a time, and the
few suspects that remain are replayed one by one. Additions happen in the same order either way: the
potentials are the same bits.

Neurons are taken a group at a time, each over a whole window of input spikes, while the group's weights
stay in the nearest cache. A group stops where an earlier one has found a crossing; so the group that
won last time goes first.
"""

from __future__ import annotations

import numpy as np

from ..model.constants import Constants
from .compiling.kernels import kernel
from .layouts import InputSpikes
from .llvm.llvm_bits import stay_out_of_line
from .llvm.neuron_steps import GROUP, add_spikes
from .llvm.vectors import WIDE, address, grow_wide

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
    """Growth factors and grown thresholds of the spikes ``first`` to ``last - 1``.

    Up to 15 places behind ``last`` must exist; what is in them does not matter.
    """
    stay_out_of_line()
    inverse_tau, threshold = constants.inverse_tau_mem, constants.threshold
    source, factors, limits = address(times), address(growth), address(thresholds)
    for k in range(first, last, WIDE):
        grow_wide(source, k, base, inverse_tau, threshold, factors, limits)


@kernel
def first_crossing(
    neurons: np.ndarray,
    columns: np.ndarray,
    group: int,
    before: np.ndarray,
    after: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    last: int,
    alarm: np.float32,
) -> tuple[int, int, np.float32]:
    """Replay a group's suspects over the spikes ``first`` to ``last - 1``: who crosses first, and when.

    Suspects are at ``alarm`` or above ``after`` these spikes. Returns (spike, lane, potential), or −1 as
    the lane if nobody crosses. Among several that cross at the same spike the highest potential wins,
    the first neuron among equals.
    """
    stay_out_of_line()
    crossing, winner, highest = last, -1, np.float32(0.0)
    for lane in range(GROUP):
        if after[lane] >= alarm:
            u = before[lane]
            for s in range(first, min(last, crossing + 1)):
                u = u + columns[group, inputs[s], lane] * growth[s]
                if u >= thresholds[s]:
                    # several columns may have joined later, so they are not in order of the neurons
                    first_among_equals = u == highest and (
                        neurons[group * GROUP + lane] < neurons[group * GROUP + winner]
                    )
                    if s < crossing or u > highest or first_among_equals:
                        crossing, winner, highest = s, lane, u
                    break
    return crossing, winner, highest


@kernel
def advance(
    neurons: np.ndarray,
    columns: np.ndarray,
    group: int,
    potentials: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    last: int,
) -> tuple[int, int, np.float32]:
    """Add input spikes ``first`` to ``last - 1`` to one group, until one of it crosses the threshold.

    Returns (spike, lane, potential) of the crossing; then the group's potentials are of no use any more.
    If there is none: (last, −1, 0).
    """
    stay_out_of_line()
    rows = address(columns) + group * columns.shape[1] * (GROUP * 4)
    here = address(potentials) + group * (2 * GROUP * 4)
    there = here + GROUP * 4
    sources, factors = address(inputs), address(growth)
    side = 0
    careful = first  # up to here, few spikes at a time
    k = first
    while k < last:
        alarm = thresholds[k] * _ALARM_MARGIN
        if k + 16 <= last and k >= careful:
            count = 16
            suspects = add_spikes(16, rows, sources, factors, k, here, there, alarm)
            if suspects:
                # thresholds rise within sixteen spikes: most suspects are none a few spikes later
                careful = k + 16
                continue
        elif k + 4 <= last:
            count = 4
            suspects = add_spikes(4, rows, sources, factors, k, here, there, alarm)
        else:
            count = 1
            suspects = add_spikes(1, rows, sources, factors, k, here, there, alarm)
        if suspects:
            crossing, lane, highest = first_crossing(
                neurons,
                columns,
                group,
                potentials[group, side],
                potentials[group, 1 - side],
                inputs,
                growth,
                thresholds,
                k,
                k + count,
                alarm,
            )
            if lane >= 0:
                return crossing, lane, highest
        here, there = there, here
        side = 1 - side
        k += count
    if side == 1:
        for n in range(GROUP):
            potentials[group, 0, n] = potentials[group, 1, n]
    return last, -1, np.float32(0.0)


@kernel
def integrate(
    n_groups: int,
    neurons: np.ndarray,
    columns: np.ndarray,
    potentials: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    last: int,
    lead: int,
) -> tuple[int, int, np.float32]:
    """Add input spikes ``first`` to ``last - 1`` to these groups until somebody crosses the threshold.

    Returns (spike, column of the winner, its potential); the others are of no use then. If nobody
    crosses: (last, −1, 0). Group ``lead`` goes first, which only matters for the time it takes.
    """
    best = last, -1, np.float32(0.0)
    for n in range(n_groups):
        group = lead if n == 0 else n - 1 if n <= lead else n
        limit = min(last, best[0] + 1)
        found = advance(
            neurons, columns, group, potentials, inputs, growth, thresholds, first, limit
        )
        best = first_of(best, found, group, neurons)
    return best


@kernel
def first_of(
    best: tuple[int, int, np.float32],
    found: tuple[int, int, np.float32],
    group: int,
    neurons: np.ndarray,
) -> tuple[int, int, np.float32]:
    """The best crossing so far, or what was found in a group (with a lane), if that comes before it."""
    crossing, winner, highest = best
    spike, lane, u = found
    if lane >= 0:
        c = group * GROUP + lane
        if spike < crossing or u > highest or (u == highest and neurons[c] < neurons[winner]):
            return spike, c, u
    return best


@kernel
def catch_up(
    best: tuple[int, int, np.float32],
    groups: tuple[int, int],
    neurons: np.ndarray,
    columns: np.ndarray,
    potentials: np.ndarray,
    spikes: InputSpikes,
    first: int,
    last: int,
    raised_at: np.ndarray,
    fades: np.ndarray,
    n_raised: int,
) -> tuple[int, int, np.float32]:
    """Simulate some groups again, from the last reset on, because neurons have joined them.

    ``first`` is the first spike since then; before the spikes ``raised_at`` the rates were raised, and
    potentials fade, as a new time base begins. ``best`` is what :func:`integrate` found in all groups, and
    what is returned with those that have joined.
    """
    stay_out_of_line()
    inputs, growth, thresholds = spikes.inputs, spikes.growth, spikes.thresholds
    for group in range(groups[0], groups[1]):
        potentials[group, 0] = np.float32(0.0)
        k = first
        for number in range(n_raised):
            end = raised_at[number]  # nobody has crossed before this window
            advance(neurons, columns, group, potentials, inputs, growth, thresholds, k, end)
            for lane in range(GROUP):
                potentials[group, 0, lane] *= fades[number]
            k = end
        limit = min(last, best[0] + 1)
        found = advance(neurons, columns, group, potentials, inputs, growth, thresholds, k, limit)
        best = first_of(best, found, group, neurons)
    return best


@kernel
def add_singly(
    columns: np.ndarray,
    potentials: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    first: int,
    last: int,
) -> None:
    """Add input spikes ``first`` to ``last - 1`` to all potentials, whoever crosses."""
    for group in range(columns.shape[0]):
        for k in range(first, last):
            for lane in range(GROUP):
                potentials[group, 0, lane] += columns[group, inputs[k], lane] * growth[k]


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
