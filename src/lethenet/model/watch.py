"""Neurons that could fire but hardly ever do: watched by an upper bound, at a fraction of the cost.

Most candidates of the certificate (:mod:`.certificate`) are far from their threshold: they have to be
looked at only because a whole run must not miss one spike. For these an upper bound of the potential is
kept in 16-bit integers, in units of 1/255, from weights rounded up to 8 bits, q = ⌈255 w⌉. Over a few
input spikes, k to l, that follow time t₀::

    peak ≤ b e^(−(t_k − t₀)/τ) + Σ q,      b ← b e^(−(t_l − t₀)/τ) + Σ q

where b bounds the potential at t₀: what was there has decayed at least until the first of them, and what
they bring counts in full. Decay factors are rounded up to multiples of 2⁻¹⁶, products are cut off and then
raised by one, sums stay at the largest number if they would pass it: every step errs upwards.

A neuron whose bound has reached the threshold within a window of spikes is replayed exactly, from the
last reset on. So nothing is left to chance here: spike trains are those of the exact simulation. A
watched neuron that does fire is simulated exactly from then on.
"""

from __future__ import annotations

import numpy as np

from .bits import stay_out_of_line
from .compiling import kernel
from .neuron_steps import WATCHED, gather_bytes, watch_spikes
from .records import Watched
from .vectors import address

UNIT = 255.0
"""Bounds are in units of 1/255, so that a weight of one fits in 8 bits."""

LARGEST = 65535
"""Bounds stop here, at a potential of 257. A neuron whose bound is there counts as one at its threshold."""

STEP = 8
"""Input spikes to a step."""

_PACK = 16
_ONE = 65536.0


@kernel
def watch_groups(n_watched: int) -> int:
    """How many groups hold so many neurons."""
    return (n_watched + WATCHED - 1) // WATCHED


@kernel
def new_watch(n_neurons: int, n_features: int, longest: int) -> Watched:
    """Scratch to watch at most ``n_neurons``, over at most ``longest`` spikes at a time."""
    room = watch_groups(n_neurons) * WATCHED
    return Watched(
        np.zeros(room, np.int64),
        np.empty(room * n_features, np.uint8),
        np.empty(room, np.uint16),
        np.empty(room, np.uint16),
        np.empty(longest // STEP + STEP, np.uint16),
        np.empty(longest // STEP + STEP, np.uint16),
        np.empty(_PACK, np.int64),
    )


@kernel
def gather_watched(
    coarse: np.ndarray, active: np.ndarray, n_active: int, watched: Watched, count: int
) -> None:
    """The watched neurons' coarse weights from the active inputs, by group and input."""
    stay_out_of_line()
    neurons, columns, offsets = watched.neurons, watched.columns, watched.offsets
    source, target, places = address(coarse), address(columns), address(offsets)
    n_features = coarse.shape[1]
    for c in range(0, count, _PACK):
        for lane in range(_PACK):
            # behind the last neuron the first one is watched again, which does no harm
            j = neurons[c + lane] if c + lane < count else neurons[0]
            offsets[lane] = j * n_features
        place = c // WATCHED * n_active * WATCHED + c % WATCHED
        for k in range(n_active):
            gather_bytes(source, places, np.int64(active[k]), target, place)
            place += WATCHED


@kernel
def stop_watching(watched: Watched, n_active: int, place: int) -> None:
    """Let the neuron at this place never reach anything again."""
    group, lane = place // WATCHED, place % WATCHED
    for k in range(n_active):
        watched.columns[(group * n_active + k) * WATCHED + lane] = 0


@kernel
def _decay_above(earlier: np.float32, later: np.float32) -> np.uint16:
    """earlier/later ≤ 1 as a multiple of 2⁻¹⁶, rounded up (by more than these two numbers may err)."""
    return np.uint16(min(int(np.float64(earlier) / np.float64(later) * _ONE) + 2, LARGEST))


@kernel
def raise_bounds(
    watched: Watched,
    count: int,
    n_active: int,
    inputs: np.ndarray,
    growth: np.ndarray,
    first: int,
    last: int,
    grown: np.float32,
) -> None:
    """Bring the bounds over the spikes ``first`` to ``last - 1``; their peaks go to ``tops``.

    ``growth`` is e^((t − base)/τ) at each spike; ``grown`` the same at the spike before ``first``.
    """
    stay_out_of_line()
    to_first, to_last = watched.to_first, watched.to_last
    whole = last - (last - first) % STEP
    n_steps = 0
    k = first
    while k < last:
        end = k + STEP if k < whole else k + 1
        to_first[n_steps] = _decay_above(grown, growth[k])
        to_last[n_steps] = _decay_above(grown, growth[end - 1])
        grown = growth[end - 1]
        n_steps += 1
        k = end
    sources = address(inputs)
    columns, bounds, tops = address(watched.columns), address(watched.bounds), address(watched.tops)
    for group in range(watch_groups(count)):
        rows = columns + group * n_active * WATCHED
        bound, top = bounds + group * (WATCHED * 2), tops + group * (WATCHED * 2)
        watched.tops[group * WATCHED : (group + 1) * WATCHED] = 0
        step = 0
        for k in range(first, whole, STEP):
            watch_spikes(8, rows, sources, k, bound, top, to_first[step], to_last[step])
            step += 1
        for k in range(whole, last):
            watch_spikes(1, rows, sources, k, bound, top, to_first[step], to_last[step])
            step += 1


@kernel
def replay_until(
    weights: np.ndarray,
    active: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    last: int,
) -> tuple[int, np.float32]:
    """The spike from ``first`` to ``last - 1`` at which a neuron crosses its threshold, and its potential.

    It starts at rest. ``last`` if it does not cross.
    """
    stay_out_of_line()
    u = np.float32(0.0)
    for k in range(first, last):
        u = u + weights[active[inputs[k]]] * growth[k]
        if u >= thresholds[k]:
            return k, u
    return last, np.float32(0.0)


@kernel
def first_watched(
    watched: Watched,
    count: int,
    alarm: int,
    weights: np.ndarray,
    active: np.ndarray,
    inputs: np.ndarray,
    growth: np.ndarray,
    thresholds: np.ndarray,
    first: int,
    crossing: int,
    winner: int,
    highest: np.float32,
    last: int,
) -> tuple[int, int, np.float32, int]:
    """Replay those whose bound has reached ``alarm``: does one of them fire before the winner?

    ``crossing``, ``winner`` (a neuron, or −1) and ``highest`` are the spike, neuron and potential found so
    far, ``first`` the first spike since the last reset, and nothing from ``last`` on counts. Returns the
    new three and the place of the winner among the watched, or −1 if it is not one of them.
    """
    found = -1
    for place in range(count):
        if watched.tops[place] >= alarm:
            j = watched.neurons[place]
            spike, u = replay_until(
                weights[j], active, inputs, growth, thresholds, first, min(crossing + 1, last)
            )
            if spike < min(crossing + 1, last) and (
                spike < crossing or u > highest or (u == highest and j < winner)
            ):
                crossing, winner, highest, found = spike, j, u, place
    return crossing, winner, highest, found
