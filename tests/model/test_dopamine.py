"""The dopaminergic neuron: when it fires, whom it reaches, how its weights learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from lethenet.engine.dopamine import least_used, push_score, random_target
from lethenet.engine.plasticity import depress
from lethenet.model import PAPER, Network, Parameters, initial_state
from lethenet.model.constants import constants_of
from lethenet.model.dopamine import NEVER, normalised_weights, self_firing_time


def test_self_firing_time_solves_the_membrane_equation():
    rest, threshold, tau = 1.0, PAPER.dopaminergic_threshold, 200.0

    def reaches_threshold(_, v):
        return v[0] - threshold

    reaches_threshold.terminal = True
    solution = solve_ivp(
        lambda _, v: (rest - v) / tau,
        (0, 1000),
        [0.0],
        events=reaches_threshold,
        rtol=1e-10,
        atol=1e-12,
    )
    closed = self_firing_time(0.0, rest=rest, threshold=threshold, tau=tau)
    assert solution.t_events[0][0] == pytest.approx(closed, rel=1e-8)
    assert closed == pytest.approx(200.0)


@given(st.floats(1.0, 500.0), st.floats(20.0, 400.0), st.floats(0.1, 50.0))
def test_it_fires_after_the_recognition_time_whatever_its_membrane(time, tau, rest):
    if time > 60 * min(tau, 15):
        return
    p = Parameters(recognition_time=time, tau_dopamine=tau, dopaminergic_rest=rest)
    assert p.dopaminergic_threshold < rest
    fires = self_firing_time(0.0, rest=rest, threshold=p.dopaminergic_threshold, tau=tau)
    # close to its resting potential the neuron creeps: rounding of the threshold costs time
    assert fires == pytest.approx(time, rel=1e-6 * np.exp(time / tau))


def test_no_self_firing_below_threshold():
    with pytest.raises(ValueError, match="fires by itself only if"):
        self_firing_time(0.0, rest=1.0, threshold=1.5, tau=10.0)


@given(st.integers(0, 2**32 - 1))
def test_score_finds_whom_the_repeated_push_reaches_first(seed):
    rng = np.random.default_rng(seed)
    threshold, eta = 13.5, 0.3
    v, usage = rng.uniform(0, 13, 8), rng.integers(0, 6, 8).astype(float)
    d = 1e-4 * np.exp(-eta * usage)  # small pushes, so that the order is that of the limit
    scores = [push_score(a, threshold, eta, b) for a, b in zip(v, usage, strict=True)]
    pushes = np.ceil((threshold - v) / d)  # how many pushes each would need
    assert pushes[int(np.argmin(scores))] <= pushes.min() + 1


def test_frequency_counts_spikes():
    usage, total = np.zeros(3), np.zeros(1)
    for neuron in (0, 0, 1):
        depress(usage, total, neuron, 1.0, 0.0, np.inf)
    assert usage.tolist() == [2, 1, 0]
    assert least_used(usage) == 2
    np.testing.assert_allclose(
        normalised_weights(usage, 0.3)[0] / normalised_weights(usage, 0.3)[1], np.exp(-0.3)
    )


def test_age_orders_by_last_spike():
    usage, total = np.zeros(3), np.zeros(1)
    for neuron in (2, 2, 2, 0, 1):
        depress(usage, total, neuron, 1.0, 1.0, np.inf)
    assert np.argsort(usage).tolist() == [2, 0, 1], (
        "silent for longest first, however often it fired"
    )


def test_below_the_floor_a_weight_is_gone_for_good():
    """As in single precision, here done in single precision: the weights themselves, renormalised."""
    p = Parameters(dopaminergic_floor=2.0**-149)
    limit = constants_of(p, 10).usage_limit
    assert limit == pytest.approx(149 * np.log(2) / 0.3)
    usage, exact, total = np.zeros(3), np.zeros(3), np.zeros(1)
    single = np.ones(3, np.float32)
    for neuron in [0] * 400 + [1] * 1000 + [2] * 900:
        depress(usage, total, neuron, 1.0, 0.0, limit)
        depress(exact, np.zeros(1), neuron, 1.0, 0.0, np.inf)
        single[neuron] *= np.float32(np.exp(-0.3))
        single /= single.max()
    assert exact.tolist() == [400, 1000, 900]
    assert least_used(exact) == 0
    assert usage[0] == usage[1] == NEVER
    assert least_used(usage) == np.argmax(single) == 2
    assert normalised_weights(usage, 0.3).tolist() == [0, 0, 1]


@pytest.mark.parametrize("other", [{"age_weight": 0.5}, {"habituation": 0.1}])
def test_a_floor_goes_with_weights_that_only_fall(other):
    with pytest.raises(ValueError, match=r"dopaminergic_floor=0.1 does not go with"):
        Parameters(dopaminergic_floor=0.1, **other)
    with pytest.raises(ValueError, match="0 or more, below 1"):
        Parameters(dopaminergic_floor=1.0)


def test_random_targets_are_uniform():
    counts = np.bincount(
        [random_target(np.uint64(1), np.uint64(n), 0, 7) for n in range(7000)], minlength=7
    )
    assert ((counts - 1000) ** 2 / 1000).sum() < 22.5  # χ² with 6 degrees of freedom, p = 0.001


def test_one_shot_imprint_copies_the_sample_and_ends_the_raised_rate():
    """The neuron that dopamine reaches learns the sample's direction; nobody else changes."""
    rng = np.random.default_rng(0)
    X = rng.random((1, 400))
    state = initial_state(5, 400, seed=2)
    before = state.weights.copy()
    learned = Network(Parameters(threshold=14.9), state).learn(X)
    changed = np.flatnonzero((state.weights != before).any(axis=1))
    assert changed.tolist() == [learned.imprints[0]]
    direction = X[0] / np.linalg.norm(X[0])
    # cos² ≈ S/(S + N): the trace has signal S = (τ(1−e⁻¹))² and noise N = ½ Λ τ (1−e⁻²)
    signal = (200 * (1 - np.exp(-1))) ** 2
    noise = 0.5 * direction.sum() * 200 * (1 - np.exp(-2))
    expected = np.sqrt(signal / (signal + noise))
    assert state.weights[changed[0]] @ direction == pytest.approx(expected, abs=0.01)
    assert learned.durations[0] == pytest.approx(200.0)
    assert state.spike_counts.sum() == 0


def test_dopamine_fires_once_per_imprint_and_never_when_frozen():
    X = np.random.default_rng(1).random((6, 30))
    network = Network(Parameters(threshold=14.9), initial_state(8, 30, seed=1))
    network.learn(X)
    counts = network.state.imprint_counts.copy()
    assert counts.sum() > 0
    network.recognise(X)
    assert network.state.imprint_counts.tolist() == counts.tolist()
