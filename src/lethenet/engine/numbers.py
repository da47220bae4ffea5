"""exp, log and random numbers, compiled: the same bits as :mod:`lethenet.model.numbers`.

exp and log are free of branches, so that LLVM turns a loop over them into vector code.
"""

from __future__ import annotations

import numpy as np

from ..model import numbers
from ..model.numbers import LN2_HIGH, LN2_LOW, LOG2_E
from .compiling.kernels import kernel
from .llvm.llvm_bits import bits_of, double_of, high_product, stay_out_of_line

_SQRT_HALF_BITS = np.int64(numbers.SQRT_HALF_BITS)

LEARNING = np.uint64(numbers.LEARNING)
RECOGNITION = np.uint64(numbers.RECOGNITION)
RANDOM_TARGET = np.uint64(numbers.RANDOM_TARGET)

_MULTIPLIER_0, _MULTIPLIER_1 = (np.uint64(factor) for factor in numbers.PHILOX_MULTIPLIERS)
_WEYL_0, _WEYL_1 = (np.uint64(summand) for summand in numbers.WEYL_CONSTANTS)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
_FOLD = np.uint64(numbers.HASH_FOLD)
_STEP = np.uint64(numbers.HASH_STEP)

_exp_reduced = kernel(numbers.exp_reduced)
_log_reduced = kernel(numbers.log_reduced)


@kernel
def exp(x: float) -> float:
    """e**x for |x| <= 700."""
    k = np.floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    power = double_of((np.int64(np.int32(k)) + np.int64(1023)) << np.int64(52))
    return _exp_reduced(r) * float(power)


@kernel
def log(x: float) -> float:
    """ln(x) for a positive, normal x."""
    bits = bits_of(x)
    k = (bits - _SQRT_HALF_BITS) >> np.int64(52)
    z = double_of(bits - (k << np.int64(52)))
    return _log_reduced(z, np.float64(np.int32(k)))


@kernel
def _round(
    x0: np.uint64, x1: np.uint64, x2: np.uint64, x3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    # Only lower halves count; the upper ones are left as they come, which saves cutting them off.
    p0, p1 = _MULTIPLIER_0 * (x0 & LOW), _MULTIPLIER_1 * (x2 & LOW)
    return (p1 >> HALF) ^ x1 ^ k0, p1, (p0 >> HALF) ^ x3 ^ k1, p0


@kernel
def round_keys(seed: np.uint64) -> tuple[np.uint64, ...]:
    """The keys of the ten rounds, two each: multiples of Weyl's constants added to the seed."""
    a, b = seed & LOW, seed >> HALF
    return (
        a + np.uint64(0) * _WEYL_0 & LOW,
        b + np.uint64(0) * _WEYL_1 & LOW,
        a + np.uint64(1) * _WEYL_0 & LOW,
        b + np.uint64(1) * _WEYL_1 & LOW,
        a + np.uint64(2) * _WEYL_0 & LOW,
        b + np.uint64(2) * _WEYL_1 & LOW,
        a + np.uint64(3) * _WEYL_0 & LOW,
        b + np.uint64(3) * _WEYL_1 & LOW,
        a + np.uint64(4) * _WEYL_0 & LOW,
        b + np.uint64(4) * _WEYL_1 & LOW,
        a + np.uint64(5) * _WEYL_0 & LOW,
        b + np.uint64(5) * _WEYL_1 & LOW,
        a + np.uint64(6) * _WEYL_0 & LOW,
        b + np.uint64(6) * _WEYL_1 & LOW,
        a + np.uint64(7) * _WEYL_0 & LOW,
        b + np.uint64(7) * _WEYL_1 & LOW,
        a + np.uint64(8) * _WEYL_0 & LOW,
        b + np.uint64(8) * _WEYL_1 & LOW,
        a + np.uint64(9) * _WEYL_0 & LOW,
        b + np.uint64(9) * _WEYL_1 & LOW,
    )


@kernel
def philox(
    x0: np.uint64, x1: np.uint64, x2: np.uint64, x3: np.uint64, keys: tuple[np.uint64, ...]
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Ten rounds of Philox-4x32 on four 32-bit lanes, each the lower half of a 64-bit variable.

    Written out, with the keys made beforehand, because LLVM turns the loop in :func:`fill_words` into
    vector code (3 ns a call instead of 16) only if neither a loop nor the keys are inside it.
    """
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[0], keys[1])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[2], keys[3])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[4], keys[5])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[6], keys[7])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[8], keys[9])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[10], keys[11])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[12], keys[13])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[14], keys[15])
    x0, x1, x2, x3 = _round(x0, x1, x2, x3, keys[16], keys[17])
    return _round(x0, x1, x2, x3, keys[18], keys[19])


@kernel
def two_words(
    seed: np.uint64, number: np.uint64, use: np.uint64, index: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """The two 64-bit words at this place of the seed's stream."""
    x0, x1, x2, x3 = philox(index & LOW, number & LOW, number >> HALF, use, round_keys(seed))
    return (x0 << HALF) | (x1 & LOW), (x2 << HALF) | (x3 & LOW)


@kernel
def fill_words(
    seed: np.uint64,
    number: np.uint64,
    use: np.uint64,
    first: int,
    first_words: np.ndarray,
    second_words: np.ndarray,
) -> None:
    """The words at indices ``first``, ``first + 1``, … of the stream, as many as the arrays hold."""
    stay_out_of_line()
    keys = round_keys(seed)
    number_0, number_1 = number & LOW, number >> HALF
    for k in range(first_words.size):
        x0, x1, x2, x3 = philox(np.uint64(first + k) & LOW, number_0, number_1, use, keys)
        first_words[k] = (x0 << HALF) | (x1 & LOW)
        second_words[k] = (x2 << HALF) | (x3 & LOW)


@kernel
def content_hash(active: np.ndarray, rates: np.ndarray, n_active: int) -> np.uint64:
    """A 64-bit hash of a rate vector, see :func:`lethenet.model.numbers.content_hash`."""
    state = _STEP
    for k in range(n_active):
        # a rate is at most 1: times 2**63 it fits, and nothing of a rate above 2**-10 is cut off
        word = np.uint64(rates[k] * 9223372036854775808.0) ^ (np.uint64(active[k]) * _STEP)
        mixed = state ^ word
        state = (high_product(mixed, _FOLD) ^ (mixed * _FOLD)) + np.uint64(k)
    return state
