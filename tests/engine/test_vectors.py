"""Steps on whole vectors give the bits of the scalar code."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine.compiling.kernels import kernel
from lethenet.engine.encoding import unit_intervals
from lethenet.engine.llvm.vectors import WIDE, address, exp_wide
from lethenet.engine.numbers import exp, log


@kernel
def vector_exp(times, base, inverse_tau, factors):
    source, target = address(times), address(factors)
    for k in range(0, times.size, WIDE):
        exp_wide(source, k, base, inverse_tau, target)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 2.0), st.floats(-50, 50))
def test_exponentials(seed, inverse_tau, base):
    times = np.random.default_rng(seed).uniform(-150, 250, 4 * WIDE)
    factors = np.empty_like(times)
    vector_exp(times, base, inverse_tau, factors)
    assert factors.tolist() == [exp((t - base) * inverse_tau) for t in times]


@given(st.integers(0, 2**32 - 1))
def test_intervals(seed):
    words = np.random.default_rng(seed).integers(0, 2**64, 4 * WIDE, dtype=np.uint64)
    words[:4] = 0, 2**64 - 1, 2**63, 2**63 - 1
    intervals = np.full(words.size + 5, -1.0)
    unit_intervals(words, intervals, 5)
    uniform = 2.0 - (1.0 + (words >> np.uint64(12)).astype(float) * 2.0**-52)
    assert (intervals[:5] == -1).all()
    assert intervals[5:].tolist() == [-log(u) for u in uniform]
