"""How much less likely a crossing is than Chernoff's bound says, because potentials spread.

Chernoff's bound counts every potential above the threshold as if it stood right on it. Tilt the law of V by
e^(θV): spikes then come at rates λ e^(θy), y being what is left of them, and V has the variance
T = Σ λ_i q_i with q = τ ∫₀ʷ y e^(θy) dy. If its density is at most M, the probability to fire within
a time D is at most (docs/certificate.md)::

    (D θ v_th/τ + 1) · M/θ · exp(λ·G − θ v_th)

M/(θ e) times what :mod:`.certificate` says. A neuron's credit is −log of that factor, where it is positive.

M comes from the characteristic function: |φ(u)| ≤ exp(−κ u² T) up to u = CUT/w, w being the largest weight,
and it never rises much again. A grain of noise, added to V, sees to the rest; it can only let V cross
sooner.

T is different for each sample. But only neurons with λ·G ≥ θ v_th − REACH matter, rates have length 1 times
the gain, and so for every μ > 0::

    T ≥ μ λ·G − Σ λ_i (μ G_i − q_i)₊ ≥ μ (θ v_th − REACH) − gain · |(μ G − q)₊|
"""

from __future__ import annotations

import math

import numpy as np

from ..compiling.kernels import kernel

REACH = 52.0
"""Nats below the threshold: neurons further away have no credit."""

_CUT = 2.5
_CIN = 1.2076  # ∫ (1 − cos z)/z dz from 0 to CUT, from below
_GRAIN = 0.2  # of noise, times θ: the sum of two that are uniform between 0 and half of it
_KAPPA = (1.0 - math.cos(_CUT)) / _CUT**2
_NOISE = 2.0 * math.log(math.expm1(0.5 * _GRAIN) / (0.5 * _GRAIN))  # log E e^(θ noise)
_ROUNDING = 1e-3  # in nats, more than rounding takes from all of this


def tilted_variance(x: float) -> float:
    """∫₀ˣ y e^y dy, which is θ² q/τ for a weight of x/θ.

    >>> tilted_variance(1.0)
    1.0
    """
    if x < 0.01:
        return x * x * (1 / 2 + x * (1 / 3 + x * (1 / 8 + x / 30)))
    return math.exp(x) * (x - 1.0) + 1.0


def best_mu(theta: float, typical: float) -> float:
    """A μ that suits neurons with weights of about this size: q/G there. Any μ gives a valid bound."""
    x = theta * typical
    integral = x + x * x / 4 + x**3 / 18 + x**4 / 96
    return tilted_variance(x) / (theta**2 * integral)


def shortfalls(
    integrals: np.ndarray, per_unit: int, theta: float, tau: float, mu: float
) -> np.ndarray:
    """(μ G − q)₊² from above, for θ w between two neighbouring multiples of 1/per_unit.

    ``integrals`` are E at these multiples. Between two of them, a and b, the slope of μ G − q over x = θ w
    is at most τ (μ (e^b − 1)/b − a e^a/θ²).
    """
    x = np.arange(len(integrals)) / per_unit
    short = tau * (mu * integrals - np.array([tilted_variance(y) for y in x]) / theta**2)
    a, b = x[:-1], x[1:]
    slope = tau * (mu * np.expm1(b) / b - a * np.exp(a) / theta**2)
    higher = short[:-1] + np.maximum(slope, 0.0) / per_unit
    return (np.maximum(higher, 0.0) ** 2 * (1 + 1e-6)).astype(np.float32)


@kernel
def credit(theta: float, least_variance: float, top: float) -> float:
    """−log(M/(θ e)) or 0, where T is ``least_variance`` at least and the largest weight is ``top``."""
    if least_variance <= 0.0 or top <= 0.0:
        return 0.0
    x = theta * top
    # q/τ of the largest weight, over its square
    steepest = max((np.exp(x) * (x - 1.0) + 1.0) / (x * x), 0.5)
    falls = min(1.0 - np.cos(_CUT), _CIN / steepest) * least_variance / (top * top)
    beyond = 16.0 / (np.pi * _CUT) * x * theta / (_GRAIN * _GRAIN) * np.exp(-falls)
    highest = 0.5 / np.sqrt(np.pi * _KAPPA * least_variance) + beyond
    return max(np.log(theta / highest) + 1.0 - _NOISE - _ROUNDING, 0.0)  # type: ignore[no-any-return]
