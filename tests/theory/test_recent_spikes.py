"""The supplement's derivation, against trains of the reference implementation."""

import numpy as np
import pytest
from scipy import integrate, stats

from lethenet.engine.numbers import LEARNING
from lethenet.model import reference
from lethenet.theory import (
    expected_potential_of_recent_spikes,
    expected_recent_spike,
    mean_potential,
    recent_spike_cdf,
    recent_spike_pdf,
)

RATE, OTHER, TAU, NOW, RUNS = 0.6, 0.8, 5.0, 60.0, 800


@pytest.fixture(scope="module")
def remains():
    """e^(−age/τ) of the three most recent spikes of one of two inputs, at a late moment."""
    values = np.zeros((RUNS, 3))
    for run in range(RUNS):
        train = reference.input_spikes(
            [0, 1], [RATE, OTHER], RATE + OTHER, seed=4, number=run, use=int(LEARNING)
        )
        times, now = [], 0.0
        while True:
            source, interval = next(train)
            now += interval / (RATE + OTHER)
            if now > NOW:
                break
            if source == 0:
                times.append(now)
        # e^(−60 · 0.6): a train without three spikes would be a miracle
        values[run] = np.exp(-(NOW - np.array(times[-1:-4:-1])) / TAU)
    return values


@pytest.mark.parametrize("k", [1, 2, 3])
def test_density_of_a_spikes_contribution(remains, k):
    """Kolmogorov and Smirnov's test at the level 1e-3."""
    test = stats.kstest(remains[:, k - 1], lambda v: recent_spike_cdf(v, k, RATE, tau=TAU))
    assert test.pvalue > 1e-3


def test_expected_values(remains):
    k = np.array([1, 2, 3])
    expected = expected_recent_spike(k, RATE, tau=TAU)
    z = (remains.mean(axis=0) - expected) / (remains.std(axis=0, ddof=1) / np.sqrt(RUNS))
    assert (2 * stats.norm.sf(np.abs(z)) > 1e-3).all()


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("rate", [0.1, 0.5, 2.0])
def test_density_is_the_derivative_and_its_mean_the_expected_value(k, rate):
    v = np.linspace(0.05, 0.95, 19)
    h = 1e-5
    slope = (recent_spike_cdf(v + h, k, rate) - recent_spike_cdf(v - h, k, rate)) / (2 * h)
    np.testing.assert_allclose(recent_spike_pdf(v, k, rate), slope, rtol=1e-6, atol=1e-9)
    mean, _ = integrate.quad(lambda v: v * float(recent_spike_pdf(v, k, rate)), 0, 1, limit=200)
    assert mean == pytest.approx(float(expected_recent_spike(k, rate)), abs=1e-9)


def test_nothing_outside_the_unit_interval():
    assert recent_spike_pdf([-0.5, 0.0, 1.5], 2, 0.3).tolist() == [0, 0, 0]
    assert recent_spike_cdf([-0.5, 0.0, 1.0, 1.5], 2, 0.3).tolist() == [0, 0, 1, 1]


def test_sum_of_all_spikes_is_the_steady_state():
    rates, weights = np.array([0.3, 0.0, 0.5]), np.array([0.2, 0.9, 1.0])
    partial = expected_potential_of_recent_spikes(rates, weights, np.arange(1, 400))
    singly = sum(expected_recent_spike(k, rates[[0, 2]]) @ weights[[0, 2]] for k in range(1, 8))
    assert partial[6] == pytest.approx(singly)
    assert (np.diff(partial) >= 0).all()
    whole = expected_potential_of_recent_spikes(rates, weights)
    assert whole == pytest.approx(float(mean_potential(rates, weights)))
    assert partial[-1] == pytest.approx(float(whole))


def test_errors():
    with pytest.raises(ValueError, match="1 is the most recent"):
        recent_spike_pdf(0.5, 0, 0.2)
    with pytest.raises(ValueError, match="above 0"):
        expected_recent_spike(1, 0.0)
