"""Bounding after a presentation: was it right to leave the unlikely candidates out?

In recognition nothing depends on a neuron that does not fire. So a presentation goes on as if the bounded
neurons (:mod:`.bounded_neurons`) were not there, and then each group of them is bounded over all its input
spikes at once, while the group's levels stay in the nearest cache. Neurons whose bound has reached the
threshold are simulated over all its spikes. Only if one of them would have fired, the presentation is of
no use, and takes place again.

A presentation has parts, each of which ends with an output spike or a raise of the rates.
"""

from __future__ import annotations

import numpy as np

from ..compiling.kernels import kernel
from ..gathering import groups_for, join
from ..layouts import BoundedNeurons, Candidates, InputSpikes, Sample, Scratch, Setting
from ..llvm.llvm_bits import stay_out_of_line
from ..llvm.neuron_steps import BOUNDED, GROUP, SPIKES_PER_STEP, any_reached, bound_spikes
from ..llvm.vectors import address
from ..membrane import advance
from .bounded_neurons import (
    bounded_groups,
    find_level_blocks,
    gather_group,
    in_steps,
)


@kernel
def nobody_else_fires(
    setting: Setting,
    sample: Sample,
    chosen: Candidates,
    scratch: Scratch,
    n_parts: int,
    winners: np.ndarray,
) -> bool:
    """Whether the presentation would have been the same with the neurons that were left for later."""
    stay_out_of_line()
    spikes, bounded = scratch.spikes, scratch.bounded
    parts_in_steps(sample, spikes, bounded, n_parts)
    n_simulated = join_all_reached(setting, sample, chosen, bounded, n_parts)
    if n_simulated > chosen.n_simulated:
        for group in range(chosen.n_simulated // GROUP, groups_for(n_simulated)):
            if somebody_fires(chosen, spikes, bounded, n_parts, winners, group):
                return False
    return True


@kernel
def parts_in_steps(
    sample: Sample, spikes: InputSpikes, bounded: BoundedNeurons, n_parts: int
) -> None:
    """The input spikes of all parts in whole steps."""
    first, step, grown = 0, 0, np.float32(1.0)
    for part in range(n_parts):
        end, fade = bounded.part_ends[part], bounded.part_fades[part]
        if first < end:
            step = in_steps(
                bounded, step, sample.n_active, spikes.inputs, spikes.growth, first, end, grown
            )
            grown = spikes.growth[end - 1]
        grown = grown * fade if fade > np.float32(0.0) else np.float32(1.0)
        first = end


@kernel
def join_all_reached(
    setting: Setting, sample: Sample, chosen: Candidates, bounded: BoundedNeurons, n_parts: int
) -> int:
    """Let all join whose bound reaches its alarm at some time; return how many are simulated then."""
    certificate, n_simulated = setting.certificate, chosen.n_simulated
    levels, alarms, n_active = certificate.levels, certificate.alarms, sample.n_active
    n_blocks = find_level_blocks(levels, sample.active, n_active, bounded)
    columns, bounds, tops = address(bounded.columns), address(bounded.bounds), address(bounded.tops)
    for group in range(bounded_groups(chosen.n_later)):
        gather_group(levels, alarms, n_active, bounded, chosen.n_later, group, n_blocks, 0)
        bounded.bounds[:BOUNDED] = 0
        bounded.tops[:BOUNDED] = 0
        sources, decays, first = address(bounded.rows), address(bounded.decays), 0
        for part in range(n_parts):
            n_steps = -(-(bounded.part_ends[part] - first) // SPIKES_PER_STEP)
            bound_spikes(columns, sources, n_steps, decays, bounds, tops)
            if bounded.part_fades[part] == np.float32(0.0):
                bounded.bounds[:BOUNDED] = 0
            sources += n_steps * (SPIKES_PER_STEP * 4)
            decays += n_steps * 2
            first = bounded.part_ends[part]
        begin = group * BOUNDED
        if any_reached(tops, address(bounded.alarms) + begin * 2):
            for place in range(begin, min(begin + BOUNDED, chosen.n_later)):
                if bounded.tops[place - begin] >= bounded.alarms[place]:
                    neuron = bounded.neurons[place]
                    join(setting.layer.weights, sample, chosen, n_simulated, neuron)
                    n_simulated += 1
    return n_simulated


@kernel
def somebody_fires(
    chosen: Candidates,
    spikes: InputSpikes,
    bounded: BoundedNeurons,
    n_parts: int,
    winners: np.ndarray,
    group: int,
) -> bool:
    """Whether a neuron of this group fires before a winner, or in its place."""
    neurons, potentials = chosen.neurons, chosen.potentials
    inputs, growth, thresholds = spikes.inputs, spikes.growth, spikes.thresholds
    first, n_fired = 0, 0
    potentials[group, 0] = np.float32(0.0)
    for part in range(n_parts):
        end, fade = bounded.part_ends[part], bounded.part_fades[part]
        spike, lane, u = advance(
            neurons, chosen.columns, group, potentials, inputs, growth, thresholds, first, end
        )
        won = fade == np.float32(0.0) and winners[n_fired] >= 0
        if lane >= 0:
            if not won or spike < end - 1 or u > bounded.part_highest[part]:
                return True
            if u == bounded.part_highest[part] and neurons[group * GROUP + lane] < winners[n_fired]:
                return True
        for n in range(GROUP):  # a crossing leaves no potentials, and nobody needs them then
            potentials[group, 0, n] = potentials[group, 0, n] * fade if fade > 0 else 0.0
        n_fired += won
        first = end
    return False
