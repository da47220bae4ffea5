"""exp and log: accurate to the last place, and the same bits in both implementations."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine import numbers as elementary
from lethenet.model import numbers as plain


@numba.njit
def _exp_all(x, out):
    for k in range(x.size):
        out[k] = elementary.exp(x[k])


@numba.njit
def _log_all(x, out):
    for k in range(x.size):
        out[k] = elementary.log(x[k])


CASES = {
    "exp": (
        _exp_all,
        np.exp,
        plain.exp,
        np.random.default_rng(0).uniform(-80, 80, 20_000),
    ),
    "log": (
        _log_all,
        np.log,
        plain.log,
        np.random.default_rng(1).uniform(1e-9, 3, 20_000),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_within_one_unit_in_the_last_place(name):
    compiled, truth, _, x = CASES[name]
    out = np.empty_like(x)
    compiled(x, out)
    exact = truth(x.astype(np.longdouble))
    error = np.abs(out - exact) / np.spacing(np.abs(exact.astype(float)))
    assert error.max() < 1.0


@pytest.mark.parametrize("name", CASES)
def test_vector_code_and_plain_python_agree_bit_for_bit(name):
    compiled, _, plain, x = CASES[name]
    out = np.empty_like(x)
    compiled(x, out)
    assert [plain(value) for value in x.tolist()] == out.tolist()


@given(st.floats(-700, 700))
def test_exp_scalar_agrees(x):
    assert elementary.exp(x) == plain.exp(x)


@given(st.floats(1e-300, 1e300))
def test_log_scalar_agrees(x):
    assert elementary.log(x) == plain.log(x)


def test_edges():
    assert elementary.exp(0.0) == 1.0
    assert elementary.log(1.0) == 0.0
    assert elementary.log(2.0**-52) == pytest.approx(-52 * np.log(2), rel=1e-15)
