"""Random numbers that depend on what they are for, not on what was drawn before.

Philox-4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3") turns a key and a
counter into 128 random bits. The key is the seed; the counter is (index, number, use):

* use: learning, recognition, initial weights, random targets,
* number: the presentation's number while learning, a hash of the sample while recognising,
* index: which draw, e.g. the k-th input spike of the presentation.

So learning resumes bit for bit from the number of presentations alone, a recognition depends on
nothing but the seed and the sample, and draws can be made in any order or in vector registers.

>>> hex(two_words_plain(seed=0, number=0, use=0, index=0)[0])
'0x6627e8d5e169c58d'
"""

from __future__ import annotations

import numpy as np

from .bits import high_product, stay_out_of_line
from .compiling import kernel

LEARNING = np.uint64(0)
RECOGNITION = np.uint64(1)
INITIAL_WEIGHTS = np.uint64(2)
RANDOM_TARGET = np.uint64(3)

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
_FOLD = np.uint64(0xD2E7470EE14C6C93)
_STEP = np.uint64(0x9E3779B97F4A7C15)


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


def two_words_plain(*, seed: int, number: int, use: int, index: int) -> tuple[int, int]:
    """:func:`two_words` in plain Python integers."""
    low = 0xFFFFFFFF
    k0, k1 = seed & low, seed >> 32
    x0, x1, x2, x3 = index & low, number & low, number >> 32, use
    for _ in range(10):
        p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ k0, p1 & low, (p0 >> 32) ^ x3 ^ k1, p0 & low
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return (x0 << 32) | x1, (x2 << 32) | x3


@kernel
def content_hash(active: np.ndarray, rates: np.ndarray, n_active: int) -> np.uint64:
    """A 64-bit hash of a rate vector: which inputs are active and how strongly.

    Multiply-and-fold over the inputs in order (as wyhash does), in integers only.
    """
    state = _STEP
    for k in range(n_active):
        # a rate is at most 1: times 2**63 it fits, and nothing of a rate above 2**-10 is cut off
        word = np.uint64(rates[k] * 9223372036854775808.0) ^ (np.uint64(active[k]) * _STEP)
        mixed = state ^ word
        state = (high_product(mixed, _FOLD) ^ (mixed * _FOLD)) + np.uint64(k)
    return state


def content_hash_plain(active: list[int], rates: list[float]) -> int:
    """:func:`content_hash` in plain Python integers."""
    mask = (1 << 64) - 1
    state = int(_STEP)
    for k, (index, rate) in enumerate(zip(active, rates, strict=True)):
        word = int(rate * 9223372036854775808.0) ^ (index * int(_STEP) & mask)
        product = (state ^ word) * int(_FOLD)
        state = ((product >> 64) ^ (product & mask)) + k & mask
    return state
