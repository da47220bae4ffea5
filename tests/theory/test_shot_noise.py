"""Moments and transforms of the potential, against the kernels' event simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from lethenet.theory import (
    characteristic_function,
    coefficient_of_variation,
    cumulant,
    laplace_transform,
    log_laplace_transform,
    mean_potential,
    variance_of_potential,
)

RUNS = 4000
TIMES = [1.0, 10.0, 40.0, 200.0]
LEVEL = 1e-3  # two-sided; seeds are fixed, so a test passes always or never


@pytest.fixture(scope="module")
def case(simulation):
    rng = np.random.default_rng(5)
    rates, weights = rng.random(12), rng.random(12)
    weights[3] = rates[7] = 0.0
    values = simulation.simulate_potentials(rates, weights, TIMES, runs=RUNS, seed=1)
    return rates, weights, values


def test_mean(case):
    """The sample mean is normal with standard error √(Var/n)."""
    rates, weights, values = case
    error = np.sqrt(variance_of_potential(rates, weights, TIMES) / RUNS)
    z = (values.mean(axis=0) - mean_potential(rates, weights, TIMES)) / error
    assert (2 * stats.norm.sf(np.abs(z)) > LEVEL).all(), z


def test_variance(case):
    """Var(s²) = (κ₄ + 2κ₂²)/n up to 1/n²: the tolerance is made of cumulants, not of the sample."""
    rates, weights, values = case
    expected = variance_of_potential(rates, weights, TIMES)
    error = np.sqrt((cumulant(4, rates, weights, TIMES) + 2 * expected**2) / RUNS)
    z = (values.var(axis=0, ddof=1) - expected) / error
    assert (2 * stats.norm.sf(np.abs(z)) > LEVEL).all(), z


def test_the_printed_exponent_is_a_misprint(case):
    """(1 − e^(−2tτ)) is 1 from the first moment on; after one time unit the sample says otherwise."""
    rates, weights, values = case
    printed = float(variance_of_potential(rates, weights)) * -np.expm1(-2 * 1.0 * 15.0)
    expected = float(variance_of_potential(rates, weights, 1.0))
    error = np.sqrt((cumulant(4, rates, weights, 1.0) + 2 * expected**2) / RUNS)
    assert abs(values[:, 0].var(ddof=1) - printed) > 20 * error


@pytest.mark.parametrize("place", range(len(TIMES)))
def test_laplace_transform(case, place):
    """The sample mean of e^(−θV) has variance (L(2θ) − L(θ)²)/n."""
    rates, weights, values = case
    theta, t = np.array([0.05, 0.3, 1.0]), TIMES[place]
    once, twice = (laplace_transform(f * theta, rates, weights, t) for f in (1, 2))
    sample = np.exp(-np.multiply.outer(values[:, place], theta)).mean(axis=0)
    z = (sample - once) / np.sqrt((twice - once**2) / RUNS)
    assert (2 * stats.norm.sf(np.abs(z)) > LEVEL).all(), z


@pytest.mark.parametrize("t", [0.7, 30.0, np.inf])
@pytest.mark.parametrize("theta", [-3.0, -0.2, 0.0, 0.5, 40.0])
def test_transform_is_the_papers_integral(theta, t):
    rates, weights, tau = np.array([0.7, 0.2]), np.array([0.4, 1.3]), 15.0
    g = sum(
        rate
        * integrate.quad(
            lambda s, w=w: np.expm1(-theta * w * np.exp(-s / tau)), 0, min(t, 600.0), limit=200
        )[0]
        for rate, w in zip(rates, weights, strict=True)
    )
    assert log_laplace_transform(theta, rates, weights, t, tau=tau) == pytest.approx(g, abs=1e-8)


def test_characteristic_function_continues_the_transform():
    """φ(k) for real k against its own integral, and conjugate symmetry."""
    rates, weights, t, tau = np.array([0.7, 0.2]), np.array([0.4, 1.3]), 25.0, 15.0
    k = np.array([-2.0, -0.1, 0.0, 0.1, 2.0, 30.0])
    s = np.linspace(0, t, 200_001)
    decay = np.exp(-s / tau)
    exponent = [
        integrate.simpson(
            (rates[:, None] * np.expm1(1j * x * weights[:, None] * decay)).sum(axis=0), x=s
        )
        for x in k
    ]
    phi = characteristic_function(k, rates, weights, t, tau=tau)
    np.testing.assert_allclose(phi, np.exp(exponent), atol=1e-10)
    np.testing.assert_allclose(phi[0], np.conj(phi[4]), atol=1e-14)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_cumulants_are_derivatives_of_the_transform(order):
    rates, weights, h = [0.7, 0.2], [0.4, 1.3], 0.02
    theta = h * np.arange(-4, 5)
    g = log_laplace_transform(theta, rates, weights, 20.0)
    polynomial = np.polynomial.Polynomial.fit(
        theta, g, 8, domain=[-4 * h, 4 * h], window=[-4 * h, 4 * h]
    )
    derivative = polynomial.deriv(order)(0.0) * (-1) ** order
    assert cumulant(order, rates, weights, 20.0) == pytest.approx(derivative, rel=1e-6)


def test_relative_noise_falls_as_one_over_root_tau(simulation):
    rng = np.random.default_rng(0)
    rates, weights = rng.random(9), rng.random(9)
    taus = np.array([5.0, 15.0, 60.0])
    theory = np.array([coefficient_of_variation(rates, weights, tau=tau) for tau in taus])
    np.testing.assert_allclose(theory * np.sqrt(taus), theory[0] * np.sqrt(taus[0]), rtol=1e-12)
    for tau, expected in zip(taus, theory, strict=True):
        v = simulation.simulate_potentials(rates, weights, [15 * tau], runs=RUNS, seed=3, tau=tau)
        # relative error of s/mean: (κ₄/4κ₂² + 1/2 + cv² − κ₃/κ₂κ₁)/n by the delta method
        k1, k2, k3, k4 = (float(cumulant(n, rates, weights, tau=tau)) for n in (1, 2, 3, 4))
        error = np.sqrt((k4 / (4 * k2**2) + 0.5 + k2 / k1**2 - k3 / (k2 * k1)) / RUNS)
        z = (v.std(ddof=1) / v.mean() / expected - 1) / error
        assert 2 * stats.norm.sf(abs(z)) > LEVEL


def test_arrays_broadcast():
    weights = np.random.default_rng(1).random((4, 1, 3))
    t = np.array([1.0, 5.0])
    whole = mean_potential([0.1, 0.2, 0.3], weights, t)
    assert whole.shape == (4, 2)
    assert whole[2, 1] == mean_potential([0.1, 0.2, 0.3], weights[2, 0], 5.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1.0, 2.0]), "same number"),
        ((1.0, [1.0]), r"use \[1.0\]"),
        (([1.0], [-1.0]), "weights: expected finite numbers of 0 or more"),
        (([np.nan], [1.0]), "rates: expected finite"),
    ],
)
def test_wrong_inputs(arguments, message):
    with pytest.raises(ValueError, match=message):
        mean_potential(*arguments)


def test_wrong_constants():
    with pytest.raises(ValueError, match="tau=0"):
        mean_potential([1.0], [1.0], tau=0)
    with pytest.raises(ValueError, match="order=0"):
        cumulant(0, [1.0], [1.0])
