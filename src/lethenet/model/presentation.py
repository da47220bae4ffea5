"""One presentation: a sample is shown until the layer has answered.

The loop goes from input spike to input spike (eight at a time where that is the same, see
:mod:`.membrane`). Two things can happen besides: a neuron crosses its threshold, or the layer has been
silent for the recognition time. Then the dopaminergic neuron fires or, in a frozen network or one
without dopamine, the input rates are raised.

:mod:`.reference` does the same in plain numpy, one spike at a time; both give the same bits.
"""

from __future__ import annotations

import numpy as np

from .bits import stay_out_of_line
from .certificate import Certificate
from .compiling import kernel
from .dopamine import depress, habituate
from .elementary import exp
from .membrane import CHUNK, add_one, grow, integrate
from .parameters import Constants
from .plasticity import normalise, potentiate
from .push import target_of_dopamine
from .random_words import fill_words
from .records import Candidates, Layer, Outcome, Sample, Train
from .spikes import build_alias_table, pick_inputs, unit_intervals

DRAW = 128
"""Input spikes drawn at a time."""


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
def trace_factors(
    times: np.ndarray, first: int, last: int, base: float, inverse_tau: float, factors: np.ndarray
) -> None:
    """e^((t − base)/τ) of the spikes ``first`` to ``last - 1``."""
    stay_out_of_line()
    for k in range(first, last):
        factors[k] = exp((times[k] - base) * inverse_tau)


@kernel
def add_to_trace(
    inverse_tau: float,
    active: np.ndarray,
    inputs: np.ndarray,
    times: np.ndarray,
    factors: np.ndarray,
    trace: np.ndarray,
    first: int,
    last: int,
    base: float,
) -> None:
    """Add input spikes ``first`` to ``last - 1`` to the traces, which stand at time ``base``."""
    trace_factors(times, first, last, base, inverse_tau, factors)
    for k in range(first, last):
        trace[active[inputs[k]]] += factors[k]


@kernel
def decay_trace(constants: Constants, trace: np.ndarray, base: float, now: float) -> None:
    """Bring the traces from time ``base`` to ``now``."""
    decay = exp((base - now) * constants.inverse_tau_pre)
    for i in range(trace.size):
        trace[i] *= decay


@kernel
def move_to_front(train: Train, first: int, last: int) -> int:
    """Move spikes ``first`` to ``last - 1`` to the front; return how many there are."""
    kept = last - first
    for k in range(kept):
        train.times[k] = train.times[first + k]
        train.inputs[k] = train.inputs[first + k]
        train.growth[k] = train.growth[first + k]
    return kept


@kernel
def learn_spike(constants: Constants, layer: Layer, neuron: int, forced: bool) -> None:
    """Everything an output spike changes for good: weights, counts and the dopaminergic weight."""
    if forced:
        layer.imprint_counts[neuron] += 1
        layer.spikes_since_imprint[neuron] = 1
        rate = constants.imprint_rate
        amount = constants.forced_depression
    else:
        layer.spike_counts[neuron] += 1
        layer.spikes_since_imprint[neuron] += 1
        rate = constants.learning_rate
        if constants.annealed:
            rate = max(rate, 1.0 / layer.spikes_since_imprint[neuron])
        amount = 1.0
    weights = layer.weights[neuron]
    potentiate(
        weights,
        layer.trace,
        constants.inverse_tau_pre,
        rate,
        constants.static_stdp,
        constants.static_offset,
    )
    if constants.normalise_weights:
        normalise(weights)
    depress(layer.usage, layer.total_usage, neuron, amount, constants.age_weight)


@kernel
def update_column(layer: Layer, sample: Sample, columns: np.ndarray, c: int, neuron: int) -> None:
    """Copy a neuron's weights from the active inputs into its column."""
    for k in range(sample.n_active):
        columns[k, c] = layer.weights[neuron, sample.active[k]]


@kernel
def inhibit(
    potentials: np.ndarray, side: int, inhibition: float, decay: float, winner: int
) -> None:
    """Reset the winner, take their share of potential from all others, and start a new time base."""
    if inhibition == 1.0:
        potentials[side, :] = 0.0
        return
    scale = np.float32((1.0 - inhibition) * decay)
    for c in range(potentials.shape[1]):
        potentials[side, c] *= scale
    potentials[side, winner] = 0.0


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
    train: Train, factor: float, mean: float, now: float, first: int, last: int
) -> float:
    """Move the drawn spikes ``first`` to ``last - 1`` to the times they have at raised rates."""
    time: float = now + (train.times[first] - now) / factor
    train.times[first] = time
    return set_times(train.intervals, train.times, first + 1, last, time, mean)


@kernel
def present(
    constants: Constants,
    layer: Layer,
    sample: Sample,
    chosen: Candidates,
    n_candidates: int,
    certificate: Certificate,
    train: Train,
    plastic: bool,
    most_raises: int,
    winners: np.ndarray,
) -> Outcome:
    """Show a sample until enough output spikes; write the neurons that fired to ``winners``.

    ``plastic`` tells learning from recognition. Recognition gives up when rates would have to be raised
    more than ``most_raises`` times: the candidates were chosen for that many.
    """
    build_alias_table(sample.rates, sample.n_active, sample.total_rate, train.cutoff, train.choice)
    # Taken out of the tuples once: each access in the loop would count references up and down.
    times, inputs, growth, thresholds = train.times, train.inputs, train.growth, train.thresholds
    intervals, factors, active, trace = train.intervals, train.factors, sample.active, layer.trace
    time_words, pick_words = train.time_words, train.pick_words
    cutoff, choice = train.cutoff, train.choice
    inverse_tau_pre = constants.inverse_tau_pre
    columns, potentials = chosen.columns, chosen.potentials
    side = 0
    potentials[side, :] = 0.0
    if plastic and not constants.carry_trace:
        trace[:] = 0.0
    if plastic and constants.habituation > 0.0:
        habituate(layer.usage, layer.total_usage, constants.habituation)
    gain, n_raises = 1.0, 0
    mean = 1.0 / sample.total_rate
    base = 0.0  # time of the last output spike (or raise): potentials and traces stand at it
    first, following, drawn = (
        0,
        0,
        0,
    )  # places: first spike since base, next one, end of those drawn
    index = 0  # spikes drawn in this presentation
    last = 0.0  # time of the last one
    n_output = 0
    imprinted = -1
    now = 0.0
    while n_output < constants.n_output_spikes:
        deadline = base + constants.dopaminergic_period
        if following == drawn:
            if drawn + DRAW > times.size:
                if not (plastic and constants.dopamine):
                    # Only a dopaminergic push looks back at the spikes since the last reset.
                    if plastic:
                        add_to_trace(
                            inverse_tau_pre,
                            active,
                            inputs,
                            times,
                            factors,
                            trace,
                            first,
                            following,
                            base,
                        )
                    first = following
                drawn = move_to_front(train, first, drawn)
                first, following = 0, drawn
                if drawn + DRAW > times.size:
                    raise RuntimeError("more input spikes than there is room for")
            fill_words(sample.seed, sample.number, sample.use, index, time_words, pick_words)
            unit_intervals(time_words, intervals, drawn)
            pick_inputs(pick_words, sample.n_active, cutoff, choice, inputs, drawn)
            last = set_times(intervals, times, drawn, drawn + DRAW, last, mean)
            index += DRAW
            drawn += DRAW
            grow(constants, times, following, drawn, base, growth, thresholds)

        if times[following] < deadline:
            stop = before_deadline(times, following, drawn, deadline)
            crossing, side, c = integrate(
                potentials, side, columns, inputs, growth, thresholds, following, stop
            )
            if c < 0:
                following = stop
                continue
            now = times[crossing]
            neuron = chosen.neurons[c]
            winners[n_output] = neuron
            n_output += 1
            if constants.inhibition < 1.0:
                # The others keep a part of their potentials, so these are needed as of this spike.
                start = crossing - (crossing - following) % CHUNK
                if start + CHUNK > stop:
                    start = crossing
                for k in range(start, crossing + 1):
                    add_one(potentials, side, columns, inputs, growth, k, thresholds[k])
                    side = 1 - side
            following = crossing + 1
            decay = exp((base - now) * constants.inverse_tau_mem)
            if plastic:
                add_to_trace(
                    inverse_tau_pre, active, inputs, times, factors, trace, first, following, base
                )
                decay_trace(constants, trace, base, now)
                learn_spike(constants, layer, neuron, False)
                update_column(layer, sample, columns, c, neuron)
            inhibit(potentials, side, constants.inhibition, decay, c)
        else:
            # Silence: the dopaminergic neuron is due before the next input spike.
            now = deadline
            decay = exp((base - now) * constants.inverse_tau_mem)
            if plastic:
                add_to_trace(
                    inverse_tau_pre, active, inputs, times, factors, trace, first, following, base
                )
                decay_trace(constants, trace, base, now)
            if plastic and constants.dopamine:
                neuron = target_of_dopamine(
                    constants,
                    layer,
                    sample,
                    train,
                    chosen,
                    certificate,
                    side,
                    first,
                    following,
                    decay,
                    n_output,
                )
                learn_spike(constants, layer, neuron, True)
                winners[n_output] = neuron
                n_output += 1
                imprinted = neuron
                if constants.stop_after_imprint:
                    break
                c = chosen.column_of[neuron]
                if c < 0:
                    c = n_candidates
                    n_candidates += 1
                    chosen.column_of[neuron] = c
                    chosen.neurons[c] = neuron
                update_column(layer, sample, columns, c, neuron)
                inhibit(potentials, side, constants.inhibition, decay, c)
            else:
                gain *= constants.rate_gain
                n_raises += 1
                if gain > constants.max_rate_gain or n_raises > most_raises:
                    break
                potentials[side, :] *= np.float32(decay)
                mean = 1.0 / (sample.total_rate * gain)
                last = raise_rates(train, constants.rate_gain, mean, now, following, drawn)
        base = now
        first = following
        grow(constants, times, following, drawn, base, growth, thresholds)
    return Outcome(n_output, imprinted, now, index - (drawn - following), n_raises)
