"""One presentation to the traditional network: a sample is shown until it has answered.

The loop is that of :mod:`lethenet.engine.presentation` without dopamine: after each silent
``recognition_time`` the input rates are raised, while learning too. :mod:`.reference` does the same in
plain numpy, one spike at a time; both give the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lethenet.engine.compiling.kernels import frame_kernel, kernel
from lethenet.engine.encoding import build_alias_table
from lethenet.engine.input_spikes import DRAW, before_deadline, bring_traces, draw, raise_rates
from lethenet.engine.layouts import InputSpikes, Outcome, Sample
from lethenet.engine.llvm.vectors import WIDE
from lethenet.engine.numbers import exp

from .membrane import Scratch, grow_thresholds, integrate
from .parameters import TraditionalConstants
from .plasticity import bounded_stdp, keep_norm


class TraditionalLayer(NamedTuple):
    """The arrays of a :class:`~lethenet_reproduction.traditional.state.TraditionalState`, for kernels."""

    weights: np.ndarray
    thetas: np.ndarray
    spike_counts: np.ndarray


@kernel
def scale(values: np.ndarray, factor: float | np.float32) -> None:
    """Multiply all values by a factor."""
    for i in range(values.size):
        values[i] *= factor


@kernel
def copy_thetas(layer: TraditionalLayer, scratch: Scratch) -> None:
    """The rises in single precision, as the comparison with potentials takes them."""
    for j in range(layer.thetas.size):
        scratch.thetas[j] = np.float32(layer.thetas[j])


@kernel
def learn_spike(
    constants: TraditionalConstants, layer: TraditionalLayer, trace: np.ndarray, neuron: int
) -> None:
    """Everything an output spike changes for good."""
    layer.spike_counts[neuron] += 1
    layer.thetas[neuron] += constants.theta_plus
    bounded_stdp(constants, layer.weights[neuron], trace)
    keep_norm(constants, layer.weights[neuron])


@kernel
def add_traces(
    constants: TraditionalConstants,
    sample: Sample,
    spikes: InputSpikes,
    trace: np.ndarray,
    first: int,
    last: int,
    base: float,
) -> None:
    """Add the input spikes ``first`` to ``last - 1`` to the traces, which stand at time ``base``."""
    inverse_tau, active = constants.inverse_tau_pre, sample.active
    bring_traces(inverse_tau, active, spikes, trace, first, last, base, base)


@frame_kernel
def present(
    constants: TraditionalConstants,
    layer: TraditionalLayer,
    sample: Sample,
    scratch: Scratch,
    spikes: InputSpikes,
    plastic: bool,
    winners: np.ndarray,
) -> Outcome:
    """Show a sample until enough output spikes; write the neurons that fired to ``winners``.

    ``plastic`` tells learning from recognition, in which weights and thresholds stand still.
    """
    build_alias_table(
        sample.rates, sample.n_active, sample.total_rate, spikes.cutoff, spikes.choice
    )
    times, active = spikes.times, sample.active
    columns, potentials, trace = scratch.columns, scratch.potentials, scratch.trace
    growth_rate = constants.inverse_tau_mem
    slope_rate = growth_rate - (constants.inverse_tau_theta if plastic else 0.0)
    side = 0
    potentials[side, :] = 0.0
    trace[:] = 0.0
    copy_thetas(layer, scratch)
    gain, n_raises = 1.0, 0
    mean = 1.0 / sample.total_rate
    base = 0.0  # time of the last output spike or raise: potentials, traces and rises stand at it
    first, following, drawn = 0, 0, 0  # first spike since base, next one, end of those drawn
    index = 0  # spikes drawn in this presentation
    last = 0.0  # time of the last one
    n_output = 0
    now = 0.0
    while n_output < constants.n_output_spikes:
        deadline = base + constants.recognition_time
        if following == drawn:
            if drawn + DRAW > times.size - WIDE:  # the traces are all that needs the spikes so far
                if plastic:
                    add_traces(constants, sample, spikes, trace, first, following, base)
                first, following, drawn = 0, 0, 0
            last = draw(sample, spikes, index, drawn, last, mean)
            index += DRAW
            drawn += DRAW
            grow_thresholds(constants, spikes, scratch.slopes, slope_rate, following, drawn, base)
        winner = -1
        if times[following] < deadline:
            stop = before_deadline(times, following, drawn, deadline)
            crossing, side, winner = integrate(scratch, spikes, side, following, stop)
            if winner < 0:
                following = stop
                continue
            now = times[crossing]
            following = crossing + 1
        else:
            now = deadline
        if plastic:
            add_traces(constants, sample, spikes, trace, first, following, base)
            scale(trace, exp((base - now) * constants.inverse_tau_pre))
            scale(layer.thetas, exp((base - now) * constants.inverse_tau_theta))
        if winner >= 0:
            winners[n_output] = winner
            n_output += 1
            if plastic:
                learn_spike(constants, layer, trace, winner)
                for k in range(sample.n_active):
                    columns[k, winner] = layer.weights[winner, active[k]]
            potentials[side, :] = 0.0
        else:  # silence: raise the input rates
            gain *= constants.rate_gain
            n_raises += 1
            if gain > constants.max_rate_gain:
                break
            scale(potentials[side], np.float32(exp((base - now) * growth_rate)))
            mean = 1.0 / (sample.total_rate * gain)
            last = raise_rates(spikes, constants.rate_gain, mean, now, following, drawn)
        if plastic:
            copy_thetas(layer, scratch)
        base = now
        first = following
        grow_thresholds(constants, spikes, scratch.slopes, slope_rate, following, drawn, base)
    return Outcome(n_output, -1, now, index - (drawn - following), n_raises, 0, 0)
