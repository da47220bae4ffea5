"""Neurons that could fire but hardly ever do: only a bound is kept, at a fraction of the cost.

Most candidates of the certificate (:mod:`.certificate`) are far from their threshold: they have to be
looked at only because a whole run must not miss one spike. For these an upper bound of the potential is
kept in 16-bit integers, from weights rounded up to levels q of 6 bits, in a unit of the neuron's own.
Over a few input spikes, the last of them at t, that follow time t₀::

    peak ≤ b + Σ q,      b ← b e^(−(t − t₀)/τ) + Σ q

where b bounds the potential at t₀: what was there decays, and what they bring counts in full. Decay
factors are rounded up to multiples of 2⁻¹⁶, products are cut off and then raised by one, sums stay at the
largest number if they would pass it: every step errs upwards.

A neuron whose bound has reached the threshold within a window of spikes is simulated from then on, and
over all input spikes since the last reset again (:func:`..membrane.catch_up`). So nothing is left to
chance here: spike trains are those of the exact simulation.
"""

from __future__ import annotations

import numpy as np

from ..compiling.kernels import kernel
from ..gathering import find_blocks, join
from ..layouts import BoundedNeurons, Candidates, Sample
from ..llvm.llvm_bits import stay_out_of_line
from ..llvm.neuron_steps import BOUNDED, PART, SPIKES_PER_STEP, any_reached, bound_spikes
from ..llvm.transposing import BYTES, transpose_bytes
from ..llvm.vectors import LINE, address, fetch

HIGHEST_LEVEL = 63
"""Of a weight: four of them fit in 8 bits."""

HIGHEST_BOUND = 65535
"""Bounds stop here. A neuron whose bound is there counts as one at its threshold."""

MOST_RAISES = 3
"""Raises of the rates in a presentation over which neurons are bounded."""

_ONE = 65536.0
_HALF = PART // 2
_LANES, _INPUTS = BYTES
_SPARE_ROWS = 2  # behind a group's active inputs: one of zeros, one for inputs that are not active


@kernel
def bounded_groups(n_bounded: int) -> int:
    """How many groups hold so many neurons."""
    return (n_bounded + BOUNDED - 1) // BOUNDED


@kernel
def group_size(n_active: int) -> int:
    """Bytes of a group's columns."""
    return (n_active + _SPARE_ROWS) * BOUNDED


def new_bounded(n_neurons: int, n_features: int, longest: int, parts: int = 0) -> BoundedNeurons:
    """Scratch for the bounds of at most ``n_neurons``, over at most ``longest`` spikes at a time.

    ``parts`` is of how many parts a presentation may be that is looked back at (:mod:`.afterwards`).
    """
    longest += parts * SPIKES_PER_STEP  # each is filled up to whole steps
    n_groups = -(-n_neurons // BOUNDED)
    room = n_groups * BOUNDED
    columns = np.empty(room * (n_features + _SPARE_ROWS) + BOUNDED, np.uint8)
    return BoundedNeurons(
        np.zeros(room, np.int64),
        columns[-columns.ctypes.data % LINE :],  # rows are whole lines of memory
        np.empty(room, np.uint16),
        np.empty(room, np.uint16),
        np.empty(room, np.uint16),
        np.empty(n_groups, np.bool_),
        np.empty(longest // SPIKES_PER_STEP + 1, np.uint16),
        np.empty(longest + SPIKES_PER_STEP, np.int32),
        np.empty(parts, np.int64),
        np.empty(parts, np.float32),
        np.empty(parts, np.float32),
        np.empty(MOST_RAISES, np.int64),
        np.empty(MOST_RAISES, np.float32),
        np.empty(_LANES, np.int64),
        np.empty(n_features // _INPUTS + 1, np.int64),
        np.empty((n_features // _INPUTS + 1) * _INPUTS, np.int64),
    )


@kernel
def lane_of(place: int) -> int:
    """Where in a row of its group the neuron at this place is: see ``bound_spikes``."""
    return place % BOUNDED // PART * PART + place % _HALF * 2 + place % PART // _HALF


@kernel
def neuron_in(neurons: np.ndarray, count: int, lane: int) -> int:
    """The neuron in this lane, counted over all groups. Behind the last, the first one fills them up."""
    place = lane // PART * PART + lane % PART // 2 + lane % 2 * _HALF
    return neurons[place] if place < count else neurons[0]  # type: ignore[no-any-return]


@kernel
def gather_levels(
    levels: np.ndarray,
    alarms: np.ndarray,
    active: np.ndarray,
    n_active: int,
    bounded: BoundedNeurons,
    count: int,
) -> None:
    """The bounded neurons' levels from the active inputs, by group and input, and their alarms."""
    n_blocks = find_level_blocks(levels, active, n_active, bounded)
    for group in range(bounded_groups(count)):
        into = group * group_size(n_active)
        gather_group(levels, alarms, n_active, bounded, count, group, n_blocks, into)


@kernel
def find_level_blocks(
    levels: np.ndarray, active: np.ndarray, n_active: int, bounded: BoundedNeurons
) -> int:
    """Get ready to gather levels; how many blocks of inputs there are."""
    return find_blocks(
        active,
        n_active,
        levels.shape[1],
        _INPUTS,
        BOUNDED,
        n_active + 1,
        bounded.blocks,
        bounded.targets,
    )


@kernel
def gather_group(
    levels: np.ndarray,
    alarms: np.ndarray,
    n_active: int,
    bounded: BoundedNeurons,
    count: int,
    group: int,
    n_blocks: int,
    into: int,
) -> None:
    """A group's levels, to ``columns`` from place ``into`` on, and its alarms."""
    stay_out_of_line()
    neurons, offsets, columns = bounded.neurons, bounded.offsets, bounded.columns
    source, target, places = address(levels), address(columns) + into, address(offsets)
    row, blocks, targets = levels.shape[1], bounded.blocks, address(bounded.targets)
    begin = group * BOUNDED
    for place in range(begin, begin + BOUNDED):
        bounded.alarms[place] = (
            alarms[neurons[place]] if place < count else np.uint16(HIGHEST_BOUND)
        )
    columns[into + n_active * BOUNDED : into + (n_active + 1) * BOUNDED] = 0
    for part in range(begin, min(begin + BOUNDED, count), PART):
        for lane in range(_LANES):
            offsets[lane] = neuron_in(neurons, count, part + lane) * row
        for b in range(n_blocks):
            # a few lines of memory of those that follow: more would have to wait for each other
            for lane in range(b * _LANES // n_blocks, (b + 1) * _LANES // n_blocks):
                coming = source + neuron_in(neurons, count, part + _LANES + lane) * row
                for line in range(blocks[0], blocks[n_blocks - 1] + _INPUTS, LINE):
                    fetch(coming + line)
            into_part = target + part - begin
            transpose_bytes(source, places, blocks[b], into_part, targets + b * (_INPUTS * 8))


@kernel
def stop_bounding(bounded: BoundedNeurons, n_active: int, place: int) -> None:
    """Let the neuron at this place never reach anything again."""
    bounded.bounds[place] = 0
    start = place // BOUNDED * group_size(n_active) + lane_of(place)
    for k in range(n_active):
        bounded.columns[start + k * BOUNDED] = 0


@kernel
def in_steps(
    bounded: BoundedNeurons,
    step: int,
    n_active: int,
    inputs: np.ndarray,
    growth: np.ndarray,
    first: int,
    last: int,
    grown: np.float32,
) -> int:
    """Note the rows of the inputs of spikes ``first`` to ``last - 1`` as whole steps, and their decays.

    They begin with ``step``; returns the one after them. ``growth`` is e^((t − base)/τ) at each spike;
    ``grown`` the same at the spike before ``first``. Decays are multiples of 2⁻¹⁶, rounded up by more than
    growth may err.
    """
    rows, decays = bounded.rows, bounded.decays
    start = step * SPIKES_PER_STEP
    for n in range(last - first):
        rows[start + n] = inputs[first + n] * np.int32(BOUNDED)
    n_steps = -(-(last - first) // SPIKES_PER_STEP)
    for n in range(last - first, n_steps * SPIKES_PER_STEP):
        rows[start + n] = n_active * BOUNDED  # a row of zeros
    for n in range(n_steps):
        later = growth[min(first + (n + 1) * SPIKES_PER_STEP, last) - 1]
        decay = int(np.float64(grown) / np.float64(later) * _ONE) + 2
        decays[step + n] = np.uint16(min(decay, HIGHEST_BOUND))
        grown = later
    return step + n_steps


@kernel
def raise_bounds(
    bounded: BoundedNeurons,
    count: int,
    n_active: int,
    inputs: np.ndarray,
    growth: np.ndarray,
    first: int,
    last: int,
    grown: np.float32,
) -> None:
    """Bring the bounds over the spikes ``first`` to ``last - 1``; their peaks go to ``tops``.

    Notes in which groups one has ``reached`` its alarm. ``growth`` and ``grown``: see :func:`in_steps`.
    """
    stay_out_of_line()
    n_steps = in_steps(bounded, 0, n_active, inputs, growth, first, last, grown)
    rows, decays, alarms = address(bounded.rows), address(bounded.decays), address(bounded.alarms)
    columns, bounds, tops = address(bounded.columns), address(bounded.bounds), address(bounded.tops)
    for group in range(bounded_groups(count)):
        bounded.tops[group * BOUNDED : (group + 1) * BOUNDED] = 0
        bound_spikes(columns, rows, n_steps, decays, bounds, tops)
        bounded.reached[group] = any_reached(tops, alarms)
        columns += group_size(n_active)
        bounds += BOUNDED * 2
        tops += BOUNDED * 2
        alarms += BOUNDED * 2


@kernel
def join_reached(
    weights: np.ndarray,
    sample: Sample,
    chosen: Candidates,
    bounded: BoundedNeurons,
    count: int,
    n_simulated: int,
) -> int:
    """Let those whose bound has reached its alarm be simulated; return how many are from now on."""
    for group in range(bounded_groups(count)):
        if not bounded.reached[group]:
            continue
        for place in range(group * BOUNDED, min((group + 1) * BOUNDED, count)):
            if bounded.tops[place] >= bounded.alarms[place]:
                stop_bounding(bounded, sample.n_active, place)
                j = bounded.neurons[place]
                # one that was imprinted in this presentation is simulated already
                if chosen.column_of.size == 0 or chosen.column_of[j] < 0:
                    join(weights, sample, chosen, n_simulated, j)
                    n_simulated += 1
    return n_simulated
