"""Credits of :mod:`lethenet.engine.candidates.spread` against densities by Fourier inversion."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import sici

from lethenet.engine.candidates import spread
from lethenet.engine.candidates.certificate import exponential_integral, make_certificate

TAU, THRESHOLD = 15.0, 13.75


def prototypes(seed, n_neurons, n_features):
    """Unit weights like those that are learned: positive, of very different sizes."""
    rng = np.random.default_rng(seed)
    weights = rng.random((n_neurons, n_features)) ** rng.uniform(0.3, 2.0)
    return (weights / np.linalg.norm(weights, axis=1, keepdims=True)).astype(np.float32)


def highest_density(weights, rates, theta):
    """Of the potential under the law tilted by e^(θV): its characteristic function, turned back.

    log φ(u) = τ Σ λ_i ∫ (e^(iuy) − 1) e^(θy)/y dy from 0 to w_i.
    """
    nodes, shares = np.polynomial.legendre.leggauss(40)
    y = 0.5 * weights[:, None] * (nodes + 1.0)
    measure = TAU * rates[:, None] * 0.5 * shares * np.exp(theta * y) * weights[:, None]
    step, n = 0.1, 1000
    u = step * np.arange(n)
    exponents = np.array([np.sum(measure * np.expm1(1j * v * y) / y) for v in u])
    values = np.exp(exponents)
    values[0] *= 0.5
    density = step / np.pi * np.fft.fft(values, 4 * n).real
    assert abs(values[-1]) < 1e-6  # nothing is cut off
    return density.max()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("gain", [1.0, 1.1**3])
def test_the_credit_is_less_than_what_the_density_leaves(seed, gain):
    n_features = 150
    weights = prototypes(seed, 3, n_features)
    theta = 11.0
    certificate = make_certificate(
        weights, threshold=THRESHOLD, tau_mem=TAU, theta=theta, gains=(gain,)
    )
    assert certificate.credits[0].max() > 1.0  # or there is nothing to see
    for j, mine in enumerate(weights.astype(float)):
        G = TAU * np.array([exponential_integral(theta * w) for w in mine])
        others = prototypes(seed + 100, 20, n_features).astype(float)
        # from inputs that are nothing like the neuron to its own weights: the first that is near enough
        for share in np.linspace(0.0, 1.0, 21):
            rates = share * mine + (1 - share) * others[j]
            rates *= gain / np.linalg.norm(rates)
            if rates @ G >= theta * THRESHOLD - spread.REACH:
                break
        found = math.log(theta * math.e / highest_density(mine, rates, theta))
        assert certificate.credits[0, j] <= found


@given(st.floats(0.0, 20.0))
def test_tilted_variance_is_its_definition(x):
    value, error = integrate.quad(lambda y: y * math.exp(y), 0, x)
    assert spread.tilted_variance(x) == pytest.approx(value, rel=1e-6, abs=10 * error)


@given(st.floats(3.0, 20.0), st.floats(0.2, 5.0), st.floats(0.0, 1.0))
def test_shortfalls_lie_above(theta, factor, weight):
    per_unit = 32
    nodes = math.ceil(theta * per_unit) + 2
    integrals = np.array([exponential_integral(k / per_unit) for k in range(nodes)])
    mu = factor * spread.best_mu(theta, 0.1)
    table = spread.shortfalls(integrals, per_unit, theta, TAU, mu)
    x = theta * weight
    short = TAU * (mu * exponential_integral(x) - spread.tilted_variance(x) / theta**2)
    assert table[int(x * per_unit)] * (1 + 1e-6) >= max(short, 0.0) ** 2


def test_constants_are_what_they_are_said_to_be():
    cut = spread._CUT
    assert np.euler_gamma + math.log(cut) - sici(cut)[1] >= spread._CIN
    z = np.linspace(1e-3, cut, 1000)
    assert ((1 - np.cos(z)) / z**2 >= spread._KAPPA * (1 - 1e-12)).all()


@pytest.mark.parametrize("top", [0.0, 1e-30, 1.0])
def test_no_credit_where_nothing_is_known(top):
    assert spread.credit(11.0, -1.0, top) == 0.0
    assert spread.credit(60.0, 1e-9, top) == 0.0
