"""Gathered columns are the neurons' weights from the active inputs, for every shape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine.candidates.bounded_neurons import (
    bounded_groups,
    gather_levels,
    lane_of,
    new_bounded,
)
from lethenet.engine.gathering import gather, join, new_gathering
from lethenet.engine.layouts import Candidates, Sample
from lethenet.engine.llvm.neuron_steps import BOUNDED, GROUP

shapes = st.tuples(st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 45), st.integers(0, 5))


def some_of(rng, count):
    picked = np.flatnonzero(rng.random(count) < rng.choice([0.1, 0.6, 1.0]))
    return picked if picked.size else np.array([count - 1])


@given(shapes)
def test_columns_are_weights_and_the_surplus_is_zero(shape):
    seed, n_neurons, n_features, spare = shape
    rng = np.random.default_rng(seed)
    weights = rng.random((n_neurons, n_features), np.float32)
    active = some_of(rng, n_features).astype(np.int32)
    neurons = np.zeros(n_neurons + 64, np.int64)
    picked = some_of(rng, n_neurons)
    neurons[: picked.size] = picked
    scratch = new_gathering(n_features, n_neurons + spare)
    scratch.columns[:] = np.nan
    columns, potentials = gather(weights, active, active.size, neurons, picked.size, spare, scratch)
    n_groups = -(-(picked.size + spare) // GROUP)
    assert columns.shape == (n_groups, active.size + 1, GROUP)
    assert potentials.shape == (n_groups, 2, GROUP)
    flat = columns[:, :-1].transpose(0, 2, 1).reshape(n_groups * GROUP, active.size)
    assert (flat[: picked.size] == weights[picked][:, active]).all()
    assert (flat[picked.size : -(-picked.size // GROUP) * GROUP] == 0).all()
    if picked.size < n_groups * GROUP:  # there is room for one more
        sample = Sample(active, np.ones(active.size), active.size, 1.0, *[np.uint64(0)] * 3)
        column_of = np.full(n_neurons, -1)
        chosen = Candidates(
            neurons, columns, potentials, column_of, np.zeros(0), potentials, 0, 0, 0
        )
        join(weights, sample, chosen, picked.size, n_neurons - 1)
        flat = columns[:, :-1].transpose(0, 2, 1).reshape(n_groups * GROUP, active.size)
        assert (flat[picked.size] == weights[-1, active]).all()
        assert (flat[picked.size + 1 : -(-(picked.size + 1) // GROUP) * GROUP] == 0).all()
        assert neurons[picked.size] == n_neurons - 1
        assert column_of[-1] == picked.size


@given(shapes)
def test_levels_of_the_bounded(shape):
    seed, n_neurons, n_features, _ = shape
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 64, (n_neurons, -(-n_features // 8) * 8), np.uint8)
    alarms = rng.integers(0, 65536, n_neurons).astype(np.uint16)
    active = some_of(rng, n_features).astype(np.int32)
    picked = some_of(rng, n_neurons)
    bounded = new_bounded(n_neurons, n_features, 64)
    bounded.neurons[: picked.size] = picked
    gather_levels(levels, alarms, active, active.size, bounded, picked.size)
    n_groups = bounded_groups(picked.size)
    size = n_groups * (active.size + 2) * BOUNDED
    columns = bounded.columns[:size].reshape(n_groups, active.size + 2, BOUNDED)
    for place, neuron in enumerate(picked):
        column = columns[place // BOUNDED, :, lane_of(place)]
        assert (column[: active.size] == levels[neuron, active]).all()
        assert column[active.size] == 0  # the row for the end of a window
        assert bounded.alarms[place] == alarms[neuron]
