"""Integration: eight at a time is one at a time, lazy decay is decay, and potentials follow theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lethenet.engine import membrane
from lethenet.engine.llvm.neuron_steps import GROUP
from lethenet.engine.llvm.vectors import WIDE
from lethenet.engine.numbers import LEARNING
from lethenet.model import reference
from lethenet.model.constants import constants_of
from lethenet.model.parameters import PAPER


def grown(seed, n_spikes, threshold, n_inputs):
    """Random input spikes: inputs, growth factors and thresholds."""
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, n_inputs, n_spikes).astype(np.int32)
    times = np.cumsum(rng.exponential(0.3, n_spikes + WIDE))
    growth, thresholds = np.empty((2, n_spikes + WIDE), np.float32)
    constants = constants_of(PAPER, n_inputs)._replace(threshold=threshold)
    membrane.grow(constants, times, 0, n_spikes, 0.0, growth, thresholds)
    return inputs, growth, thresholds


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3 * GROUP),
    st.integers(1, 60),
    st.floats(0.1, 30),
    st.integers(0, 2),
)
def test_many_at_a_time_change_nothing(seed, width, n_spikes, threshold, lead):
    rng = np.random.default_rng(seed)
    inputs, growth, thresholds = grown(seed, n_spikes, threshold, n_inputs=7)
    n_groups = -(-width // GROUP)
    columns = np.zeros((n_groups, 7, GROUP), np.float32)
    weights = rng.random((7, width), dtype=np.float32)
    weights[:, rng.random(width) < 0.2] = 1.0  # equals, of which the first neuron wins
    for c in range(width):
        columns[c // GROUP, :, c % GROUP] = weights[:, c]
    neurons = np.full(n_groups * GROUP, 10**6)
    neurons[:width] = rng.permutation(width)
    potentials = np.zeros((n_groups, 2, GROUP), np.float32)
    crossing, winner, highest = membrane.integrate(
        n_groups,
        neurons,
        columns,
        potentials,
        inputs,
        growth,
        thresholds,
        0,
        n_spikes,
        min(lead, n_groups - 1),
    )

    plain = np.zeros(width, np.float32)
    for k in range(n_spikes):
        plain = plain + weights[inputs[k]] * growth[k]
        if plain.max() >= thresholds[k]:
            best = np.flatnonzero(plain == plain.max())
            expected = best[np.argmin(neurons[best])]
            assert (crossing, winner, highest) == (k, expected, plain.max())
            break
    else:
        assert (crossing, winner) == (n_spikes, -1)
        assert potentials[:, 0].ravel()[:width].tobytes() == plain.tobytes()


def simulate_potentials(weights, sample, *, until, runs, tau):
    """Potentials at time ``until`` without any threshold, by explicit decay from spike to spike."""
    active, rates, total = reference.encode(sample)
    values = np.empty(runs)
    for run in range(runs):
        train = reference.input_spikes(active, rates, total, seed=9, number=run, use=int(LEARNING))
        v = time = 0.0
        while True:
            source, interval = next(train)
            step = interval / total
            if time + step > until:
                values[run] = v * np.exp(-(until - time) / tau)
                break
            v = v * np.exp(-step / tau) + weights[source]
            time += step
    return values


@pytest.mark.parametrize("until", [10.0, 60.0])
def test_mean_and_variance_follow_shot_noise(until):
    """E[V] = τ (w·λ)(1 − e^(−t/τ)), Var[V] = ½ τ (λ·w²)(1 − e^(−2t/τ)) (the paper prints −2tτ)."""
    rng = np.random.default_rng(2)
    sample, weights, tau, runs = rng.random(10), rng.random(10), 15.0, 1500
    rates = np.array(reference.encode(sample)[1])
    values = simulate_potentials(weights, sample, until=until, runs=runs, tau=tau)
    mean = tau * (weights @ rates) * (1 - np.exp(-until / tau))
    variance = 0.5 * tau * (rates @ weights**2) * (1 - np.exp(-2 * until / tau))
    z = (values.mean() - mean) / np.sqrt(variance / runs)
    assert 2 * stats.norm.sf(abs(z)) > 1e-3
    # (n − 1) s² / σ² is χ² up to the distribution's excess kurtosis, which is small here
    kurtosis = stats.kurtosis(values)
    spread = np.sqrt((2 / (runs - 1)) * (1 + kurtosis / 2))
    assert abs(values.var(ddof=1) / variance - 1) < 3.3 * spread


def test_lazy_decay_is_decay():
    """u e^(−t/τ) with u = Σ w e^(t_k/τ) is what step-by-step decay gives, up to rounding."""
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.exponential(0.1, 1500 + WIDE))
    inputs = rng.integers(0, 20, 1500).astype(np.int32)
    columns = rng.random((1, 20, GROUP), dtype=np.float32)
    growth, thresholds = np.empty((2, 1500 + WIDE), np.float32)
    constants = constants_of(PAPER, 20)._replace(threshold=1e6)
    membrane.grow(constants, times, 0, 1500, 0.0, growth, thresholds)
    potentials = np.zeros((1, 2, GROUP), np.float32)
    neurons = np.arange(GROUP)
    membrane.integrate(1, neurons, columns, potentials, inputs, growth, thresholds, 0, 1500, 0)
    v, last = np.zeros(GROUP), 0.0
    for time, source in zip(times[:1500], inputs, strict=True):
        v = v * np.exp(-(time - last) / 15.0) + columns[0, source]
        last = time
    np.testing.assert_allclose(potentials[0, 0] * np.exp(-last / 15.0), v, rtol=1e-5)


def test_replay_is_integration():
    rng = np.random.default_rng(4)
    weights = rng.random(9, dtype=np.float32)
    active = np.array([8, 2, 5], np.int32)
    inputs = rng.integers(0, 3, 50).astype(np.int32)
    growth = rng.random(50, dtype=np.float32)
    u = np.float32(0)
    for k in range(10, 50):
        u = u + weights[active[inputs[k]]] * growth[k]
    assert membrane.replay(weights, active, inputs, growth, 10, 50) == u
