"""The kernels and the plain reference: spike for spike, and the weights bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lethenet.engine.llvm.neuron_steps import GROUP
from lethenet.engine.presentation import draws_at_once
from lethenet.model import ANNEALED, PAPER, Network, Parameters, Rule, initial_state, reference
from lethenet.model.state import ARRAY_FIELDS


def built(**drawn):
    if not drawn["stop_after_imprint"]:
        drawn["links"] = 0
    return Parameters(**drawn)


parameters = st.builds(
    built,
    threshold=st.floats(2.0, 14.5),
    tau_mem=st.floats(8.0, 20.0),
    tau_pre=st.floats(50.0, 300.0),
    learning_rate=st.floats(0.0, 0.3),
    annealed=st.booleans(),
    imprint_rate=st.floats(0.2, 1.0),
    stdp=st.sampled_from(["oja", "static"]),
    static_offset=st.floats(0.2, 2.0),
    normalise_weights=st.booleans(),
    inhibition=st.sampled_from([1.0, 1.0, 0.7, 0.0]),
    n_output_spikes=st.integers(1, 6),
    n_readout_spikes=st.integers(1, 8),
    recognition_time=st.floats(30.0, 200.0),
    dopamine=st.sampled_from([True, True, False]),
    dopaminergic_target=st.sampled_from(["trained", "trained", "random"]),
    push=st.sampled_from(["leftover", "usage"]),
    depression=st.floats(0.01, 1.0),
    forced_depression=st.floats(0.0, 1.0),
    age_weight=st.sampled_from([0.0, 0.3, 1.0]),
    habituation=st.sampled_from([0.0, 0.0, 0.1, 1.0]),
    links=st.sampled_from([0, 1, 2, 5]),
    stop_after_imprint=st.booleans(),
    carry_trace=st.booleans(),
    rate_gain=st.floats(1.05, 2.0),
    max_rate_gain=st.just(8.0),
)


def sharpened(weight, pre, rate, offset):
    return max(weight + rate * (pre * pre - 0.5 * weight), 0.0)


def slower_with_age(learning_rate, n_spikes, annealed):
    return learning_rate / (1.0 + 0.5 * n_spikes)


def counts_twice(usage, amount, age_weight, mean):
    return usage + 2.0 * amount


def samples(seed, n, n_features, sparsity):
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features))
    X[rng.random(X.shape) < sparsity] = 0.0
    return X


def compare(p, X, n_neurons, seed, candidates="certified"):
    """Learn X, then recognise it, in both implementations; every outcome must be the same."""
    state = initial_state(n_neurons, X.shape[1], seed)
    plain_state = state.copy()
    network = Network(p, state, candidates=candidates)
    learned = network.learn(X)
    for row, x in enumerate(X):
        shown = reference.present(x, plain_state, p, plastic=True)
        assert [w for w in learned.winners[row] if w >= 0] == shown.winners
        assert [t for t in learned.times[row] if t >= 0] == shown.times
        assert learned.imprints[row] == shown.imprinted
        assert learned.durations[row] == shown.duration
        assert learned.input_spikes[row] == shown.n_input_spikes
    assert state.n_presentations == plain_state.n_presentations
    for name in ARRAY_FIELDS:
        assert getattr(state, name).tobytes() == getattr(plain_state, name).tobytes(), name
    seen = network.recognise(X)
    for row, x in enumerate(X):
        shown = reference.present(x, plain_state, p, plastic=False)
        assert [w for w in seen.winners[row] if w >= 0] == shown.winners
        assert [t for t in seen.times[row] if t >= 0] == shown.times
        assert seen.durations[row] == shown.duration
        assert seen.raises[row] == shown.n_raises
    for name in ARRAY_FIELDS:  # recognition leaves no trace in either
        assert getattr(state, name).tobytes() == getattr(plain_state, name).tobytes(), name
    return learned


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    p=parameters,
    seed=st.integers(0, 2**64 - 1),
    n_neurons=st.integers(1, 20),
    n_features=st.integers(1, 30),
    n_samples=st.integers(1, 5),
    sparsity=st.sampled_from([0.0, 0.5, 0.9]),
    candidates=st.sampled_from(["certified", "all"]),
)
def test_any_parameters(p, seed, n_neurons, n_features, n_samples, sparsity, candidates):
    X = samples(seed % 2**32, n_samples, n_features, sparsity)
    compare(p, X, n_neurons, seed, candidates)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"forced_depression": 0.0},
        {"push": "usage", "forced_depression": 0.1},
        {"dopamine": False, "threshold": 12.0},
        {"dopaminergic_target": "random"},
        {"stop_after_imprint": False},
        {"stdp": "static"},
        {"stdp": Rule(sharpened, rate=slower_with_age, usage=counts_twice)},
        {"normalise_weights": False},
        {"inhibition": 0.5},
        {"age_weight": 0.5},
        {"habituation": 0.05},
        {"links": 3},
        {"dopaminergic_floor": 0.1},
        {"dopaminergic_floor": 0.5, "push": "leftover"},
        {"carry_trace": True},
        {"imprint_rate": 0.01},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_each_mechanism_on_digits(changes, digits):
    learned = compare(
        replace(PAPER, **{"threshold": 15.5, **changes}), digits[:25], n_neurons=12, seed=1
    )
    if PAPER.dopamine and changes.get("dopamine", True):
        assert (learned.imprints >= 0).any(), "dopaminergic spikes should be part of this"


def test_annealed_on_digits(digits):
    learned = compare(replace(ANNEALED, threshold=15.5), digits[:25], n_neurons=12, seed=1)
    assert (learned.imprints < 0).any()


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits().data


def test_more_neurons_than_fit_in_any_cache():
    """Then more input spikes are handled in one go."""
    n_neurons = 9000
    assert draws_at_once(n_neurons // GROUP) > draws_at_once(200)
    compare(PAPER, samples(3, 4, 40, 0.5), n_neurons, seed=3, candidates="all")


def test_a_rule_of_ones_own_is_not_the_built_in_one(digits):
    own, paper = (replace(PAPER, threshold=15.5, stdp=stdp) for stdp in (Rule(sharpened), "oja"))
    states = [initial_state(12, 64, 1) for _ in range(2)]
    for state, p in zip(states, (own, paper), strict=True):
        for x in digits[:10]:
            reference.present(x, state, p, plastic=True)
    assert not np.allclose(states[0].weights, states[1].weights)
