"""The expected potential once more, spike by spike (the paper's supplement).

The time T_|ik| since the k-th most recent spike of input i is gamma distributed (shape k, rate λᵢ). What
is left of that spike, before its weight, is V_|ik| = e^(−T_|ik|/τ), with c = λᵢ τ::

    F(v) = Γ(k, −c ln v) / Γ(k),    f(v) = cᵏ v^(c−1) (−ln v)^(k−1) / (k − 1)!,    0 < v ≤ 1
    E[V_|ik|] = (c / (1 + c))ᵏ

The geometric sum over the n most recent spikes is c (1 − (c/(1 + c))ⁿ); for n → ∞ the potential is
τ (w·λ), the steady state of :mod:`.shot_noise`.

Here the train has no beginning, as in the supplement: V_|ik| is the steady state's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .shot_noise import checked_inputs


def recent_spike_cdf(
    v: ArrayLike, k: ArrayLike, rate: ArrayLike, *, tau: float = 15.0
) -> np.ndarray:
    """P(V_|ik| ≤ v): the supplement's Γ(k, −λτ ln v) / Γ(k).

    >>> round(float(recent_spike_cdf(0.5, 1, 0.2, tau=15.0)), 6)  # v^(λτ) for the latest spike
    0.125
    """
    from scipy.special import gammaincc

    v, k, share = _checked(v, k, rate, tau)
    inside = np.clip(v, np.finfo(float).tiny, 1.0)
    return np.where(v > 0, gammaincc(k, -share * np.log(inside)), 0.0)


def recent_spike_pdf(
    v: ArrayLike, k: ArrayLike, rate: ArrayLike, *, tau: float = 15.0
) -> np.ndarray:
    """Density of V_|ik|: (λτ)ᵏ v^(λτ−1) (−ln v)^(k−1) / (k − 1)!, and 0 outside (0, 1).

    >>> round(float(recent_spike_pdf(0.5, 1, 0.2, tau=15.0)), 6)  # λτ v^(λτ − 1)
    0.75
    """
    from scipy.special import gammaln, xlogy

    v, k, share = _checked(v, k, rate, tau)
    inside = (v > 0) & (v < 1)
    age = -np.log(np.where(inside, v, 0.5))
    logarithm = k * np.log(share) - (share - 1.0) * age + xlogy(k - 1, age) - gammaln(k)
    return np.where(inside, np.exp(logarithm), 0.0)


def expected_recent_spike(k: ArrayLike, rate: ArrayLike, *, tau: float = 15.0) -> np.ndarray:
    """E[V_|ik|] = (λτ / (1 + λτ))ᵏ: what is left on average of the k-th most recent spike.

    >>> float(expected_recent_spike(2, 0.2, tau=15.0))
    0.5625
    """
    _, k, share = _checked(0.0, k, rate, tau)
    return np.asarray((share / (1.0 + share)) ** k)


def expected_potential_of_recent_spikes(
    rates: ArrayLike, weights: ArrayLike, n_spikes: ArrayLike = np.inf, *, tau: float = 15.0
) -> np.ndarray:
    """Σᵢ wᵢ Σₖ E[V_|ik|] over the ``n_spikes`` most recent spikes of each input; τ (w·λ) for all.

    Inputs lie along the last axis; ``n_spikes`` broadcasts against the rest.

    >>> expected_potential_of_recent_spikes([0.2], [1.0], [1, 2, np.inf], tau=15.0).tolist()
    [0.75, 1.3125, 3.0]
    """
    rates, weights = checked_inputs(rates, weights)
    share = rates * tau
    kept = 1.0 - (share / (1.0 + share)) ** np.asarray(n_spikes, dtype=float)[..., None]
    return np.asarray((weights * share * kept).sum(axis=-1))


def _checked(
    v: ArrayLike, k: ArrayLike, rate: ArrayLike, tau: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    v, k = np.asarray(v, dtype=float), np.asarray(k, dtype=float)
    share = np.asarray(rate, dtype=float) * tau
    if np.any(k < 1) or np.any(k != np.floor(k)):
        raise ValueError(f"k={k}: expected whole numbers; 1 is the most recent spike.")
    if not np.all(share > 0):
        raise ValueError(f"rate={rate!r}, tau={tau!r}: expected numbers above 0.")
    return v, k, share
