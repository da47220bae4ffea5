"""Which neurons can fire at all: a proven bound, cheap to keep up to date.

Let V_j(t) be the potential that neuron j would have if nothing ever reset it; v_j(t) ≤ V_j(t). It is shot
noise, so for every θ > 0 (Chernoff)::

    P(V_j ≥ x) ≤ exp(λ·G_j − θ x),    G_ij = τ E(θ w_ij),    E(x) = ∫₀ˣ (e^y − 1)/y dy

Between two moments h apart V_j can only have been higher than at the later one by what has decayed since,
V_j(t) ≤ e^(h/τ) V_j(t + h). So a crossing within a window of length h needs V_j ≥ v_th e^(−h/τ) at its
end, and with h = τ/(θ v_th), because θ v_th (1 − e^(−h/τ)) ≤ 1, the probability that j would fire within
a time D is at most::

    (D θ v_th / τ + 1) · e · exp(λ·G_j − θ v_th)

Neurons are left out of a presentation only while the sum of these bounds over all of them stays below
:data:`MISS_PER_PRESENTATION`. The exponent is linear in λ: at rates raised by a gain, λ·G_j is
multiplied by it. docs/certificate.md has the derivation in full.

Everything here only decides whom to simulate; sums may be fused and reordered. Rounding, here and in the
simulated potentials, is covered by a slack that grows with the number of additions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .bits import upper_half
from .compiling import bound_kernel, entry_kernel, kernel
from .neuron_steps import GROUP, add_bounds
from .vectors import address
from .watch import LARGEST, UNIT

MISS_PER_PRESENTATION = 5e-14
"""Largest probability with which a presentation may differ from the full simulation."""


NEAR = 12.0
"""Candidates with a bound above e^−NEAR are simulated, the others watched. Only speed depends on it."""

_STEPS_PER_UNIT = 32
_LOWEST = 120  # bounds below e^-120 are taken as e^-120
_BINS = 4  # classes of depth per nat, when the budget is spent


class Certificate(NamedTuple):
    """What the bound needs: θ, a slack for rounding, the table of E and the tiles of G."""

    theta: float
    slack: float
    tau_mem: float
    threshold: float
    table: np.ndarray
    tiles: np.ndarray  # uint16 (tiles, inputs, GROUP): upper halves of float32, rounded up
    coarse: np.ndarray  # uint8 (neurons, inputs): weights in units of 1/255, rounded up
    alarm: int  # the threshold in these units, less what rounding may take
    near: float = NEAR


def exponential_integral(x: float) -> float:
    """E(x) = ∫₀ˣ (e^y − 1)/y dy = Σ xⁿ / (n·n!).

    Examples
    --------
    >>> round(exponential_integral(1.0), 6)
    1.317902
    """
    total, term, n = 0.0, 1.0, 1
    while True:
        term *= x / n
        total += term / n
        if term < 1e-18 * (1.0 + total):
            return total
        n += 1


def choose_theta(tau_mem: float, cube_sum: float) -> float:
    """A θ that leaves few candidates. Any θ gives a valid bound, so a rough estimate does.

    Neurons at the edge have bounds of about e^−41. For a Gaussian potential with standard deviation s
    the best θ for them is √(2·41)/s; on MNIST 15 % more is best. A neuron that has learned inputs like λ
    has s² = ½ τ Σ λ³ (``cube_sum``).
    """
    deviation = math.sqrt(0.5 * tau_mem * cube_sum)
    return min(max(1.15 * math.sqrt(2.0 * 41.0) / deviation, 0.05), 60.0)


def rounding_slack(theta: float, threshold: float, n_features: int, n_spikes: int) -> float:
    """What single precision can take from a log-bound, in nats.

    n additions of non-negative numbers err by at most n·2⁻²³ relative (with room to spare): the sum λ·G,
    which is at most θ v_th where it matters, and the potential that is compared with v_th.
    """
    return 0.01 + (n_features + n_spikes + 64) * 2.0**-23 * theta * threshold


def make_certificate(
    weights: np.ndarray, *, threshold: float, tau_mem: float, theta: float, n_spikes: int = 10_000
) -> Certificate:
    """The certificate for these weights (float32, at most 1 each).

    ``n_spikes`` is the most input spikes between two resets, at rates that are not raised.
    """
    nodes = math.ceil(theta * _STEPS_PER_UNIT) + 2
    # E is convex, so straight lines between its values lie above it
    table = np.array([exponential_integral(k / _STEPS_PER_UNIT) for k in range(nodes)])
    n_tiles = -(-weights.shape[0] // GROUP)
    tiles = np.zeros((n_tiles, weights.shape[1], GROUP), np.uint16)
    certificate = Certificate(
        theta=theta,
        slack=rounding_slack(theta, threshold, weights.shape[1], n_spikes),
        tau_mem=tau_mem,
        threshold=threshold,
        table=(tau_mem * table * (1 + 1e-6)).astype(np.float32),
        tiles=tiles,
        coarse=np.zeros(weights.shape, np.uint8),
        alarm=min(int(threshold * UNIT * (1.0 - (n_spikes + 64) * 2.0**-23)), LARGEST),
    )
    refresh_all(weights, certificate)
    return certificate


@bound_kernel
def refresh_neuron(weights: np.ndarray, neuron: int, certificate: Certificate) -> None:
    """Bring G up to date with one neuron's weights."""
    tile = certificate.tiles[neuron // GROUP]
    lane = neuron % GROUP
    coarse = certificate.coarse[neuron]
    table = certificate.table
    scale = np.float32(certificate.theta * _STEPS_PER_UNIT)
    last = table.size - 2
    for i in range(weights.size):
        place = weights[i] * scale
        node = min(int(place), last)
        value = table[node] + (place - np.float32(node)) * (table[node + 1] - table[node])
        tile[i, lane] = upper_half(value)
        coarse[i] = np.uint8(min(np.ceil(weights[i] * np.float32(UNIT)), np.float32(UNIT)))


@entry_kernel
def refresh_all(weights: np.ndarray, certificate: Certificate) -> None:
    """Bring G up to date with all weights."""
    for j in range(weights.shape[0]):
        refresh_neuron(weights[j], j, certificate)


@bound_kernel
def bound_tile(
    tiles: np.ndarray,
    t: int,
    active: np.ndarray,
    rates: np.ndarray,
    n_active: int,
    bounds: np.ndarray,
) -> None:
    """λ·G_j for the neurons of tile t, to their places in ``bounds``."""
    tile = address(tiles) + t * tiles.shape[1] * (GROUP * 2)
    sums = address(bounds) + t * (GROUP * 4)
    inputs, factors = address(active), address(rates)
    bounds[t * GROUP : (t + 1) * GROUP] = np.float32(0.0)
    whole = n_active - n_active % 8
    for k in range(0, whole, 8):
        add_bounds(8, tile, inputs, factors, k, sums)
    for k in range(whole, n_active):
        add_bounds(1, tile, inputs, factors, k, sums)


@kernel
def split_candidates(
    bounds: np.ndarray,
    certificate: Certificate,
    candidates: np.ndarray,
    n_candidates: int,
    watched: np.ndarray,
) -> tuple[int, int]:
    """Keep the candidates that have a fair chance to fire; the others go to ``watched``."""
    limit = np.float32(certificate.theta * certificate.threshold - certificate.near)
    n_near = np.int64(0)
    n_far = np.int64(0)
    for c in range(n_candidates):
        j = candidates[c]
        near = bounds[j] >= limit
        candidates[n_near] = j
        watched[n_far] = j
        n_near += np.int64(near)
        n_far += np.int64(not near)
    return int(n_near), int(n_far)


@kernel
def windows(certificate: Certificate, duration: float) -> float:
    """(D θ v_th/τ + 1) · e: how often a crossing may be tried within a time D, as far as bounds go."""
    steepness = certificate.theta * certificate.threshold / certificate.tau_mem
    return (duration * steepness + 1.0) * np.e


@kernel
def choose_candidates(
    bounds: np.ndarray,
    n_neurons: int,
    certificate: Certificate,
    gain: float,
    duration: float,
    miss: float,
    candidates: np.ndarray,
) -> int:
    """Write the neurons that must be simulated (ascending); return how many.

    ``bounds`` holds λ·G_j; the chance that any other neuron would fire within ``duration`` at rates
    up to ``gain`` times λ is below ``miss``.
    """
    budget = miss / windows(certificate, duration)
    top = np.float32(certificate.theta * certificate.threshold - certificate.slack * gain)
    scale = np.float32(gain)
    # First the neurons whose bound is above e^-LOWEST: all others together miss less than n e^-LOWEST.
    n_close = np.int64(0)
    for j in range(n_neurons):
        candidates[n_close] = j
        n_close += np.int64(top - scale * bounds[j] < np.float32(_LOWEST))
    counts = np.zeros(_LOWEST * _BINS, np.int64)
    for c in range(n_close):
        depth = top - scale * bounds[candidates[c]]
        counts[int(max(depth, np.float32(0.0)) * np.float32(_BINS))] += 1
    missed = n_neurons * math.exp(-float(_LOWEST))
    cut = _LOWEST * _BINS
    while cut > 1 and missed + counts[cut - 1] * math.exp(-(cut - 1) / _BINS) <= budget:
        cut -= 1
        missed += counts[cut] * math.exp(-cut / _BINS)
    n_candidates = np.int64(0)
    for c in range(n_close):
        j = candidates[c]
        candidates[n_candidates] = j
        n_candidates += np.int64(top - scale * bounds[j] < np.float32(cut / _BINS))
    return int(n_candidates)
