"""Who is simulated, bounded or left out of a presentation (:mod:`.certificate` says why)."""

from __future__ import annotations

import numpy as np

from ..compiling.kernels import allocating_kernel, kernel
from ..layouts import BoundedNeurons, Certificate
from .spread import REACH

MISS_PER_PRESENTATION = 5e-14
"""Largest probability with which a presentation may differ from the full simulation."""

_LOWEST = 60  # bounds below e^-60 are taken as e^-60
_BINS = 4  # classes of depth per nat, when the budget is spent
_LAST = _LOWEST * _BINS
_CHANCE = np.exp(-np.arange(_LAST + 1) / _BINS)  # of a neuron in a class, at most


@kernel
def bound_unlikely(
    bounds: np.ndarray,
    certificate: Certificate,
    gain: float,
    candidates: np.ndarray,
    n_candidates: int,
    bounded: BoundedNeurons,
) -> tuple[int, int]:
    """Keep the candidates with a fair chance to fire at raised rates, note which others to bound.

    Returns how many are to be simulated and bounded.
    """
    limit = np.float32((certificate.theta * certificate.threshold + certificate.near) / gain)
    n_near = np.int64(0)
    n_far = np.int64(0)
    for c in range(n_candidates):
        j = candidates[c]
        near = bounds[j] >= limit
        candidates[n_near] = j
        bounded.neurons[n_far] = j
        n_near += np.int64(near)
        n_far += np.int64(not near)
    return int(n_near), int(n_far)


@kernel
def windows(certificate: Certificate, duration: float) -> float:
    """(D θ v_th/τ + 1) · e: how often a crossing may be tried within a time D, as far as bounds go."""
    steepness = certificate.theta * certificate.threshold / certificate.tau_mem
    return (duration * steepness + 1.0) * np.e


@kernel
def _depth(plain: np.float32, credit: np.float32) -> np.float32:
    """How far below 0 a log-bound is, with the neuron's credit (:mod:`.spread`) as far as that reaches."""
    return max(plain, min(plain + credit, np.float32(REACH)), np.float32(0.0))


@allocating_kernel
def choose_candidates(
    bounds: np.ndarray,
    n_neurons: int,
    certificate: Certificate,
    gain: float,
    n_periods: int,
    duration: float,
    miss: float,
    candidates: np.ndarray,
) -> int:
    """Write the candidates, to be simulated or bounded (ascending); return how many.

    ``bounds`` holds λ·G_j; the chance that any other neuron would fire within ``duration`` at rates
    up to ``gain`` times λ is below ``miss``, with at most ``n_periods`` silent periods between resets.
    """
    budget = miss / windows(certificate, duration)
    slack = certificate.slack * gain * n_periods
    top = np.float32(certificate.theta * certificate.threshold - slack)
    scale = np.float32(gain)
    credits = certificate.credits[min(n_periods, certificate.credits.shape[0]) - 1]
    # A loop that needs no decisions first: all neurons' classes. Those of the last one, below e^-LOWEST,
    # miss less than n e^-LOWEST together.
    classes = np.empty(n_neurons, np.uint8)
    for j in range(n_neurons):
        depth = _depth(top - scale * bounds[j], credits[j])
        classes[j] = np.uint8(np.int32(min(depth * np.float32(_BINS), np.float32(_LAST))))
    n_close = np.int64(0)
    for j in range(n_neurons):
        candidates[n_close] = j
        n_close += np.int64(classes[j] < _LAST)
    counts = np.zeros(_LAST, np.int64)
    for c in range(n_close):
        counts[classes[candidates[c]]] += 1
    missed = n_neurons * _CHANCE[_LAST]
    cut = _LAST
    while cut > 1 and missed + counts[cut - 1] * _CHANCE[cut - 1] <= budget:
        cut -= 1
        missed += counts[cut] * _CHANCE[cut]
    n_candidates = np.int64(0)
    for c in range(n_close):
        j = candidates[c]
        candidates[n_candidates] = j
        n_candidates += np.int64(classes[j] < cut)
    return int(n_candidates)
