"""One presentation: a sample is shown until the layer has answered.

The loop goes from input spike to input spike (many at a time where that is the same, see
:mod:`.membrane`). Two things can happen besides: a neuron crosses its threshold, or the layer has been
silent for the recognition time. Then the dopaminergic neuron fires or, in a frozen network or one
without dopamine, the input rates are raised.

:mod:`.reference` does the same in plain numpy, one spike at a time; both give the same bits.
"""

from __future__ import annotations

import numpy as np

from ..model.parameters import Constants
from .candidates.bounded_neurons import first_watched, raise_bounds, stop_watching, watch_groups
from .candidates.certificate import Certificate
from .candidates.push import target_of_dopamine
from .compiling.kernels import frame_kernel, kernel
from .dopamine import depress, habituate
from .input_spikes import (
    DRAW,
    add_to_trace,
    before_deadline,
    decay_trace,
    draw,
    move_to_front,
    raise_rates,
)
from .layouts import Candidates, Layer, Outcome, Rivals, Sample, Train, Watched
from .llvm.neuron_steps import GROUP, WATCHED
from .llvm.vectors import WIDE
from .membrane import add_singly, grow, integrate
from .numbers import exp
from .plasticity import normalise, potentiate
from .spikes import build_alias_table

_MANY_GROUPS, _MANY_DRAWS = 8, 4
# So many groups do not fit in the nearest cache together. Each is then taken over more spikes at a time.
_FAR_GROUPS, _FAR_DRAWS = 256, 8
# So many fit in no cache.
MOST_SPIKES = _FAR_DRAWS * DRAW
"""Input spikes that are ever handled in one go."""


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
    depress(
        layer.usage,
        layer.total_usage,
        neuron,
        amount,
        constants.age_weight,
        constants.usage_limit,
    )


@kernel
def update_column(layer: Layer, sample: Sample, columns: np.ndarray, c: int, neuron: int) -> None:
    """Copy a neuron's weights from the active inputs into its column."""
    for k in range(sample.n_active):
        columns[c // GROUP, k, c % GROUP] = layer.weights[neuron, sample.active[k]]


@kernel
def inhibit(potentials: np.ndarray, inhibition: float, decay: float, winner: int) -> None:
    """Reset the winner, take their share of potential from all others, and start a new time base."""
    if inhibition == 1.0:
        set_to_zero(potentials)
        return
    scale_down(potentials, np.float32((1.0 - inhibition) * decay))
    potentials[winner // GROUP, 0, winner % GROUP] = 0.0


@kernel
def set_to_zero(potentials: np.ndarray) -> None:
    """All potentials at rest."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] = np.float32(0.0)


@kernel
def keep_potentials(potentials: np.ndarray, kept: np.ndarray) -> None:
    """Copy all potentials to where they stay as they are."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            kept[group, lane] = potentials[group, 0, lane]


@kernel
def put_back(kept: np.ndarray, potentials: np.ndarray) -> None:
    """Make the potentials what they were when they were kept."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] = kept[group, lane]


@kernel
def scale_down(potentials: np.ndarray, scale: np.float32) -> None:
    """Multiply all potentials by the same number."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] *= scale


@kernel
def draws_at_once(n_groups: int) -> int:
    """How many times DRAW input spikes are handled in one go."""
    return _FAR_DRAWS if n_groups > _FAR_GROUPS else _MANY_DRAWS if n_groups > _MANY_GROUPS else 1


@frame_kernel
def present(
    constants: Constants,
    layer: Layer,
    sample: Sample,
    chosen: Candidates,
    n_candidates: int,
    watched: Watched,
    n_watched: int,
    rivals: Rivals,
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
    times, inputs, growth, thresholds = train.times, train.inputs, train.growth, train.thresholds
    factors, active, trace = train.factors, sample.active, layer.trace
    inverse_tau_pre = constants.inverse_tau_pre
    neurons, columns, potentials = chosen.neurons, chosen.columns, chosen.potentials
    set_to_zero(potentials)
    lead = 0  # the group of the last winner
    draws = draws_at_once(columns.shape[0] + watch_groups(n_watched))
    watched.bounds[: watch_groups(n_watched) * WATCHED] = 0
    grown = np.float32(1.0)  # growth at the last spike that the bounds of the watched have seen
    room = times.size - WIDE  # exponentials are computed sixteen at a time
    partial = constants.inhibition < 1.0
    if plastic and not constants.carry_trace:
        trace[:] = 0.0
    if plastic and constants.habituation > 0.0:
        habituate(layer.usage, layer.total_usage, constants.habituation)
    gain, n_raises = 1.0, 0
    mean = 1.0 / sample.total_rate
    base = 0.0  # time of the last output spike (or raise): potentials and traces stand at it
    first, following, drawn = 0, 0, 0  # first spike since base, next one, end of those drawn
    origin, n_turns = (
        0,
        0,
    )  # first spike since the last reset, and how often rates were raised since then
    index = 0  # spikes drawn in this presentation
    last = 0.0  # time of the last one
    n_output = 0
    imprinted = -1
    now = 0.0
    while n_output < constants.n_output_spikes:
        deadline = base + constants.dopaminergic_period
        raised = False
        if following == drawn:
            if drawn + draws * DRAW > room:
                if n_watched == 0 and not (plastic and constants.dopamine):
                    # Nobody looks back at the spikes since the last reset.
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
                    first = origin = following
                drawn = move_to_front(train, origin, drawn)
                for turn in range(n_turns):
                    watched.turns[turn] -= origin
                first -= origin
                origin, following = 0, drawn
                if drawn + draws * DRAW > room:
                    raise RuntimeError("more input spikes than there is room for")
            for _ in range(draws):
                last = draw(sample, train, index, drawn, last, mean)
                index += DRAW
                drawn += DRAW
            grow(constants, times, following, drawn, base, growth, thresholds)

        if times[following] < deadline:
            stop = before_deadline(times, following, drawn, deadline)
            if partial:
                keep_potentials(potentials, chosen.kept)
            crossing, c, highest = integrate(
                neurons, columns, potentials, inputs, growth, thresholds, following, stop, lead
            )
            neuron = neurons[c] if c >= 0 else -1
            if n_watched > 0:
                end = min(crossing + 1, stop)
                raise_bounds(
                    watched, n_watched, sample.n_active, inputs, growth, following, end, grown
                )
                grown = growth[end - 1]
                crossing, neuron, highest, place = first_watched(
                    watched,
                    n_watched,
                    layer.weights,
                    active,
                    inputs,
                    growth,
                    thresholds,
                    n_turns,
                    origin,
                    crossing,
                    neuron,
                    highest,
                    stop,
                )
                if place >= 0:
                    # It fired against the odds and may again: from now on it is simulated.
                    stop_watching(watched, sample.n_active, place)
                    c = n_candidates
                    n_candidates += 1
                    neurons[c] = neuron
                    if plastic:
                        chosen.column_of[neuron] = c
                    else:
                        update_column(layer, sample, columns, c, neuron)
            if c < 0:
                following = stop
                continue
            now = times[crossing]
            lead = c // GROUP
            winners[n_output] = neuron
            n_output += 1
            if partial:
                # The others keep a part of their potentials, so these are needed as of this spike.
                put_back(chosen.kept, potentials)
                add_singly(columns, potentials, inputs, growth, following, crossing + 1)
            following = crossing + 1
            decay = exp((base - now) * constants.inverse_tau_mem)
            if plastic:
                add_to_trace(
                    inverse_tau_pre, active, inputs, times, factors, trace, first, following, base
                )
                decay_trace(constants, trace, base, now)
                learn_spike(constants, layer, neuron, False)
                update_column(layer, sample, columns, c, neuron)
            inhibit(potentials, constants.inhibition, decay, c)
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
                    n_candidates,
                    rivals,
                    certificate,
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
                    neurons[c] = neuron
                update_column(layer, sample, columns, c, neuron)
                inhibit(potentials, constants.inhibition, decay, c)
            else:
                gain *= constants.rate_gain
                n_raises += 1
                if gain > constants.max_rate_gain or n_raises > most_raises:
                    break
                scale_down(potentials, np.float32(decay))
                mean = 1.0 / (sample.total_rate * gain)
                last = raise_rates(train, constants.rate_gain, mean, now, following, drawn)
                raised = True
        base = now
        first = following
        if raised:
            grown *= np.float32(decay)
            if n_watched > 0:
                watched.turns[n_turns], watched.fades[n_turns] = following, np.float32(decay)
                n_turns += 1
        else:
            grown = np.float32(1.0)
            watched.bounds[: watch_groups(n_watched) * WATCHED] = 0
            origin, n_turns = following, 0
        grow(constants, times, following, drawn, base, growth, thresholds)
    return Outcome(n_output, imprinted, now, index - (drawn - following), n_raises)
