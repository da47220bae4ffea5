"""Which neurons may fire: a proven bound, cheap to keep up to date.

Let V_j(t) be the potential that neuron j would have if nothing ever reset it; v_j(t) ≤ V_j(t). It is shot
noise, so for every θ > 0 (Chernoff)::

    P(V_j ≥ x) ≤ exp(λ·G_j − θ x),    G_ij = τ E(θ w_ij),    E(x) = ∫₀ˣ (e^y − 1)/y dy

Between two moments h apart V_j can only have been higher than at the later one by what has decayed since,
V_j(t) ≤ e^(h/τ) V_j(t + h). So a crossing within a window of length h needs V_j ≥ v_th e^(−h/τ) at its
end, and with h = τ/(θ v_th), because θ v_th (1 − e^(−h/τ)) ≤ 1, the probability that j would fire within
a time D is at most::

    (D θ v_th / τ + 1) · e · exp(λ·G_j − θ v_th)

Neurons are left out of a presentation only while the sum of these bounds over all of them stays below
:data:`.choosing.MISS_PER_PRESENTATION`. The exponent is linear in λ: at rates raised by a gain, λ·G_j is
multiplied by it. docs/certificate.md has the derivation in full.

Everything here only decides whom to simulate. Sums are made in integers (:mod:`.fixed_point`), which err
upwards only; rounding in the simulated potentials is covered by a slack that grows with the additions.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiling.kernels import bound_kernel, entry_kernel, kernel
from ..layouts import Certificate
from ..llvm.neuron_steps import TILE, bound_products
from ..llvm.transposing import BYTES
from ..llvm.vectors import address
from .bounded_neurons import HIGHEST_BOUND, HIGHEST_LEVEL
from .fixed_point import largest, n_pairs_of
from .spread import REACH, best_mu, credit, shortfalls

NEAR = 22.0
"""Candidates with a bound above e^NEAR are simulated, the others bounded. Only speed depends on it."""

_BEST = 1.1 * math.sqrt(2.0 * 41.0)  # θ times the standard deviation of a potential
_STEPS_PER_UNIT = 32


def exponential_integral(x: float) -> float:
    """E(x) = ∫₀ˣ (e^y − 1)/y dy = Σ xⁿ / (n·n!).

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
    the best θ for them is √(2·41)/s; on MNIST, one a little larger leaves the fewest candidates. A neuron
    that has learned inputs like λ has s² = ½ τ Σ λ³ (``cube_sum``).
    """
    deviation = math.sqrt(0.5 * tau_mem * cube_sum)
    return min(max(_BEST / deviation, 0.05), 60.0)


def _typical_cube(tau_mem: float, theta: float) -> float:
    """Σ λ³ of the inputs for which θ was chosen: the weights they meet, on average, after learning."""
    return (_BEST / theta) ** 2 / (0.5 * tau_mem)


def rounding_slack(theta: float, threshold: float, n_features: int, n_spikes: int) -> float:
    """What single precision can take from a log-bound, in nats.

    n additions of non-negative numbers err by at most n·2⁻²³ relative (with room to spare): the total of
    the rates, and the potential that is compared with v_th. λ·G is at most θ v_th where it matters.
    """
    return 0.01 + (n_features + n_spikes + 64) * 2.0**-23 * theta * threshold


def make_certificate(
    weights: np.ndarray,
    *,
    threshold: float,
    tau_mem: float,
    theta: float,
    n_spikes: int = 10_000,
    n_looked_back: int = 40_000,
    gains: tuple[float, ...] = (1.0,),
) -> Certificate:
    """The certificate for these weights (float32, at most 1 each).

    ``n_spikes`` is the most input spikes in a period that is silent at rates that are not raised,
    ``n_looked_back`` the most between two resets of a neuron that is bounded. ``gains`` are what rates are
    multiplied by after no raise, one, two, …: for so many, neurons have a credit.
    """
    nodes = math.ceil(theta * _STEPS_PER_UNIT) + 2
    # E is convex, so straight lines between its values lie above it
    table = np.array([exponential_integral(k / _STEPS_PER_UNIT) for k in range(nodes)])
    n_tiles = -(-weights.shape[0] // TILE)
    mu = best_mu(theta, _typical_cube(tau_mem, theta))
    certificate = Certificate(
        theta=theta,
        slack=rounding_slack(theta, threshold, weights.shape[1], n_spikes),
        tau_mem=tau_mem,
        threshold=threshold,
        table=(tau_mem * table * (1 + 1e-6)).astype(np.float32),
        tiles=_by_lines((n_tiles, n_pairs_of(weights.shape[1]), TILE, 2), np.int16),
        steps=np.zeros(n_tiles * TILE, np.float32),
        levels=np.zeros((len(weights), -(-weights.shape[1] // BYTES[1]) * BYTES[1]), np.uint8),
        alarms=np.zeros(len(weights), np.uint16),
        alarm=threshold * (1.0 - (n_looked_back + 64) * 2.0**-23) * (1.0 - 1e-6),
        near=NEAR,
        shortfalls=shortfalls(table, _STEPS_PER_UNIT, theta, tau_mem, mu),
        least_variance=mu * (theta * threshold - REACH - 1.0),
        gains=np.array(gains),
        credits=np.zeros((len(gains) + 1, len(weights)), np.float32),
    )
    refresh_all(weights, certificate)
    return certificate


def no_certificate() -> Certificate:
    """What stands for a certificate where all neurons are simulated."""
    table, tiles = np.zeros(2, np.float32), np.zeros((0, 1, 1, 2), np.int16)
    steps, levels = np.zeros(0, np.float32), np.zeros((0, 1), np.uint8)
    alarms = np.zeros(0, np.uint16)
    gains, credits = np.zeros(0), np.zeros((1, 0), np.float32)
    return Certificate(
        0.0,
        0.0,
        1.0,
        1.0,
        table,
        tiles,
        steps,
        levels,
        alarms,
        0.0,
        0.0,
        table,
        0.0,
        gains,
        credits,
    )


def _by_lines(shape: tuple[int, ...], kind: type) -> np.ndarray:
    """An array of zeros that begins where a line of memory begins (64 bytes, which come together)."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    room = np.zeros(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(kind).reshape(shape)


@bound_kernel
def refresh_neuron(weights: np.ndarray, neuron: int | np.int64, certificate: Certificate) -> None:
    """Bring G up to date with one neuron's weights."""
    tile = certificate.tiles[neuron // TILE]
    lane = neuron % TILE
    levels = certificate.levels[neuron]
    table = certificate.table
    scale = np.float32(certificate.theta * _STEPS_PER_UNIT)
    last = table.size - 2
    top = np.float32(0.0)
    for i in range(weights.size):
        top = max(top, weights[i])
    step = max(
        _above(table, last, top * scale) / np.float32(largest(weights.size) - 1), np.float32(1e-30)
    )
    inverse = np.float32(1.0) / step
    certificate.steps[neuron] = step
    unit = max(top / np.float32(HIGHEST_LEVEL - 1), np.float32(1e-30))
    per_unit = np.float32(1.0) / unit
    short = np.float32(0.0)
    alarm = certificate.alarm / np.float64(unit)
    certificate.alarms[neuron] = np.uint16(min(alarm, np.float64(HIGHEST_BOUND)))
    for i in range(weights.size):
        if weights[i] == np.float32(0.0) and levels[i] == 0:
            continue  # nothing before, nothing now: true of most inputs
        some = np.int32(weights[i] > np.float32(0.0))
        place = weights[i] * scale
        steps = np.int32(_above(table, last, place) * inverse) + some
        short += certificate.shortfalls[min(int(place), last)] * np.float32(some)
        tile[i >> 1, lane, i & 1] = np.int16(steps)
        levels[i] = np.uint8(np.int32(weights[i] * per_unit) + some)
    shortfall = np.sqrt(np.float64(short)) * (1.0 + 1e-3)
    for n in range(certificate.gains.size):
        variance = certificate.least_variance - certificate.gains[n] * shortfall
        certificate.credits[n, neuron] = credit(certificate.theta, variance, np.float64(top))


@bound_kernel
def _above(table: np.ndarray, last: int, place: np.float32) -> np.float32:
    """τ E from above, at a place in the table."""
    node = min(int(place), last)
    below = table[node]
    return below + (place - np.float32(node)) * (table[node + 1] - below)  # type: ignore[no-any-return]


@entry_kernel
def refresh_all(weights: np.ndarray, certificate: Certificate) -> None:
    """Bring G up to date with all weights."""
    for j in range(weights.shape[0]):
        refresh_neuron(weights[j], j, certificate)


@kernel
def bound_tile(
    certificate: Certificate,
    t: int,
    pairs: np.ndarray,
    packed: np.ndarray,
    n_pairs: int,
    step: np.float32,
    bounds: np.ndarray,
) -> None:
    """λ·G_j for the neurons of tile t, to their places in ``bounds``; λ is packed (:mod:`.fixed_point`)."""
    tiles = certificate.tiles
    bound_products(
        address(tiles) + t * tiles.shape[1] * (TILE * 4),
        address(pairs),
        address(packed),
        n_pairs,
        address(certificate.steps) + t * (TILE * 4),
        step,
        address(bounds) + t * (TILE * 4),
    )
