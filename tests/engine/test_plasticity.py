"""The two STDP rules and normalisation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lethenet.engine.compiling.kernels import kernel, specialised
from lethenet.engine.plasticity import move_weights, normalise
from lethenet.model.rule import STATIC

move_weights_static = specialised(move_weights, "static", step=kernel(STATIC.step))

vectors = hnp.arrays(np.float32, st.integers(1, 50), elements=st.floats(0, 1, width=32))


def unit(values):
    return (values / np.linalg.norm(values)).astype(np.float32)


@given(vectors, st.floats(0, 1))
def test_oja_moves_towards_the_scaled_trace(weights, rate):
    trace = np.linspace(0, 100, weights.size)
    moved = weights.copy()
    move_weights(moved, trace, 1 / 200, rate, 0.0)
    expected = weights + np.float32(rate) * ((trace / 200).astype(np.float32) - weights)
    np.testing.assert_allclose(moved, expected, rtol=1e-5, atol=1e-6)
    assert (moved >= 0).all()


def test_a_full_rate_copies_the_trace():
    weights = unit(np.ones(10))
    trace = np.arange(10.0)
    move_weights(weights, trace, 0.5, 1.0, 0.0)
    np.testing.assert_allclose(weights, trace * 0.5, rtol=1e-6, atol=1e-7)


def test_oja_rests_on_its_target_and_the_static_offset_does_not():
    """Paper, figure oja (B): with the target equal to the weights, nothing should move."""
    target = unit(np.array([1.0, 2.0, 4.0]))
    trace = target.astype(float) * 200
    oja, static = target.copy(), target.copy()
    for _ in range(2000):
        move_weights(oja, trace, 1 / 200, 0.01, 0.0)
        normalise(oja)
        move_weights_static(static, trace, 1 / 200, 0.01, 1 / np.sqrt(3))
        normalise(static)
    np.testing.assert_allclose(oja, target, atol=1e-5)
    np.testing.assert_allclose(static, [0, 0, 1], atol=1e-5)  # binarised, as the paper says


def test_static_weights_are_capped_at_zero():
    weights = unit(np.ones(4))
    move_weights_static(weights, np.zeros(4), 1 / 200, 1.0, 0.9)
    assert weights.tolist() == [0, 0, 0, 0]
    normalise(weights)
    assert weights.tolist() == [0, 0, 0, 0], "a zero vector has no direction: it stays"


@given(vectors)
def test_normalise_gives_length_one(weights):
    if np.linalg.norm(weights) < 1e-15:
        return
    normalise(weights)
    assert np.linalg.norm(weights.astype(float)) == pytest.approx(1.0, abs=1e-6)
