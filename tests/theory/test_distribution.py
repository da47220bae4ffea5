"""The law of the potential: against simulation (Kolmogorov and Smirnov) and closed forms."""

import numpy as np
import pytest
from scipy import special, stats

from lethenet.theory import cumulant, potential_cdf, potential_pdf, silent_probability

RUNS = 4000


@pytest.fixture(scope="module")
def image():
    rng = np.random.default_rng(8)
    rates, weights = rng.random(30) ** 3, rng.random(30)
    return rates / np.linalg.norm(rates), weights / np.linalg.norm(weights)


@pytest.mark.parametrize("t", [3.0, 10.0, 60.0])
def test_simulation_follows_the_law(image, t, simulation):
    rates, weights = image
    values = simulation.simulate_potentials(rates, weights, [t], runs=RUNS, seed=2)[:, 0]
    # the sample is rounded to single precision, far below 1/√RUNS
    assert silent_probability(rates, weights, t) < 1e-3, "no ties at 0 to speak of"
    assert stats.kstest(values, lambda v: potential_cdf(v, rates, weights, t)).pvalue > 1e-3


def test_few_spikes_with_an_atom_at_zero(simulation):
    """0.8 spikes on average: the atom is a binomial proportion, the rest is tested given a spike."""
    rates, weights, t = np.array([0.5, 0.3]), np.array([1.0, 0.4]), 1.0
    values = simulation.simulate_potentials(rates, weights, [t], runs=RUNS, seed=6)[:, 0]
    silent = silent_probability(rates, weights, t)
    assert stats.binomtest(int((values == 0).sum()), RUNS, silent).pvalue > 1e-3
    given = stats.kstest(
        values[values > 0],
        lambda v: (potential_cdf(v, rates, weights, t) - silent) / (1 - silent),
    )
    assert given.pvalue > 1e-3
    assert potential_cdf(0.0, rates, weights, t) == pytest.approx(silent, abs=1e-6)


@pytest.mark.parametrize(("share", "tolerance"), [(1, 1e-4), (2, 1e-6), (5, 1e-9), (8, 1e-9)])
def test_one_input_in_closed_form(share, tolerance):
    """One input of weight 1, λτ = c: P(V ≤ v) = e^(−γc) vᶜ/Γ(c + 1) up to v = 1 (Dickman's law for c = 1).

    φ falls as k^(−c), so the series is worst for c = 1; images have c in the hundreds.
    """
    v = np.array([0.2, 0.7, 1.0])
    exact = np.exp(-np.euler_gamma * share) * v**share / special.gamma(share + 1)
    found = potential_cdf(v, [share / 10], [1.0], tau=10.0)
    np.testing.assert_allclose(found, exact, atol=tolerance)


def test_dickman_beyond_one():
    """The density is e^(−γ)(1 − ln v) on (1, 2)."""
    x, flat = 1.6, np.exp(-np.euler_gamma)
    beyond = flat * (1 + (x - 1) - (x * np.log(x) - x + 1))
    assert potential_cdf(x, [0.1], [1.0], tau=10.0) == pytest.approx(beyond, abs=1e-4)


@pytest.mark.parametrize("t", [1.0, 20.0, np.inf])
def test_cumulants(image, t):
    rates, weights = image
    mean, variance = (float(cumulant(n, rates, weights, t)) for n in (1, 2))
    v = np.linspace(0, mean + 14 * np.sqrt(variance), 2401)
    survival = 1 - potential_cdf(v, rates, weights, t)
    # E[V] = ∫ P(V > v), E[V²] = ∫ 2v P(V > v)
    assert np.trapezoid(survival, v) == pytest.approx(mean, abs=1e-3)
    second = np.trapezoid(2 * v * survival, v)
    assert second - mean**2 == pytest.approx(variance, abs=1e-2)
    assert (np.diff(survival) <= 1e-7).all()


@pytest.mark.parametrize("t", [1.0, 20.0, np.inf])
def test_density_is_the_slope(image, t):
    """A central difference. After one time unit the density jumps where one spike's share ends."""
    rates, weights = image
    mean, variance = (float(cumulant(n, rates, weights, t)) for n in (1, 2))
    h = 1e-4
    v = np.linspace(0.01, mean + 5 * np.sqrt(variance), 211)
    jumps = np.concatenate([weights, weights * np.exp(-t / 15.0)])
    v = v[np.abs(v[:, None] - jumps).min(axis=1) > 2 * h]
    low, high = (potential_cdf(v + side, rates, weights, t) for side in (-h, h))
    density = potential_pdf(v, rates, weights, t)
    assert len(v) > 150
    np.testing.assert_allclose(density, (high - low) / (2 * h), atol=1e-3 * density.max())


def test_edges():
    assert potential_cdf([-1.0, 0.0, 1e9], [0.5], [1.0]).round(9).tolist() == [0, 0, 1]
    assert potential_cdf([-1.0, 0.0, 1.0], [0.5], [1.0], 0.0).tolist() == [0, 1, 1]
    assert potential_cdf([0.0, 1.0], [0.5], [0.0]).tolist() == [1, 1], "no weight: always at rest"
    assert potential_pdf([0.0, 1.0], [0.5], [0.0]).tolist() == [0, 0]
    assert potential_cdf(np.ones((2, 3)), [0.5], [1.0]).shape == (2, 3)
    with pytest.raises(ValueError, match="t=-1"):
        potential_cdf(1.0, [0.5], [1.0], -1)
    with pytest.raises(ValueError, match="one neuron"):
        potential_cdf(1.0, [[0.5]], [1.0])
