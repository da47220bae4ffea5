"""exp, log and random words: right, and the same bits in kernels and in plain Python."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine import numbers
from lethenet.model import numbers as plain_numbers

words = st.integers(0, 2**64 - 1)


@numba.njit
def _exp_all(x, out):
    for k in range(x.size):
        out[k] = numbers.exp(x[k])


@numba.njit
def _log_all(x, out):
    for k in range(x.size):
        out[k] = numbers.log(x[k])


CASES = {
    "exp": (
        _exp_all,
        np.exp,
        plain_numbers.exp,
        np.random.default_rng(0).uniform(-80, 80, 20_000),
    ),
    "log": (
        _log_all,
        np.log,
        plain_numbers.log,
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
    assert numbers.exp(x) == plain_numbers.exp(x)


@given(st.floats(1e-300, 1e300))
def test_log_scalar_agrees(x):
    assert numbers.log(x) == plain_numbers.log(x)


def test_edges():
    assert numbers.exp(0.0) == 1.0
    assert numbers.log(1.0) == 0.0
    assert numbers.log(2.0**-52) == pytest.approx(-52 * np.log(2), rel=1e-15)


@numba.njit
def _fill(seed, number, use, first, a, b):
    numbers.fill_words(seed, number, use, first, a, b)


# Philox: the published numbers, and no two streams alike


def test_known_answers():
    # Random123's kat_vectors for philox4x32-10: all zeros, and all ones
    assert plain_numbers.two_words(seed=0, number=0, use=0, index=0) == (
        0x6627E8D5E169C58D,
        0xBC57AC4C9B00DBD8,
    )
    ones = 2**64 - 1
    assert plain_numbers.two_words(seed=ones, number=ones, use=2**32 - 1, index=2**32 - 1) == (
        0x408F276D41C83B0E,
        0xA20BC7C66D5451FD,
    )


@given(words, words, st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_kernel_agrees_with_plain(seed, number, use, index):
    kernel = numbers.two_words(*(np.uint64(x) for x in (seed, number, use, index)))
    plain = plain_numbers.two_words(seed=seed, number=number, use=use, index=index)
    assert tuple(int(w) for w in kernel) == plain


def test_a_block_is_the_words_one_by_one():
    first, second = np.empty((2, 37), np.uint64)
    _fill(np.uint64(5), np.uint64(2**40 + 3), np.uint64(1), 100, first, second)
    for k in range(37):
        plain = plain_numbers.two_words(seed=5, number=2**40 + 3, use=1, index=100 + k)
        assert (int(first[k]), int(second[k])) == plain


def test_bits_are_fair_and_streams_differ():
    n = 20_000
    streams = []
    for number in range(2):
        a, b = np.empty((2, n), np.uint64)
        _fill(np.uint64(1), np.uint64(number), np.uint64(0), 0, a, b)
        streams.append(a)
        for stream in (a, b):
            bits = np.unpackbits(stream.view(np.uint8).reshape(n, 8), axis=1)
            # each of the 64 bits: binomial(n, ½), five standard deviations
            assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(n)
    equal_bits = np.unpackbits((~(streams[0] ^ streams[1])).view(np.uint8)).mean()
    assert abs(equal_bits - 0.5) < 5 * 0.5 / np.sqrt(64 * n)


@given(st.lists(st.tuples(st.integers(0, 10_000), st.floats(0, 1)), min_size=1, max_size=30))
def test_content_hash_agrees_and_tells_contents_apart(pairs):
    active = np.array([a for a, _ in pairs], np.int32)
    rates = np.array([r for _, r in pairs])
    value = int(numbers.content_hash(active, rates, len(active)))
    assert value == plain_numbers.content_hash(active.tolist(), rates.tolist())
    assert value != int(numbers.content_hash(active + np.int32(1), rates, len(active)))
    assert value != int(numbers.content_hash(active, rates, len(active) - 1))
