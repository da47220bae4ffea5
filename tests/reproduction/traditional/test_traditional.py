"""The traditional network: kernels and plain reference agree bit for bit, and do what they say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lethenet_reproduction.traditional import (
    TRADITIONAL,
    TraditionalNetwork,
    TraditionalParameters,
    initial_traditional_state,
    reference,
)

parameters = st.builds(
    TraditionalParameters,
    threshold=st.floats(0.5, 10.0),
    theta_plus=st.sampled_from([0.0, 0.05, 1.0]),
    tau_theta=st.sampled_from([20.0, 500.0, 1e6]),
    tau_mem=st.floats(8.0, 20.0),
    tau_pre=st.floats(20.0, 300.0),
    learning_rate=st.floats(0.0, 0.5),
    target_trace=st.floats(0.0, 0.2),
    max_weight=st.floats(0.1, 2.0),
    weight_dependence=st.sampled_from([0.0, 0.2, 1.0, 2.5]),
    normalisation=st.sampled_from(["sum", "length", "none"]),
    norm=st.floats(0.5, 5.0),
    n_output_spikes=st.integers(1, 6),
    recognition_time=st.floats(30.0, 200.0),
    rate_gain=st.floats(1.2, 2.0),
    max_rate_gain=st.just(8.0),
)


def make_network(p, n_neurons, n_features, seed=0):
    return TraditionalNetwork(p, initial_traditional_state(p, n_neurons, n_features, seed))


def compare(p, X, n_neurons, seed):
    """Learn X, then recognise it, in both implementations; every outcome must be the same."""
    network = make_network(p, n_neurons, X.shape[1], seed)
    state, plain_state = network.state, network.state.copy()
    for plastic, answers in ((True, network.learn(X)), (False, network.recognise(X))):
        for row, x in enumerate(X):
            shown = reference.present(x, plain_state, p, plastic=plastic)
            assert [w for w in answers.winners[row] if w >= 0] == shown.winners
            assert answers.durations[row] == shown.duration
            assert answers.input_spikes[row] == shown.n_input_spikes
            assert answers.raises[row] == shown.n_raises
        assert state.n_presentations == plain_state.n_presentations == len(X)
        for name in ("weights", "thetas", "spike_counts"):
            assert getattr(state, name).tobytes() == getattr(plain_state, name).tobytes(), name
    return answers


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    p=parameters,
    seed=st.integers(0, 2**64 - 1),
    n_neurons=st.integers(1, 20),
    n_features=st.integers(1, 30),
    n_samples=st.integers(1, 4),
    sparsity=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_kernels_and_reference_agree(p, seed, n_neurons, n_features, n_samples, sparsity):
    rng = np.random.default_rng(seed % 2**32)
    X = rng.random((n_samples, n_features))
    X[rng.random(X.shape) < sparsity] = 0.0
    compare(p, X, n_neurons, seed)


def test_agreement_when_spikes_do_not_fit_the_buffer():
    """Dense samples of many features send more input spikes in a silence than there is room for."""
    p = replace(TRADITIONAL, threshold=25.0, recognition_time=160.0, rate_gain=3.0, tau_theta=1e4)
    answers = compare(p, np.random.default_rng(0).random((1, 900)) + 0.5, n_neurons=3, seed=1)
    assert (answers.raises > 0).all(), "the layer should have been silent"
    assert (answers.input_spikes > 4096 * answers.raises).any(), "the buffer should have been full"


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits().data


def test_thresholds_rise_with_spikes_and_decay_with_time(digits):
    p = replace(TRADITIONAL, tau_theta=5000.0, theta_plus=0.5)
    network = make_network(p, 10, 64)
    first = network.learn(digits[:1])
    fired = np.unique(first.winners)
    silent = np.setdiff1d(np.arange(10), fired)
    assert (network.state.thetas[fired] > 0).all()
    assert (network.state.thetas[silent] == 0).all()
    before = network.state.copy()
    second = network.learn(digits[1:2])
    others = np.setdiff1d(fired, second.winners)
    assert len(others), "somebody else should have fired"
    decay = np.exp(-second.durations[0] / p.tau_theta)
    np.testing.assert_allclose(
        network.state.thetas[others], before.thetas[others] * decay, rtol=1e-12
    )


def test_weights_stay_within_their_bounds(digits):
    p = replace(TRADITIONAL, learning_rate=1.0, normalisation="none", norm=1.0, max_weight=0.3)
    network = make_network(p, 10, 64)
    network.learn(digits[:100])
    assert network.state.weights.min() == 0.0, "the static offset should have emptied some"
    assert network.state.weights.max() <= np.float32(p.max_weight)


@pytest.mark.parametrize(("normalisation", "order"), [("sum", 1), ("length", 2)])
def test_the_norm_is_kept(digits, normalisation, order):
    p = replace(TRADITIONAL, normalisation=normalisation, norm=2.0)
    network = make_network(p, 10, 64)
    network.learn(digits[:50])
    sizes = np.linalg.norm(network.state.weights.astype(float), ord=order, axis=1)
    np.testing.assert_allclose(sizes, 2.0, rtol=1e-5)  # one rounding of the scale, one a weight


def test_homeostasis_spreads_the_spikes(digits):
    """With adaptive thresholds more neurons take part than without."""
    shares = []
    for theta_plus in (0.0, 0.1):
        network = make_network(replace(TRADITIONAL, theta_plus=theta_plus), 40, 64)
        network.learn(digits[:400])
        counts = network.state.spike_counts
        shares.append(np.sort(counts)[-4:].sum() / counts.sum())  # share of the busiest tenth
    assert shares[1] < 0.5 * shares[0]


def test_recognition_depends_on_nothing_but_the_sample(digits):
    network = make_network(TRADITIONAL, 20, 64)
    network.learn(digits[:100])
    before = network.state.copy()
    whole = network.recognise(digits[:50], n_threads=2)
    alone = network.recognise(digits[49:50])
    assert (whole.winners[49] == alone.winners[0]).all()
    assert before.thetas.tobytes() == network.state.thetas.tobytes()
    assert before.weights.tobytes() == network.state.weights.tobytes()


def test_learning_goes_on_where_it_stopped(digits):
    whole, parts = make_network(TRADITIONAL, 20, 64), make_network(TRADITIONAL, 20, 64)
    whole.learn(digits[:60])
    parts.learn(digits[:25])
    parts.learn(digits[25:60])
    assert whole.state.weights.tobytes() == parts.state.weights.tobytes()
    assert whole.state.thetas.tobytes() == parts.state.thetas.tobytes()


def test_a_blank_sample_changes_nothing(digits):
    network = make_network(TRADITIONAL, 5, 64)
    before = network.state.copy()
    answers = network.learn(np.zeros((1, 64)))
    assert (answers.winners == -1).all()
    assert network.state.n_presentations == 1
    assert before.weights.tobytes() == network.state.weights.tobytes()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"threshold": 0.0}, ValueError, "threshold=0.0 is out of range: expected a number above"),
        ({"tau_theta": 10.0}, ValueError, "tau_theta=10.0 .* at least tau_mem"),
        ({"normalisation": "max"}, ValueError, "normalisation='max' is unknown"),
        ({"weight_dependence": -1.0}, ValueError, "weight_dependence=-1.0"),
        ({"theta_plus": "much"}, TypeError, "theta_plus='much': expected a number"),
        ({"tau_pre": 1.0}, ValueError, "recognition_time / 60"),
    ],
)
def test_errors_name_the_value(changes, error, message):
    with pytest.raises(error, match=message):
        replace(TRADITIONAL, **changes)
