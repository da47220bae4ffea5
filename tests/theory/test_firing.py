"""Firing probability and time, against networks that really fire."""

import numpy as np
import pytest
from scipy import stats

from lethenet.data import load
from lethenet.theory import (
    expected_firing_time,
    firing_probability,
    recognition_probability,
    time_to_recognise,
    weights_at_angle,
)

RUNS = 10_000
LEVEL = 1e-3


@pytest.fixture(scope="module")
def images():
    X = load("digits").X_train[:2].astype(float)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def assert_binomial(simulated, probability):
    """The exact binomial test, with no allowance for the method: its grid error is below 3e-4,
    a fraction of the standard error 0.005."""
    fired = int(np.isfinite(simulated).sum())
    assert stats.binomtest(fired, len(simulated), float(probability)).pvalue > LEVEL


@pytest.mark.parametrize("degrees", [0, 15, 25, 35])
@pytest.mark.parametrize("threshold", [15.5, 16.5])
def test_firing_over_the_angle(images, degrees, threshold, simulation):
    rates, other = images
    weights = weights_at_angle(rates, other, np.radians(degrees))
    simulated = simulation.simulate_output_spikes(
        rates, weights, threshold, runs=RUNS, seed=degrees
    )
    assert_binomial(simulated, firing_probability(rates, weights, threshold))


@pytest.mark.parametrize(
    ("rates", "weights", "threshold"),
    [
        ([1.0], [1.0], 20.0),  # one heavy input: every jump matters
        ([0.6, 0.8], [0.8, 0.6], 17.5),
        ([2.0, 0.5], [0.5, 0.1], 18.0),  # rates that are not of length one
        ([0.1, 0.2], [9.0, 14.0], 13.0),  # one weight above the threshold
    ],
)
def test_few_inputs(rates, weights, threshold, simulation):
    simulated = simulation.simulate_output_spikes(
        rates, weights, threshold, 60.0, runs=RUNS, seed=7
    )
    assert_binomial(simulated, firing_probability(rates, weights, threshold, 60.0))


def test_a_single_spike_that_suffices_is_exponential():
    """Every spike fires: the time to the first is exponential, exactly."""
    t = np.array([0.5, 3.0, 20.0])
    p = firing_probability([0.2, 0.1], [2.0, 3.0], 1.5, t)
    np.testing.assert_allclose(p, -np.expm1(-0.3 * t), rtol=1e-9)
    assert expected_firing_time([0.2, 0.1], [2.0, 3.0], 1.5) == pytest.approx(1 / 0.3)


def test_two_spikes_that_must_come_together():
    """Weights 1, threshold 1.5: the second spike must follow within τ ln 2, or a third be in time …

    With a short memory (τ = 0.5) and a slow input a pair does it: by conditioning on the first two
    intervals P(fires within t) is close to the probability of a pair; the lower and upper bounds are
    those with exactly two and with at most one more spike.
    """
    rate, tau, t = 0.05, 0.5, 1.0
    window = tau * np.log(2)
    # two spikes in [0, t] less than the window apart
    gap_below_window = 1 - (1 - window / t) ** 2
    two = np.exp(-rate * t) * (rate * t) ** 2 / 2
    more = stats.poisson.sf(2, rate * t)
    p = float(firing_probability([rate], [1.0], 1.5, t, tau=tau, n_grid=500))
    assert two * gap_below_window * (1 - 5e-3) <= p <= two * gap_below_window * (1 + 5e-3) + more


def test_times_of_first_spikes(images, simulation):
    """Kolmogorov and Smirnov, given that a spike came in time."""
    rates, other = images
    weights = weights_at_angle(rates, other, np.radians(20))
    times = simulation.simulate_output_spikes(rates, weights, 15.0, runs=RUNS, seed=5)
    grid = np.linspace(0, 200, 401)
    curve = firing_probability(rates, weights, 15.0, grid)
    fired = times[np.isfinite(times)]
    assert stats.kstest(fired, lambda t: np.interp(t, grid, curve) / curve[-1]).pvalue > LEVEL


def test_expected_time_and_five_spikes(images, simulation):
    rates, _ = images
    # the limit, 60 τ, is never reached: P(no spike within 900) is below 1e-12
    times = simulation.simulate_output_spikes(
        rates, rates, 15.0, 900.0, n_spikes=5, runs=RUNS, seed=5
    )
    assert np.isfinite(times).all()
    expected = float(time_to_recognise(rates, rates, 15.0))
    assert expected == pytest.approx(5 * float(expected_firing_time(rates, rates, 15.0)))
    z = (times.mean() - expected) / (times.std(ddof=1) / np.sqrt(RUNS))
    assert 2 * stats.norm.sf(abs(z)) > LEVEL


def test_recognition_is_a_renewal_process(images, simulation):
    """All five in time: the fifth power of one."""
    rates, other = images
    weights = weights_at_angle(rates, other, np.radians(10))
    simulated = simulation.simulate_output_spikes(
        rates, weights, 16.0, n_spikes=5, runs=RUNS, seed=2
    )
    assert_binomial(simulated, recognition_probability(rates, weights, 16.0))


def test_the_default_grid_is_fine_enough(images):
    rates, other = images
    weights = weights_at_angle(rates, other, np.radians([0, 25]))
    coarse = firing_probability(rates, weights, 16.0)
    fine = firing_probability(rates, weights, 16.0, n_grid=700)
    np.testing.assert_allclose(coarse, fine, atol=3e-4)
    slow, exact = (expected_firing_time(rates, weights[1], 16.0, n_grid=n) for n in (None, 700))
    assert slow == pytest.approx(float(exact), rel=2e-3)


def test_monotone_in_everything(images):
    rates, other = images
    weights = weights_at_angle(rates, other, np.radians([0, 20, 40]))
    p = firing_probability(rates, weights[:, None], [15.5, 16.5], [30.0, 60.0, 200.0])
    assert p.shape == (3, 2, 3)
    assert (np.diff(p, axis=0) < 0).all(), "farther away"
    assert (np.diff(p, axis=1) < 0).all(), "higher threshold"
    assert (np.diff(p, axis=2) > 0).all(), "more time"
    assert ((p >= 0) & (p <= 1)).all()


def test_no_input_never_fires():
    assert firing_probability([1.0, 0.0], [0.0, 1.0], 1.0, [1.0, 100.0]).tolist() == [0, 0]
    assert expected_firing_time([1.0], [0.0], 1.0) == np.inf


def test_weights_at_angle(images):
    rates, other = images
    angles = np.array([0.0, 0.2, 0.5])
    weights = weights_at_angle(rates, other, angles)
    np.testing.assert_allclose(np.linalg.norm(weights, axis=1), 1.0)
    np.testing.assert_allclose(weights @ rates, np.cos(angles))
    between = np.arccos(rates @ other)
    np.testing.assert_allclose(weights_at_angle(rates, other, between), other, atol=1e-9)
    np.testing.assert_allclose(weights_at_angle(rates, rates, 0.0), rates)
    with pytest.raises(ValueError, match="beyond it weights would become negative"):
        weights_at_angle(rates, other, between + 0.01)
    with pytest.raises(ValueError, match="not blank"):
        weights_at_angle(rates, 0 * other, 0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0}, "threshold=0"),
        ({"duration": -1.0}, "duration=-1"),
        ({"n_grid": 3}, "n_grid=3"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        firing_probability(**{"rates": [1.0], "weights": [1.0], "threshold": 1.0, **arguments})
