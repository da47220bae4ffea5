"""What the kernels hand to each other: small tuples of arrays and scalars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.constants import Constants


class Certificate(NamedTuple):
    """What the bound needs (:mod:`.candidates.certificate`)."""

    theta: float
    slack: float  # for rounding
    tau_mem: float
    threshold: float
    table: np.ndarray  # float32: τ E at multiples of a step, from above
    tiles: np.ndarray  # int16 (tiles, pairs of inputs, TILE, 2): G in steps, rounded up
    steps: np.ndarray  # float32 (tiles·TILE,): the step of each neuron
    levels: np.ndarray  # uint8 (neurons, inputs and more): weights in units, rounded up
    alarms: np.ndarray  # uint16 (neurons,): the threshold in each neuron's unit
    alarm: float  # the threshold, less what rounding may take
    near: float  # candidates with a bound above e^near are simulated, the others bounded
    shortfalls: (
        np.ndarray
    )  # float32: squares, by weight in steps of the table (:mod:`.candidates.spread`)
    least_variance: float
    gains: np.ndarray  # float64: of the rates, after no raise, one, …
    credits: np.ndarray  # float32 (gains + 1, neurons): nats off the bound; zeros for higher gains


class Layer(NamedTuple):
    """The arrays of :class:`~lethenet.model.state.State`, as kernels take them."""

    weights: np.ndarray
    usage: np.ndarray
    total_usage: np.ndarray
    spike_counts: np.ndarray
    imprint_counts: np.ndarray
    spikes_since_imprint: np.ndarray
    trace: np.ndarray
    link_partners: np.ndarray
    link_counts: np.ndarray


class InputSpikes(NamedTuple):
    """Scratch for the input spikes since the last output spike, and for what to draw them from."""

    intervals: np.ndarray  # float64, in units of the mean interval
    inputs: np.ndarray  # int32, positions among the active inputs
    times: np.ndarray  # float64
    growth: np.ndarray  # float32
    thresholds: np.ndarray  # float32
    factors: np.ndarray  # float64
    time_words: np.ndarray  # uint64 (DRAW,)
    pick_words: np.ndarray  # uint64 (DRAW,)
    cutoff: np.ndarray  # uint64, alias table
    choice: np.ndarray  # int32, alias table


class Sample(NamedTuple):
    """An encoded sample: its active inputs, their rates, and the key of its random numbers."""

    active: np.ndarray  # int32
    rates: np.ndarray  # float64
    n_active: int
    total_rate: float
    seed: np.uint64
    number: np.uint64
    use: np.uint64


class Block(NamedTuple):
    """Several encoded samples, a row each, as numbers and packed (:mod:`.candidates.fixed_point`)."""

    active: np.ndarray  # int32 (samples, inputs)
    rates: np.ndarray  # float64 (samples, inputs)
    n_active: np.ndarray  # int64
    total_rates: np.ndarray  # float64
    pairs: np.ndarray  # int32 (samples, pairs of inputs)
    packed: np.ndarray  # int32 (samples, pairs of inputs): their rates
    n_pairs: np.ndarray  # int64
    steps: np.ndarray  # float32
    bounds: np.ndarray  # float32 (samples, neurons and more): λ·G_j


class Candidates(NamedTuple):
    """The neurons that may fire, and what is known of the others.

    ``n_simulated`` of them are simulated, ``n_bounded`` more are in :class:`BoundedNeurons`; or ``n_later``
    are, whose bounds are computed after the presentation.
    """

    neurons: np.ndarray  # int64, ascending: those that are simulated
    columns: np.ndarray  # float32 (groups, n_active + 1, GROUP): their weights from active inputs
    potentials: np.ndarray  # float32 (groups, 2, GROUP): [:, 0] between steps, [:, 1] scratch
    column_of: np.ndarray  # int64 (n_neurons,): -1 for those left out
    bounds: np.ndarray  # float32: λ·G_j of all neurons
    snapshot: np.ndarray  # float32 (groups, GROUP): scratch
    n_simulated: int
    n_bounded: int
    n_later: int


class Gathering(NamedTuple):
    """Scratch for the weights and potentials of the neurons that are simulated."""

    columns: np.ndarray  # float32
    potentials: np.ndarray  # float32
    snapshot: np.ndarray  # float32 (groups, GROUP)
    zeros: np.ndarray  # float32 (inputs,)
    offsets: np.ndarray  # int64
    blocks: np.ndarray  # int64
    targets: np.ndarray  # int64


class BoundedNeurons(NamedTuple):
    """The neurons of which only a bound is kept (:mod:`.candidates.bounded_neurons`)."""

    neurons: np.ndarray  # int64, ascending
    columns: np.ndarray  # uint8 (groups, n_active + 2, BOUNDED): their weights in levels
    bounds: np.ndarray  # uint16, of the potentials now
    tops: np.ndarray  # uint16, of the potentials within the last window
    alarms: np.ndarray  # uint16: from here on it has to be simulated
    reached: np.ndarray  # bool, by group: whether one has to be
    decays: np.ndarray  # uint16, decay to the last spike of each step
    rows: np.ndarray  # int32, where in ``columns`` the inputs of the steps are
    part_ends: np.ndarray  # int64, the spike behind each part of a presentation
    part_fades: (
        np.ndarray
    )  # float32, what was left of the potentials there: 0 after an output spike
    part_highest: np.ndarray  # float32, the potential with which somebody fired
    raised_at: np.ndarray  # int64, before which spikes rates were raised since the last reset
    fades: np.ndarray  # float32, what was left of the potentials there
    offsets: np.ndarray  # int64, scratch
    blocks: np.ndarray  # int64, scratch
    targets: np.ndarray  # int64, scratch


class PushCandidates(NamedTuple):
    """Scratch for neurons that were not simulated and that a push may reach (:mod:`.candidates.push`)."""

    neurons: np.ndarray  # int64
    lowest: np.ndarray  # float64, their scores from below
    summed: np.ndarray  # float64 (inputs,): growth of each active input's spikes
    pairs: np.ndarray  # int32, the same packed (:mod:`.candidates.fixed_point`)
    packed: np.ndarray  # int32
    bounds: np.ndarray  # float32 (neurons and more)


class Setting(NamedTuple):
    """What stays the same over a batch of presentations (but for what learning changes in the layer)."""

    constants: Constants
    certificate: Certificate
    certified: bool  # False if all neurons are simulated
    layer: Layer
    seed: np.uint64


class Scratch(NamedTuple):
    """Memory that a batch of presentations works in. What it holds in between does not matter."""

    spikes: InputSpikes
    block: Block
    bounded: BoundedNeurons
    push: PushCandidates
    gathering: Gathering
    neurons: np.ndarray  # int64, room for every neuron and a few more
    column_of: np.ndarray  # int64 (neurons,), -1 everywhere
    changed: np.ndarray  # int64, tiles with neurons that changed since the block began
    stale: np.ndarray  # bool, of each tile whether it is one of these
    spare: (
        int  # columns that may join besides those of bounded neurons: of those that are imprinted
    )
    former: np.ndarray  # float32 (inputs,): the weights that the last imprint overwrote
    lost: (
        np.ndarray
    )  # int64 (1,): natural spikes they had had since their own imprint, -1 if unlearned


class Log(NamedTuple):
    """What happened, a row per sample; :class:`lethenet.model.network.Presented` explains the fields."""

    winners: np.ndarray  # int32 (samples, output spikes), -1 where there is none
    times: np.ndarray  # float64, as many, nan where there is none
    imprints: np.ndarray  # int32, the neuron that dopamine made learn, or -1
    durations: np.ndarray  # float64
    input_spikes: np.ndarray  # int64
    raises: np.ndarray  # int64
    simulated: np.ndarray  # int64
    overwritten: np.ndarray  # int64
    surprises: np.ndarray  # float64, or empty if nobody asks
    former: np.ndarray  # float32 (samples, inputs), or empty if nobody asks
    done: np.ndarray  # int64 (1,): samples so far, whatever interrupts the caller


class Outcome(NamedTuple):
    """What a presentation did."""

    n_output_spikes: int
    imprinted: int  # the neuron that dopamine made learn, or -1
    duration: float
    n_input_spikes: int
    n_raises: int
    n_simulated: int  # neurons, in the end
    n_parts: (
        int  # of the presentation, if it is to be looked back at; -1 if it was too long for that
    )
