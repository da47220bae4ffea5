"""exp and log that give the same bits everywhere.

Library versions of these two differ in the last bit between numpy, numba's scalar and vector code and
machines. These are made of additions, multiplications, one division and exact scalings by powers of
two only, each correctly rounded by IEEE 754, so every implementation of the network agrees on them.
Both are within one unit in the last place of the true value (tested), and free of branches, so
that LLVM turns a loop over them into vector code.

``exp_plain`` and ``log_plain`` are the same arithmetic for the plain reference: they split off the
power of two with :mod:`math` instead of bit masks, which is exact either way.

>>> exp_plain(1.0), log_plain(0.5)
(2.7182818284590455, -0.6931471805599453)
"""

from __future__ import annotations

import math

import numpy as np

from .bits import bits_of, double_of
from .compiling import kernel

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # 33 leading bits: k * LN2_HIGH is exact for |k| < 2**20
LN2_LOW = 1.90821492927058770002e-10
_SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_SQRT_HALF_BITS = np.int64(SQRT_HALF_BITS)

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


@kernel
def _exp_reduced(r: float) -> float:
    """Taylor series of exp on |r| <= ln(2)/2; its remainder is below 1e-17."""
    p = EXP_SERIES[0]
    p = p * r + EXP_SERIES[1]
    p = p * r + EXP_SERIES[2]
    p = p * r + EXP_SERIES[3]
    p = p * r + EXP_SERIES[4]
    p = p * r + EXP_SERIES[5]
    p = p * r + EXP_SERIES[6]
    p = p * r + EXP_SERIES[7]
    p = p * r + EXP_SERIES[8]
    p = p * r + EXP_SERIES[9]
    p = p * r + EXP_SERIES[10]
    p = p * r + EXP_SERIES[11]
    p = p * r + EXP_SERIES[12]
    return p * r + EXP_SERIES[13]


@kernel
def _log_reduced(z: float, k: float) -> float:
    """log(z * 2**k) for z in [sqrt(1/2), sqrt(2)), by the series of atanh as in fdlibm."""
    f = z - 1.0
    s = f / (2.0 + f)
    s2 = s * s
    p = LOG_SERIES[0]
    p = p * s2 + LOG_SERIES[1]
    p = p * s2 + LOG_SERIES[2]
    p = p * s2 + LOG_SERIES[3]
    p = p * s2 + LOG_SERIES[4]
    p = p * s2 + LOG_SERIES[5]
    p = p * s2 + LOG_SERIES[6]
    tail = p * s2
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + tail) + k * LN2_LOW)) - f)


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


def exp_plain(x: float) -> float:
    """:func:`exp` in plain Python, the same bits."""
    k = math.floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    return math.ldexp(_exp_reduced.py_func(r), k)  # type: ignore[attr-defined]


def log_plain(x: float) -> float:
    """:func:`log` in plain Python, the same bits."""
    z, k = math.frexp(x)  # z in [1/2, 1)
    if z < _SQRT_HALF:
        z, k = 2.0 * z, k - 1
    return _log_reduced.py_func(z, float(k))  # type: ignore[attr-defined,no-any-return]
