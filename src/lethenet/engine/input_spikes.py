"""The input spikes of a presentation in time, and the traces they leave.

Spikes are drawn in blocks of :data:`DRAW`; those since the last output spike are kept, because a
dopaminergic push looks back at them. A trace is 1 higher after each spike of its input and decays with
τ_pre; it is kept as of the last output spike, to which all spikes since are added at once.
"""

from __future__ import annotations

import numpy as np

from .compiling.kernels import kernel
from .encoding import pick_inputs, unit_intervals
from .layouts import InputSpikes, Sample
from .llvm.llvm_bits import go_in_line, stay_out_of_line
from .llvm.vectors import WIDE, address, exp_wide
from .numbers import exp, fill_words

DRAW = 128
"""Input spikes drawn at a time."""


@kernel
def draw(
    sample: Sample, spikes: InputSpikes, index: int, first: int, last: float, mean: float
) -> float:
    """Draw DRAW input spikes, from number ``index`` of the presentation on, to places from ``first`` on.

    The first of them follows time ``last``. Returns the time of the last one.
    """
    go_in_line()
    fill_words(sample.seed, sample.number, sample.use, index, spikes.time_words, spikes.pick_words)
    unit_intervals(spikes.time_words, spikes.intervals, first)
    return pick_inputs(
        spikes.pick_words,
        sample.n_active,
        spikes.cutoff,
        spikes.choice,
        spikes.inputs,
        first,
        spikes.intervals,
        spikes.times,
        last,
        mean,
    )


@kernel
def set_times(
    intervals: np.ndarray, times: np.ndarray, first: int, stop: int, last: float, mean: float
) -> float:
    """Times of the spikes ``first`` to ``stop - 1``, the first of which follows time ``last``."""
    for k in range(first, stop):
        last = last + intervals[k] * mean
        times[k] = last
    return last


@kernel
def bring_traces(
    inverse_tau: float,
    active: np.ndarray,
    spikes: InputSpikes,
    trace: np.ndarray,
    first: int,
    last: int,
    base: float,
    now: float,
) -> None:
    """Bring the traces from time ``base`` to ``now``, over input spikes ``first`` to ``last - 1``.

    As of ``base``, an input spike adds e^((t − base)/τ); then everything decays.
    """
    stay_out_of_line()
    inputs, factors = spikes.inputs, spikes.factors
    source, target = address(spikes.times), address(factors)
    for k in range(first, last, WIDE):
        exp_wide(source, k, base, inverse_tau, target)
    for k in range(np.uint64(first), np.uint64(last)):
        # without signs, or numba would ask each index whether it has one
        trace[np.uint64(np.uint32(active[np.uint64(np.uint32(inputs[k]))]))] += factors[k]
    decay = exp((base - now) * inverse_tau)
    for i in range(trace.size):
        trace[i] *= decay


@kernel
def move_to_front(spikes: InputSpikes, first: int, last: int) -> int:
    """Move spikes ``first`` to ``last - 1`` to the front; return how many there are."""
    count = last - first
    for k in range(count):
        spikes.times[k] = spikes.times[first + k]
        spikes.inputs[k] = spikes.inputs[first + k]
        spikes.growth[k] = spikes.growth[first + k]
        spikes.thresholds[k] = spikes.thresholds[first + k]
    return count


@kernel
def before_deadline(times: np.ndarray, first: int, last: int, deadline: float) -> int:
    """End of the spikes from ``first`` on (at most to ``last``) that come before the deadline."""
    if times[last - 1] < deadline:
        return last
    k = first
    while times[k] < deadline:
        k += 1
    return k


@kernel
def raise_rates(
    spikes: InputSpikes, factor: float, mean: float, now: float, first: int, last: int
) -> float:
    """Move the drawn spikes ``first`` to ``last - 1`` to the times they have at raised rates."""
    time: float = now + (spikes.times[first] - now) / factor
    spikes.times[first] = time
    return set_times(spikes.intervals, spikes.times, first + 1, last, time, mean)
