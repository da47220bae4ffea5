"""Sums of products in integers: never below the exact ones, close to them, and never too large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine.candidates.fixed_point import largest, most, n_pairs_of, pack, room_for_pairs
from lethenet.engine.compiling.kernels import kernel
from lethenet.engine.llvm.neuron_steps import PAIRS, TILE, bound_products
from lethenet.engine.llvm.vectors import address


def packed_of(active, values, n_features):
    pairs, packed = np.full((2, room_for_pairs(n_features)), -7, np.int32)
    count, step = pack(active, values, active.size, n_features, pairs, packed)
    return pairs[:count], packed[:count], step


def unpacked(pairs, packed, n_features):
    """The integers behind the inputs."""
    levels = np.zeros(2 * n_pairs_of(n_features), np.int64)
    np.add.at(levels, 2 * pairs, packed & 0xFFFF)
    np.add.at(levels, 2 * pairs + 1, packed >> 16)
    return levels


@kernel
def sums_of(tile, pairs, packed, steps, step, bounds):
    bound_products(
        address(tile),
        address(pairs),
        address(packed),
        pairs.size,
        address(steps),
        step,
        address(bounds),
    )


samples = st.tuples(st.integers(0, 10**6), st.integers(1, 70), st.sampled_from([1.0, 3.0, 20.0]))


@given(samples)
def test_packed_values_are_the_next_steps_above(sample):
    seed, n_features, power = sample
    rng = np.random.default_rng(seed)
    active = np.flatnonzero(rng.random(n_features) < 0.7).astype(np.int32)
    if active.size == 0:
        return
    values = rng.random(active.size) ** power + 1e-9
    pairs, packed, step = packed_of(active, values, n_features)
    levels = unpacked(pairs, packed, n_features)
    assert pairs.size % PAIRS == 0
    above = levels[active] * np.float64(step) - values
    assert (above >= 0).all()
    assert (above <= 1.00001 * step + 1e-5 * values).all()
    assert levels.sum() <= most(n_features)
    assert levels.max() < 2**15
    assert levels.sum() == levels[active].sum()


def test_nothing_packs_to_nothing():
    pairs, _, step = packed_of(np.arange(3, dtype=np.int32), np.zeros(3), 3)
    assert pairs.size == 0
    assert step == 0.0


@given(samples)
def test_products_are_those_of_whole_numbers(sample):
    seed, n_features, power = sample
    rng = np.random.default_rng(seed)
    active = np.arange(n_features, dtype=np.int32)
    pairs, packed, step = packed_of(active, rng.random(n_features) ** power + 1e-9, n_features)
    levels = unpacked(pairs, packed, n_features)
    tile = rng.integers(0, largest(n_features) + 1, (n_pairs_of(n_features), TILE, 2), np.int16)
    steps = rng.random(TILE).astype(np.float32)
    bounds = np.empty(TILE, np.float32)
    sums_of(tile, pairs, packed, steps, step, bounds)
    exact = np.einsum("pnk,pk->n", tile.astype(np.int64), levels.reshape(-1, 2))
    np.testing.assert_allclose(bounds, exact * steps.astype(float) * float(step), rtol=1e-6)


@pytest.mark.parametrize("n_features", [1, 2, 3, 784, 1024, 20_000, 92_650])
def test_no_sum_is_too_large_for_31_bits(n_features):
    """The largest tile entries throughout, and the values that make the largest sum or the largest one."""
    active = np.arange(n_features, dtype=np.int32)
    tile = np.full((n_pairs_of(n_features), TILE, 2), largest(n_features), np.int16)
    ones, bounds = np.ones(TILE, np.float32), np.empty(TILE, np.float32)
    for values in (np.ones(n_features), np.r_[1.0, np.full(n_features - 1, 1e-12)]):
        pairs, packed, _ = packed_of(active, values, n_features)
        sums_of(tile, pairs, packed, ones, np.float32(1.0), bounds)
        exact = largest(n_features) * int(unpacked(pairs, packed, n_features).sum())
        assert exact < 2**31
        np.testing.assert_allclose(bounds, exact, rtol=1e-6)
