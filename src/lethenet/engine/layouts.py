"""What the kernels hand to each other: small tuples of arrays and scalars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Layer(NamedTuple):
    """The arrays of :class:`~lethenet.model.state.State`, as kernels take them."""

    weights: np.ndarray
    usage: np.ndarray
    total_usage: np.ndarray
    spike_counts: np.ndarray
    imprint_counts: np.ndarray
    spikes_since_imprint: np.ndarray
    trace: np.ndarray


class Train(NamedTuple):
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
    """Several encoded samples, a row each, once as numbers and once packed (:mod:`.fixed_point`)."""

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
    """The neurons that are simulated, and scratch for them."""

    neurons: np.ndarray  # int64, ascending
    columns: (
        np.ndarray
    )  # float32 (groups, n_active + 1, GROUP): their weights from the active inputs
    potentials: np.ndarray  # float32 (groups, 2, GROUP): [:, 0] between steps, [:, 1] scratch
    column_of: np.ndarray  # int64 (n_neurons,): -1 for those left out
    bounds: np.ndarray  # float32: λ·G_j of all neurons
    certified: bool  # False if all neurons are simulated
    kept: np.ndarray  # float32 (groups, GROUP): scratch


class Gathering(NamedTuple):
    """Scratch for the weights and potentials of the neurons that are simulated."""

    columns: np.ndarray  # float32
    potentials: np.ndarray  # float32
    kept: np.ndarray  # float32 (groups, GROUP)
    zeros: np.ndarray  # float32 (inputs,)
    offsets: np.ndarray  # int64
    blocks: np.ndarray  # int64
    targets: np.ndarray  # int64


class Watched(NamedTuple):
    """The neurons of which only a bound is kept (:mod:`.watch`)."""

    neurons: np.ndarray  # int64, ascending
    columns: np.ndarray  # uint8 (groups, n_active + 2, WATCHED): their weights in levels
    bounds: np.ndarray  # uint16, of the potentials now
    tops: np.ndarray  # uint16, of the potentials within the last window
    alarms: np.ndarray  # uint16: from here on it has to be replayed
    reached: np.ndarray  # bool, by group: whether one has to be
    to_first: np.ndarray  # uint16, decay to the first spike of each step
    to_last: np.ndarray  # uint16, and to its last
    tail: np.ndarray  # int32 (STEP,), inputs of the last step
    turns: np.ndarray  # int64, where in the train rates were raised since the last reset
    fades: np.ndarray  # float32, what was left of the potentials there
    offsets: np.ndarray  # int64, scratch
    blocks: np.ndarray  # int64, scratch
    targets: np.ndarray  # int64, scratch


class Rivals(NamedTuple):
    """Scratch for the neurons that were not simulated and that a push may reach (:mod:`.push`)."""

    neurons: np.ndarray  # int64
    lowest: np.ndarray  # float64, their scores from below
    summed: np.ndarray  # float64 (inputs,): growth of each active input's spikes
    pairs: np.ndarray  # int32, the same packed (:mod:`.fixed_point`)
    packed: np.ndarray  # int32
    bounds: np.ndarray  # float32 (neurons and more)


class Outcome(NamedTuple):
    """What a presentation did."""

    n_output_spikes: int
    imprinted: int  # the neuron that dopamine made learn, or -1
    duration: float
    n_input_spikes: int
    n_raises: int
