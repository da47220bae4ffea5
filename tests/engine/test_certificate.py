"""The bound is a bound: its pieces against their definitions, and against simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from lethenet.engine.candidates.certificate import (
    bound_tile,
    choose_theta,
    exponential_integral,
    make_certificate,
    refresh_neuron,
)
from lethenet.engine.candidates.choosing import MISS_PER_PRESENTATION as MISS
from lethenet.engine.candidates.choosing import choose_candidates, windows
from lethenet.engine.candidates.fixed_point import pack, room_for_pairs
from lethenet.engine.candidates.push import integral_below
from lethenet.engine.candidates.spread import REACH
from lethenet.engine.llvm.neuron_steps import TILE
from lethenet.engine.numbers import LEARNING
from lethenet.model import PAPER, Network, initial_state, reference


@given(st.floats(0.0, 20.0))
def test_exponential_integral_is_its_definition(x):
    value, error = integrate.quad(lambda y: math.expm1(y) / y if y else 1.0, 0, x)
    assert exponential_integral(x) == pytest.approx(value, rel=1e-9, abs=10 * error + 1e-12)


@given(st.floats(0.0, 20.0))
def test_the_integral_from_below_is_below(x):
    assert integral_below(x) <= exponential_integral(x) * (1 + 1e-12)
    if x < 1.0:
        assert integral_below(x) == pytest.approx(exponential_integral(x), rel=1e-4)


def weights_and_rates(seed, n_neurons=80, n_features=30):
    rng = np.random.default_rng(seed)
    weights = rng.random((n_neurons, n_features)).astype(np.float32) ** 3
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    rates = rng.random(n_features)
    return weights, rates / np.linalg.norm(rates)


def bounds_of(certificate, rates, n_neurons):
    active = np.arange(rates.size, dtype=np.int32)
    pairs, packed = np.empty((2, room_for_pairs(rates.size)), np.int32)
    n_pairs, step = pack(active, rates, rates.size, rates.size, pairs, packed)
    bounds = np.empty(len(certificate.tiles) * TILE, np.float32)
    for t in range(len(certificate.tiles)):
        bound_tile(certificate, t, pairs, packed, n_pairs, step, bounds)
    return bounds[:n_neurons]


@given(st.integers(0, 1000), st.floats(1.0, 20.0))
def test_products_bound_the_exponent_from_above_and_tightly(seed, theta):
    weights, rates = weights_and_rates(seed)
    certificate = make_certificate(weights, threshold=13.5, tau_mem=15.0, theta=theta)
    exact = np.array(
        [
            15
            * sum(
                r * exponential_integral(theta * float(w)) for r, w in zip(rates, row, strict=True)
            )
            for row in weights[:5]
        ]
    )
    bounds = bounds_of(certificate, rates, len(weights))[:5]
    assert (bounds >= exact).all()
    np.testing.assert_allclose(bounds, exact, rtol=1e-2)


def test_a_refreshed_neuron_is_as_if_made_anew():
    weights, _ = weights_and_rates(1)
    certificate = make_certificate(weights, threshold=13.5, tau_mem=15.0, theta=9.0)
    weights[70] = weights[3]
    refresh_neuron(weights[70], 70, certificate)
    anew = make_certificate(weights, threshold=13.5, tau_mem=15.0, theta=9.0)
    assert (certificate.tiles == anew.tiles).all()
    assert (certificate.steps == anew.steps).all()
    assert (certificate.levels == anew.levels).all()
    assert (certificate.alarms == anew.alarms).all()


def test_tail_of_the_potential_lies_below_the_chernoff_bound():
    """Empirical P(V ≥ x) at several x and θ, against exp(λ·G − θ x)."""
    weights, rates = weights_and_rates(2, n_neurons=1, n_features=12)
    tau, runs, until = 15.0, 4000, 90.0
    active, plain_rates, total = reference.encode(rates)
    values = np.empty(runs)
    for run in range(runs):
        train = reference.input_spikes(
            active, plain_rates, total, seed=5, number=run, use=int(LEARNING)
        )
        v = time = 0.0
        while time <= until:
            source, interval = next(train)
            time += interval / total
            if time <= until:
                v += float(weights[0, source]) * math.exp((time - until) / tau)
        values[run] = v
    for theta in (0.5, 1.0, 2.0):
        exponent = bounds_of(
            make_certificate(weights, threshold=13.5, tau_mem=tau, theta=theta), rates, 1
        )[0]
        for x in np.quantile(values, [0.5, 0.9, 0.99, 0.999]):
            bound = math.exp(min(exponent - theta * x, 0.0))
            share = np.mean(values >= x)
            # the share may exceed its expectation by sampling error: four standard deviations
            assert share <= bound + 4 * math.sqrt(bound * (1 - bound) / runs) + 1e-12


@given(st.integers(0, 300), st.floats(1.0, 2.0))
def test_those_left_out_stay_within_the_budget(seed, gain):
    weights, rates = weights_and_rates(seed, n_neurons=200, n_features=100)
    theta = choose_theta(15.0, float((rates**3).sum()))
    certificate = make_certificate(
        weights, threshold=13.5, tau_mem=15.0, theta=theta, gains=(gain,)
    )
    bounds = bounds_of(certificate, rates, 200)
    chosen = np.empty(208, np.int64)
    duration = 1000.0
    n = choose_candidates(bounds, 200, certificate, gain, 1, duration, MISS, chosen)
    left_out = np.setdiff1d(np.arange(200), chosen[:n])
    assert (np.diff(chosen[:n]) > 0).all()
    exponents = gain * bounds[left_out].astype(float) - theta * 13.5
    credits = certificate.credits[0, left_out].astype(float)
    exponents = np.where(-exponents < REACH, np.maximum(exponents - credits, -REACH), exponents)
    assert np.exp(exponents).sum() * windows(certificate, duration) <= MISS


def test_windows_are_short_enough():
    """θ v_th (1 − e^(−h/τ)) ≤ 1 for h = τ/(θ v_th): a window costs at most one nat."""
    for theta in (0.5, 9.0, 60.0):
        for threshold in (1.0, 13.5, 100.0):
            steepness = theta * threshold
            assert steepness * -math.expm1(-1 / steepness) <= 1.0


def test_chance_of_firing_within_a_time_lies_below_the_bound():
    """Share of runs in which a neuron ever crosses a threshold, against the bound, for many thresholds."""
    weights, rates = weights_and_rates(4, n_neurons=1, n_features=12)
    tau, runs, until = 15.0, 600, 100.0
    active, plain_rates, total = reference.encode(rates)
    highest = np.empty(runs)
    for run in range(runs):
        train = reference.input_spikes(
            active, plain_rates, total, seed=6, number=run, use=int(LEARNING)
        )
        v = time = top = 0.0
        while True:
            source, interval = next(train)
            time += interval / total
            if time > until:
                break
            v = v * math.exp(-interval / total / tau) + float(weights[0, source])
            top = max(top, v)
        highest[run] = top
    for threshold in np.linspace(highest.min(), 2 * highest.max(), 12):
        for theta in (0.5, 1.0, 2.0, 4.0):
            certificate = make_certificate(weights, threshold=threshold, tau_mem=tau, theta=theta)
            exponent = float(bounds_of(certificate, rates, 1)[0]) - theta * threshold
            bound = min(windows(certificate, until) * math.exp(min(exponent, 0.0)), 1.0)
            share = np.mean(highest >= threshold)
            assert share <= bound + 4 * math.sqrt(bound * (1 - bound) / runs) + 1e-12


def test_a_whole_run_differs_with_probability_below_one_in_a_million():
    """Twenty epochs of MNIST, a hundred evaluations: 1.2 million learned, 7 million recognised."""
    presentations = 20 * 60_000 + 100 * 70_000
    assert presentations * 2 * MISS < 1e-6  # twice: the push has a bound of its own


@pytest.mark.parametrize("n_features", [20_000, 92_650])
def test_rounding_stays_within_the_slack(n_features):
    """Many equal inputs: rounding goes the same way in every addition, the worst case."""
    weights = np.full((1, n_features), 1 / math.sqrt(n_features), np.float32)
    rates = np.full(n_features, 1 / math.sqrt(n_features))
    theta = 60.0
    certificate = make_certificate(weights, threshold=13.5, tau_mem=15.0, theta=theta)
    exact = 15 * n_features * float(rates[0]) * exponential_integral(theta * float(weights[0, 0]))
    assert bounds_of(certificate, rates, 1)[0] + certificate.slack >= exact


def test_the_reference_sees_no_crossing_of_those_left_out():
    """Run the full simulation; nobody outside the candidates ever fires."""
    rng = np.random.default_rng(3)
    X = rng.random((60, 100)) ** 4
    network = Network(PAPER, initial_state(150, 100, 1))
    network.learn(X)
    full = Network(PAPER, network.state.copy(), candidates="all")
    a, b = network.recognise(X), full.recognise(X)
    assert (a.winners == b.winners).all()
    assert a.simulated.mean() < 150
