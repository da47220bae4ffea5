"""One presentation: a sample is shown until the layer has answered.

The loop goes from input spike to input spike (many at a time where that is the same, see
:mod:`.membrane`). Two things can happen besides: a neuron crosses its threshold, or the layer has been
silent for the recognition time. Then the dopaminergic neuron fires or, in a frozen network or one
without dopamine, the input rates are raised.

:mod:`lethenet.model.reference` does the same in plain numpy, one spike at a time; both give the same bits.
"""

from __future__ import annotations

import numpy as np

from .candidates.bounded_neurons import (
    bounded_groups,
    join_reached,
    raise_bounds,
)
from .candidates.push import Silence, target_of_dopamine
from .compiling.kernels import frame_kernel, kernel
from .dopamine import habituate
from .encoding import build_alias_table
from .gathering import groups_for, join
from .inhibition import (
    inhibit,
    restore,
    scale_down,
    set_to_zero,
    take_snapshot,
    update_column,
)
from .input_spikes import (
    DRAW,
    before_deadline,
    bring_traces,
    draw,
    move_to_front,
    raise_rates,
)
from .layouts import Candidates, Layer, Outcome, Sample, Scratch, Setting
from .llvm.llvm_bits import go_in_line
from .llvm.neuron_steps import BOUNDED, GROUP
from .llvm.vectors import WIDE
from .membrane import add_singly, catch_up, grow, integrate
from .numbers import exp
from .plasticity import learn_spike

# More groups than this do not fit in the nearest cache together: each is taken over more spikes at a time.
_MANY_GROUPS, _MANY_DRAWS = 1, 4
# More than this fit in no cache.
_FAR_GROUPS, _FAR_DRAWS = 256, 8
MOST_SPIKES = _FAR_DRAWS * DRAW
"""Input spikes that are ever handled in one go."""


@kernel
def draws_at_once(n_groups: int) -> int:
    """How many times DRAW input spikes are handled in one go."""
    return _FAR_DRAWS if n_groups > _FAR_GROUPS else _MANY_DRAWS if n_groups > _MANY_GROUPS else 1


@kernel
def keep_former(layer: Layer, neuron: int, scratch: Scratch) -> None:
    """Remember what an imprint on this neuron overwrites."""
    for i in range(scratch.former.size):
        scratch.former[i] = layer.weights[neuron, i]
    scratch.lost[0] = layer.spikes_since_imprint[neuron]
    if layer.imprint_counts[neuron] > 0 or layer.spike_counts[neuron] == 0:
        scratch.lost[0] -= 1  # the imprint itself counts as a spike


@frame_kernel
def present(
    setting: Setting,
    sample: Sample,
    chosen: Candidates,
    scratch: Scratch,
    plastic: bool,
    most_raises: int,
    winners: np.ndarray,
    output_times: np.ndarray,
) -> Outcome:
    """Show a sample until enough output spikes; write the neurons that fired and when.

    ``plastic`` tells learning from recognition. Recognition gives up when rates would have to be raised
    more than ``most_raises`` times: the candidates were chosen for that many.
    """
    go_in_line()
    constants, layer = setting.constants, setting.layer
    spikes, bounded = scratch.spikes, scratch.bounded
    build_alias_table(
        sample.rates, sample.n_active, sample.total_rate, spikes.cutoff, spikes.choice
    )
    times, inputs, growth, thresholds = (
        spikes.times,
        spikes.inputs,
        spikes.growth,
        spikes.thresholds,
    )
    active, trace, inverse_tau = sample.active, layer.trace, constants.inverse_tau_pre
    neurons, columns, potentials = chosen.neurons, chosen.columns, chosen.potentials
    n_simulated, n_bounded, n_later = chosen.n_simulated, chosen.n_bounded, chosen.n_later
    n_parts = 0  # of the presentation so far, where it is looked back at
    set_to_zero(potentials)
    lead = 0  # the group of the last winner
    draws = draws_at_once(groups_for(n_simulated) + bounded_groups(n_bounded + n_later))
    bounded.bounds[: bounded_groups(n_bounded) * BOUNDED] = 0
    grown = np.float32(1.0)  # growth at the last spike that the bounds have seen
    room = times.size - WIDE  # exponentials are computed WIDE at a time
    partial = constants.inhibition < 1.0
    if plastic and not constants.carry_trace:
        trace[:] = 0.0
    if plastic and constants.habituation > 0.0:
        habituate(layer.usage, layer.total_usage, constants.habituation)
    gain, n_raises = 1.0, 0
    mean = 1.0 / sample.total_rate
    base = 0.0  # time of the last output spike (or raise): potentials and traces stand at it
    first, following, drawn = 0, 0, 0  # first spike since base, next one, end of those drawn
    origin, n_raised = 0, 0  # first spike since the last reset, and raises of the rates since then
    index = 0  # spikes drawn in this presentation
    last = 0.0  # time of the last one
    n_output = 0
    imprinted = -1
    now, highest = 0.0, np.float32(0.0)
    while n_output < constants.n_output_spikes:
        deadline = base + constants.dopaminergic_period
        raised = False
        if following == drawn:
            if drawn + draws * DRAW > room and n_later > 0:
                n_parts = -1
                break
            if drawn + draws * DRAW > room:
                if n_bounded == 0 and not (plastic and constants.dopamine):
                    # Nobody looks back at the spikes since the last reset.
                    if plastic:
                        bring_traces(
                            inverse_tau, active, spikes, trace, first, following, base, base
                        )
                    first = origin = following
                drawn = move_to_front(spikes, origin, drawn)
                for number in range(n_raised):
                    bounded.raised_at[number] -= origin
                first -= origin
                origin, following = 0, drawn
                if drawn + draws * DRAW > room:
                    raise RuntimeError("more input spikes than there is room for")
            for _ in range(draws):
                last = draw(sample, spikes, index, drawn, last, mean)
                index += DRAW
                drawn += DRAW
            grow(constants, times, following, drawn, base, growth, thresholds)

        if times[following] < deadline:
            stop = before_deadline(times, following, drawn, deadline)
            if partial:
                take_snapshot(potentials, chosen.snapshot)
            crossing, c, highest = integrate(
                groups_for(n_simulated),
                neurons,
                columns,
                potentials,
                inputs,
                growth,
                thresholds,
                following,
                stop,
                lead,
            )
            neuron = neurons[c] if c >= 0 else -1
            if n_bounded > 0:
                end = min(crossing + 1, stop)
                raise_bounds(
                    bounded, n_bounded, sample.n_active, inputs, growth, following, end, grown
                )
                grown = growth[end - 1]
                so_far = n_simulated
                n_simulated = join_reached(
                    layer.weights, sample, chosen, bounded, n_bounded, n_simulated
                )
                if n_simulated > so_far:
                    crossing, c, highest = catch_up(
                        (crossing, c, highest),
                        (so_far // GROUP, groups_for(n_simulated)),
                        neurons,
                        columns,
                        potentials,
                        spikes,
                        origin,
                        stop,
                        bounded.raised_at,
                        bounded.fades,
                        n_raised,
                    )
                    neuron = neurons[c] if c >= 0 else -1
            if c < 0:
                following = stop
                continue
            now = times[crossing]
            lead = c // GROUP
            winners[n_output] = neuron
            output_times[n_output] = now
            n_output += 1
            if partial:
                # The others keep a part of their potentials, so these are needed as of this spike.
                restore(chosen.snapshot, potentials)
                add_singly(columns, potentials, inputs, growth, following, crossing + 1)
            following = crossing + 1
            decay = exp((base - now) * constants.inverse_tau_mem)
            if plastic:
                bring_traces(inverse_tau, active, spikes, trace, first, following, base, now)
                learn_spike(constants, layer, neuron, False)
                update_column(layer, sample, columns, c, neuron)
            inhibit(potentials, constants.inhibition, decay, c)
        else:
            # Silence: the dopaminergic neuron is due before the next input spike.
            now = deadline
            decay = exp((base - now) * constants.inverse_tau_mem)
            if plastic:
                bring_traces(inverse_tau, active, spikes, trace, first, following, base, now)
            if plastic and constants.dopamine:
                neuron = target_of_dopamine(
                    setting,
                    sample,
                    chosen,
                    n_simulated,
                    spikes,
                    scratch.push,
                    Silence(first, following, decay),
                    n_output,
                )
                keep_former(layer, neuron, scratch)
                learn_spike(constants, layer, neuron, True)
                winners[n_output] = neuron
                output_times[n_output] = now
                n_output += 1
                imprinted = neuron
                if constants.stop_after_imprint:
                    break
                c = chosen.column_of[neuron]
                if c < 0:
                    c = n_simulated
                    join(layer.weights, sample, chosen, c, neuron)
                    n_simulated += 1
                update_column(layer, sample, columns, c, neuron)
                inhibit(potentials, constants.inhibition, decay, c)
            else:
                gain *= constants.rate_gain
                n_raises += 1
                if gain > constants.max_rate_gain or n_raises > most_raises:
                    break
                scale_down(potentials, np.float32(decay))
                mean = 1.0 / (sample.total_rate * gain)
                last = raise_rates(spikes, constants.rate_gain, mean, now, following, drawn)
                raised = True
        base = now
        first = following
        if n_later > 0:
            bounded.part_ends[n_parts] = following
            bounded.part_fades[n_parts] = np.float32(decay) if raised else np.float32(0.0)
            bounded.part_highest[n_parts] = highest
            n_parts += 1
        if raised:
            grown *= np.float32(decay)
            if n_bounded > 0:
                bounded.raised_at[n_raised], bounded.fades[n_raised] = following, np.float32(decay)
                n_raised += 1
        else:
            grown = np.float32(1.0)
            bounded.bounds[: bounded_groups(n_bounded) * BOUNDED] = 0
            origin, n_raised = following, 0
        grow(constants, times, following, drawn, base, growth, thresholds)
    if n_later > 0 and n_parts >= 0 and n_output < constants.n_output_spikes:
        winners[n_output] = -1  # rates could not be raised any more: nobody fired in the last part
        bounded.part_ends[n_parts], bounded.part_fades[n_parts] = following, np.float32(0.0)
        n_parts += 1
    return Outcome(
        n_output,
        imprinted,
        now,
        index - (drawn - following),
        n_raises,
        n_simulated,
        n_parts,
    )
