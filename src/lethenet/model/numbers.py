"""exp, log and random numbers that give the same bits everywhere, in plain Python.

Library versions of exp and log differ in the last bit between numpy, numba's scalar and vector code and
machines. These are made of additions, multiplications, one division and exact scalings by powers of
two only, each correctly rounded by IEEE 754, so every implementation of the network agrees on them.
Both are within one unit in the last place of the true value (tested).

Random numbers depend on what they are for, not on what was drawn before. Philox-4x32-10 (Salmon et al.
2011, "Parallel random numbers: as easy as 1, 2, 3") turns a key and a counter into 128 random bits. The
key is the seed; the counter is (index, number, use):

* use: learning, recognition, initial weights, random targets,
* number: the presentation's number while learning, a hash of the sample while recognising,
* index: which draw, e.g. the k-th input spike of the presentation.

So learning resumes bit for bit from the number of presentations alone, a recognition depends on
nothing but the seed and the sample, and draws can be made in any order or in vector registers.
``lethenet.engine.numbers`` has the same, compiled.

>>> exp(1.0), log(0.5)
(2.7182818284590455, -0.6931471805599453)
>>> hex(two_words(seed=0, number=0, use=0, index=0)[0])
'0x6627e8d5e169c58d'
"""

from __future__ import annotations

import math

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # 33 leading bits: k * LN2_HIGH is exact for |k| < 2**20
LN2_LOW = 1.90821492927058770002e-10
SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD

# Coefficients for Horner's scheme, the highest power first
EXP_SERIES = tuple(1.0 / math.factorial(n) for n in range(13, -1, -1))
LOG_SERIES = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)

LEARNING, RECOGNITION, INITIAL_WEIGHTS, RANDOM_TARGET = range(4)
"""What random numbers are for."""

PHILOX_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL_CONSTANTS = 0x9E3779B9, 0xBB67AE85
HASH_FOLD = 0xD2E7470EE14C6C93
HASH_STEP = 0x9E3779B97F4A7C15


def exp_reduced(r: float) -> float:
    """Taylor series of exp on |r| <= ln(2)/2; its remainder is below 1e-17."""
    p = EXP_SERIES[0]
    for coefficient in EXP_SERIES[1:]:
        p = p * r + coefficient
    return p


def log_reduced(z: float, k: float) -> float:
    """log(z * 2**k) for z in [sqrt(1/2), sqrt(2)), by the series of atanh as in fdlibm."""
    f = z - 1.0
    s = f / (2.0 + f)
    s2 = s * s
    p = LOG_SERIES[0]
    for coefficient in LOG_SERIES[1:]:
        p = p * s2 + coefficient
    tail = p * s2
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + tail) + k * LN2_LOW)) - f)


def exp(x: float) -> float:
    """e**x for |x| <= 700."""
    k = math.floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    return math.ldexp(exp_reduced(r), k)


def log(x: float) -> float:
    """ln(x) for a positive, normal x."""
    z, k = math.frexp(x)  # z in [1/2, 1)
    if z < SQRT_HALF:
        z, k = 2.0 * z, k - 1
    return log_reduced(z, float(k))


def two_words(*, seed: int, number: int, use: int, index: int) -> tuple[int, int]:
    """The two 64-bit words at this place of the seed's stream."""
    low = 0xFFFFFFFF
    k0, k1 = seed & low, seed >> 32
    x0, x1, x2, x3 = index & low, number & low, number >> 32, use
    for _ in range(10):
        p0, p1 = PHILOX_MULTIPLIERS[0] * x0, PHILOX_MULTIPLIERS[1] * x2
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ k0, p1 & low, (p0 >> 32) ^ x3 ^ k1, p0 & low
        k0, k1 = (k0 + WEYL_CONSTANTS[0]) & low, (k1 + WEYL_CONSTANTS[1]) & low
    return (x0 << 32) | x1, (x2 << 32) | x3


def content_hash(active: list[int], rates: list[float]) -> int:
    """A 64-bit hash of a rate vector: which inputs are active and how strongly.

    Multiply-and-fold over the inputs in order (as wyhash does), in integers only.
    """
    mask = (1 << 64) - 1
    state = HASH_STEP
    for k, (index, rate) in enumerate(zip(active, rates, strict=True)):
        word = int(rate * 9223372036854775808.0) ^ (index * HASH_STEP & mask)
        product = (state ^ word) * HASH_FOLD
        state = ((product >> 64) ^ (product & mask)) + k & mask
    return state
