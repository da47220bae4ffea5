"""The membrane potential before it fires is shot noise (paper, "Membrane Potential Distribution").

Input i sends Poisson spikes of rate λᵢ; each adds wᵢ, which decays as e^(−t/τ). From rest at time 0::

    E[e^(−θ V(t))] = e^(g(θ)),    g(θ) = Σ λᵢ ∫₀ᵗ (e^(−θ wᵢ e^(−s/τ)) − 1) ds
                                       = τ Σ λᵢ (E(−θ wᵢ) − E(−θ wᵢ e^(−t/τ)))

with E(x) = ∫₀ˣ (e^y − 1)/y dy. Its derivatives at 0 are the cumulants::

    κₙ(t) = (τ/n) Σ λᵢ wᵢⁿ (1 − e^(−n t/τ))

so the mean is τ (w·λ)(1 − e^(−t/τ)) and the variance ½ τ (λ·w²)(1 − e^(−2t/τ)). (The paper prints the
last factor as (1 − e^(−2tτ)): a misprint, as its own integral shows.) In the steady state √Var/E falls
as 1/√τ.

Arguments: ``rates`` and ``weights`` have the inputs along their last axis and broadcast over the others,
and against ``t``; ``t`` defaults to the steady state. The pre-synaptic trace is the same with weight 1
and τ_pre.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

_SERIES_UP_TO = 1.0
_TERMS = np.arange(1, 21)


def cumulant(
    order: int, rates: ArrayLike, weights: ArrayLike, t: ArrayLike = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """κₙ(t) = (τ/n) Σ λᵢ wᵢⁿ (1 − e^(−n t/τ)).

    >>> float(cumulant(3, [0.5], [2.0], tau=15.0))  # 15/3 · 0.5 · 2³
    20.0
    """
    rates, weights = checked_inputs(rates, weights)
    if order < 1:
        raise ValueError(f"order={order!r}: cumulants are numbered from 1.")
    times = np.asarray(t, dtype=float)
    grown = -np.expm1(-order * times / _checked_tau(tau))
    moment: np.ndarray = (rates * weights**order).sum(axis=-1)
    return np.asarray(tau / order * moment * grown)


def mean_potential(
    rates: ArrayLike, weights: ArrayLike, t: ArrayLike = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """E[V(t)] = τ (w·λ)(1 − e^(−t/τ)) (paper, "Mean Pre-firing Membrane Potential").

    >>> mean_potential([0.6, 0.8], [0.6, 0.8], [0.0, 15.0, np.inf], tau=15.0).round(3).tolist()
    [0.0, 9.482, 15.0]
    """
    return cumulant(1, rates, weights, t, tau=tau)


def variance_of_potential(
    rates: ArrayLike, weights: ArrayLike, t: ArrayLike = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """Var[V(t)] = ½ τ (λ·w²)(1 − e^(−2t/τ)); the paper misprints the exponent as −2tτ.

    >>> float(variance_of_potential([1.0], [1.0], tau=15.0))
    7.5
    """
    return cumulant(2, rates, weights, t, tau=tau)


def coefficient_of_variation(
    rates: ArrayLike, weights: ArrayLike, t: ArrayLike = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """√Var[V] / E[V]; in the steady state √(λ·w²/2) / (w·λ) · 1/√τ.

    >>> short, long = (coefficient_of_variation([1.0], [1.0], tau=tau) for tau in (10.0, 40.0))
    >>> float(short / long)
    2.0
    """
    deviation = np.sqrt(variance_of_potential(rates, weights, t, tau=tau))
    with np.errstate(invalid="ignore"):  # no input, or no time: nothing varies around nothing
        return np.asarray(deviation / mean_potential(rates, weights, t, tau=tau))


def log_laplace_transform(
    theta: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """g(θ) = log E[e^(−θ V(t))], for an array of real θ and one neuron.

    g(−s) is the cumulant generating function, log E[e^(sV)].

    >>> slope = log_laplace_transform(-1e-6, [0.6, 0.8], [0.6, 0.8], tau=15.0) / 1e-6
    >>> round(float(slope), 3)  # the mean
    15.0
    """
    rates, weights = checked_inputs(rates, weights)
    x = -np.asarray(theta, dtype=float)[..., None] * weights
    faded = np.exp(-t / _checked_tau(tau))
    integral: np.ndarray = (
        rates * (_exponential_integral(x) - _exponential_integral(x * faded))
    ).sum(axis=-1)
    return np.asarray(tau * integral)


def laplace_transform(
    theta: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """L(θ) = E[e^(−θ V(t))] = e^(g(θ)).

    >>> float(laplace_transform(0.0, [1.0], [1.0]))
    1.0
    """
    return np.asarray(np.exp(log_laplace_transform(theta, rates, weights, t, tau=tau)))


def log_characteristic_function(
    k: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """log E[e^(ikV(t))], continuous in k (no wrapped phase), for an array of k and one neuron."""
    rates, weights = checked_inputs(rates, weights)
    used = rates * weights > 0
    rates, weights = rates[used], weights[used]
    x = np.asarray(k, dtype=float)[..., None] * weights
    faded = np.exp(-t / _checked_tau(tau))
    integral = _imaginary_exponential_integral(x)
    if faded > 0:
        integral = integral - _imaginary_exponential_integral(x * faded)
    return np.asarray(tau * (integral @ rates))


def characteristic_function(
    k: ArrayLike, rates: ArrayLike, weights: ArrayLike, t: float = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """φ(k) = E[e^(ikV(t))], for an array of k and one neuron.

    >>> complex(characteristic_function(0.0, [1.0], [1.0]))
    (1+0j)
    """
    return np.asarray(np.exp(log_characteristic_function(k, rates, weights, t, tau=tau)))


def checked_inputs(rates: ArrayLike, weights: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Rates and weights as arrays of doubles, or an error that says what is wrong with them."""
    rates, weights = np.asarray(rates, dtype=float), np.asarray(weights, dtype=float)
    for name, values in (("rates", rates), ("weights", weights)):
        if values.ndim == 0:
            raise ValueError(f"{name}={values}: expected one value per input; use [{values}].")
        if not np.all(np.isfinite(values)) or values.min(initial=0.0) < 0:
            raise ValueError(f"{name}: expected finite numbers of 0 or more, as in the network.")
    if rates.shape[-1] != weights.shape[-1]:
        raise ValueError(
            f"rates has {rates.shape[-1]} inputs and weights {weights.shape[-1]}: "
            "expected the same number along the last axis."
        )
    return rates, weights


def _checked_tau(tau: float) -> float:
    if not 0 < tau < np.inf:
        raise ValueError(f"tau={tau!r}: expected a finite time above 0.")
    return tau


def _exponential_integral(x: np.ndarray) -> np.ndarray:
    """E(x) = ∫₀ˣ (e^y − 1)/y dy = Σ xⁿ/(n·n!) for real x."""
    from scipy.special import exp1, expi, factorial

    small = np.abs(x) < _SERIES_UP_TO
    positive, size = x > 0, np.where(small, 1.0, np.abs(x))
    rest = np.log(size) + np.euler_gamma
    large = np.where(positive, expi(size) - rest, -exp1(size) - rest)
    # below 1 the closed forms are differences of nearly equal numbers: the series is better
    power = np.where(small, x, 0.0)[..., None] ** _TERMS
    return np.asarray(np.where(small, power @ (1.0 / (_TERMS * factorial(_TERMS))), large))


def _imaginary_exponential_integral(x: np.ndarray) -> np.ndarray:
    """E(ix) = Ci(|x|) − ln|x| − γ + i Si(x)."""
    from scipy.special import sici

    size = np.abs(x)
    safe = np.where(size > 0, size, 1.0)
    sine, cosine = sici(safe)
    real = np.where(size > 0, cosine - np.log(safe) - np.euler_gamma, 0.0)
    return np.asarray(real + 1j * np.where(size > 0, np.sign(x) * sine, 0.0))
