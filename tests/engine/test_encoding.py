"""Input trains are Poisson with the right rates: tests that fail one time in a thousand by chance.

All random numbers are keyed, so a test that passes once passes always.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from lethenet.engine import encoding
from lethenet.engine.numbers import LEARNING
from lethenet.model import reference

SIGNIFICANCE = 1e-3


def encode(sample):
    active = np.empty(sample.size, np.int32)
    rates = np.empty(sample.size)
    n, total = encoding.encode(sample, active, rates)
    return active[:n], rates[:n], total


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1e150)))
def test_encoding_normalises_and_agrees(sample):
    active, rates, total = encode(sample)
    assert (active.tolist(), rates.tolist(), total) == reference.encode(sample)
    if sample.any():
        assert np.sqrt(np.sum(rates**2)) == pytest.approx(1.0)
        assert active.tolist() == np.flatnonzero(sample).tolist()


def test_only_the_direction_counts():
    sample = np.random.default_rng(0).random(50)
    assert encode(sample)[1].tolist() == encode(sample * 2.0**20)[1].tolist()
    np.testing.assert_allclose(encode(sample)[1], encode(sample * 1e200)[1], rtol=1e-15)


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(1e-6, 1e6)))
def test_alias_table_holds_the_rates_exactly(rates):
    n, total = len(rates), reference.in_order(rates.tolist())
    cutoff, choice = np.empty(n, np.uint64), np.empty(2 * n, np.int32)
    encoding.build_alias_table(rates, n, total, cutoff, choice)
    plain_cutoff, plain_alias = reference.alias_table(rates.tolist(), total)
    assert [int(c) for c in cutoff] == plain_cutoff
    assert choice[1::2].tolist() == plain_alias
    shares = np.zeros(n)
    for slot in range(n):
        below = int(cutoff[slot]) / 2**64
        shares[choice[2 * slot]] += below / n
        shares[choice[2 * slot + 1]] += (1 - below) / n
    np.testing.assert_allclose(shares, rates / total, atol=1e-12)


@pytest.fixture(scope="module")
def train():
    """20,000 spikes of a sample with uneven rates."""
    sample = np.random.default_rng(1).random(12) ** 2
    active, rates, total = reference.encode(sample)
    source = reference.input_spikes(active, rates, total, seed=3, number=4, use=int(LEARNING))
    drawn = [next(source) for _ in range(20_000)]
    return np.array(rates), np.array([i for i, _ in drawn]), np.array([t for _, t in drawn])


def test_intervals_are_exponential(train):
    assert stats.kstest(train[2], "expon").pvalue > SIGNIFICANCE


def test_intervals_are_independent(train):
    uniform = np.exp(-train[2])
    assert stats.pearsonr(uniform[1:], uniform[:-1]).pvalue > SIGNIFICANCE


def test_inputs_come_with_their_rates(train):
    rates, inputs, _ = train
    expected = rates / rates.sum() * len(inputs)
    assert stats.chisquare(np.bincount(inputs), expected).pvalue > SIGNIFICANCE


def test_counts_in_a_window_are_poisson(train):
    rates, inputs, intervals = train
    times = np.cumsum(intervals) / rates.sum()
    window = 2.0
    n_windows = int(times[-1] / window)
    busiest = int(np.argmax(rates))
    in_window = (times[inputs == busiest] / window).astype(int)
    counts = np.bincount(in_window[in_window < n_windows], minlength=n_windows)
    mean = rates[busiest] * window
    expected = stats.poisson.pmf(np.arange(5), mean) * n_windows
    observed = np.bincount(np.minimum(counts, 5), minlength=6)
    table = np.append(expected, n_windows - expected.sum())
    assert stats.chisquare(observed, table).pvalue > SIGNIFICANCE


def test_inputs_do_not_depend_on_intervals(train):
    _, inputs, intervals = train
    groups = [intervals[inputs == i] for i in np.unique(inputs)]
    assert stats.kruskal(*groups).pvalue > SIGNIFICANCE
