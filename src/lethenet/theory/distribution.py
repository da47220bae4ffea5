"""The whole law of the membrane potential, from its characteristic function φ.

At a finite time t it has three parts (Λ = Σ λᵢ over the inputs with a weight):

* no spike yet, probability e^(−Λt): an atom at 0;
* one spike, probability Λt e^(−Λt): what is left of it, wᵢ e^(−s/τ), has ln v uniform;
* two or more: φ(k) − e^(−Λt)(1 + χ(k)) with χ = log φ + Λt, which falls off faster.

The first two are written down; the rest is inverted as a cosine series on [0, L] (Fang and Oosterlee
2008)::

    f(v) = Σ' a_m cos(m π v/L),    a_m = (2/L) Re φ(m π/L)      (Σ': the first term is halved)

L lies so far out that less than 1e-12 is beyond it (Chernoff's bound). Terms are added until they are
below 1e-11 or there are 2¹³ of them. In the steady state φ falls as k^(−Λτ): 1e-9 is reached from Λτ = 5
on (images have 150), 1e-4 for Λτ = 1 (tested against closed forms).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .shot_noise import checked_inputs, cumulant, log_characteristic_function, log_laplace_transform

_NEGLIGIBLE = 1e-11
_AT_A_TIME = 2**18
_LOG_TAIL = math.log(1e-12)
_FIRST_TERMS, _MOST_TERMS = 2**8, 2**13


def silent_probability(rates: ArrayLike, weights: ArrayLike, t: float) -> float:
    """P(V(t) = 0) = e^(−Λt): no spike has arrived from any input with a weight.

    >>> silent_probability([0.5, 0.5, 3.0], [1.0, 1.0, 0.0], t=0.0)
    1.0
    """
    rates, weights = checked_inputs(rates, weights)
    return math.exp(-float(rates[weights > 0].sum()) * t)


def potential_cdf(
    v: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """P(V(t) ≤ v) of one neuron, for an array of v.

    >>> below_the_mean = potential_cdf(15.0, [0.6, 0.8], [0.6, 0.8], tau=15.0)
    >>> round(float(below_the_mean), 3)  # the law leans to the right, a little
    0.514
    """
    rates, weights, v = _checked(rates, weights, v, t)
    if not rates.size:
        return (v >= 0).astype(float)
    series = _series(rates, weights, t, tau)
    x = np.clip(v, 0.0, series.length)
    k = np.arange(1, len(series.terms)) * np.pi / series.length
    many = 0.5 * series.terms[0] * x + _waves(np.sin, x, k, series.terms[1:] / k)
    few = series.none + series.one * _one_spike_cdf(x, rates, weights, t, tau)
    total = np.where(v >= series.length, 1.0, np.clip(few + many, 0.0, 1.0))
    return np.where(v < 0, 0.0, total)


def potential_pdf(
    v: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """Density of V(t) above 0 of one neuron, for an array of v (the atom at 0 is left out).

    >>> v = np.linspace(0, 40, 401)
    >>> density = potential_pdf(v, [0.6, 0.8], [0.6, 0.8], tau=15.0)
    >>> round(float((density * v).sum() * 0.1), 3)  # the mean
    15.0
    """
    rates, weights, v = _checked(rates, weights, v, t)
    if not rates.size:
        return np.zeros(v.shape)
    series = _series(rates, weights, t, tau)
    x = np.clip(v, 0.0, series.length)
    k = np.arange(1, len(series.terms)) * np.pi / series.length
    density = 0.5 * series.terms[0] + _waves(np.cos, x, k, series.terms[1:])
    density += series.one * _one_spike_pdf(x, rates, weights, t, tau)
    return np.where((v <= 0) | (v >= series.length), 0.0, np.maximum(density, 0.0))


def _waves(
    wave: Callable[[np.ndarray], np.ndarray], x: np.ndarray, k: np.ndarray, terms: np.ndarray
) -> np.ndarray:
    """Σ terms · wave(k x), a part of the x at a time."""
    flat = x.ravel()
    blocks = np.array_split(flat, -(-flat.size * k.size // _AT_A_TIME) or 1)
    sums = [wave(np.multiply.outer(block, k)) @ terms for block in blocks]
    return np.concatenate(sums).reshape(x.shape)


class _Series(NamedTuple):
    """Cosine coefficients of the part with two or more spikes, and the mass of the other two."""

    length: float
    terms: np.ndarray
    none: float
    one: float


def _series(rates: np.ndarray, weights: np.ndarray, t: float, tau: float) -> _Series:
    length = _upper_end(rates, weights, t, tau)
    mean_count = float(rates.sum()) * t
    none = math.exp(-mean_count)
    one = mean_count * none if mean_count < np.inf else 0.0
    terms = np.empty(0)
    n = _FIRST_TERMS
    while True:
        k = np.arange(len(terms), n) * np.pi / length
        exponent = log_characteristic_function(k, rates, weights, t, tau=tau)
        phi = np.exp(exponent)
        if none > 0:
            phi = phi - none * (1.0 + exponent + mean_count)
        terms = np.concatenate([terms, 2.0 / length * phi.real])
        if np.abs(phi[-len(phi) // 2 :]).max() < _NEGLIGIBLE or n >= _MOST_TERMS:
            return _Series(length, terms, none, one)
        n *= 2


def _upper_end(rates: np.ndarray, weights: np.ndarray, t: float, tau: float) -> float:
    """A potential that is exceeded with probability below 1e-12: min over θ of (g(−θ) + 27.6)/θ."""
    scale = 1.0 / math.sqrt(float(cumulant(2, rates, weights, t, tau=tau)))
    theta = np.geomspace(1e-2, 30.0, 60) * scale
    theta = theta[theta * weights.max() < 300]  # e^300: far beyond the best θ, and still a number
    exponent = log_laplace_transform(-theta, rates, weights, t, tau=tau)
    return float(np.min((exponent - _LOG_TAIL) / theta))


def _one_spike_cdf(
    v: np.ndarray, rates: np.ndarray, weights: np.ndarray, t: float, tau: float
) -> np.ndarray:
    """P(w e^(−s/τ) ≤ v), s uniform on [0, t], over the inputs."""
    if not np.isfinite(t):
        return np.zeros(v.shape)
    age = tau * np.log(weights / np.maximum(v, np.finfo(float).tiny)[..., None])
    return np.asarray((1.0 - np.clip(age / t, 0.0, 1.0)) @ (rates / rates.sum()))


def _one_spike_pdf(
    v: np.ndarray, rates: np.ndarray, weights: np.ndarray, t: float, tau: float
) -> np.ndarray:
    if not np.isfinite(t):
        return np.zeros(v.shape)
    x = v[..., None]
    reached = (x <= weights) & (x >= weights * math.exp(-t / tau))
    density = tau / (t * np.where(reached, x, 1.0))
    return np.asarray(np.where(reached, density, 0.0) @ (rates / rates.sum()))


def _checked(
    rates: ArrayLike, weights: ArrayLike, v: ArrayLike, t: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The inputs that matter, and v. Without any, or at time 0, the potential is 0."""
    rates, weights = checked_inputs(rates, weights)
    if rates.ndim != 1 or weights.ndim != 1:
        raise ValueError("expected the rates and weights of one neuron (one axis).")
    if not t >= 0:
        raise ValueError(f"t={t!r}: expected 0 or more.")
    used = (rates * weights > 0) & (t > 0)
    return rates[used], weights[used], np.asarray(v, dtype=float)
