"""Whom the dopaminergic push reaches.

The push is repeated until one neuron fires, so the question is who needs the fewest pushes
(:mod:`.dopamine` has the formula). With leftover potentials in play, neurons that were not simulated
have to be looked at as well; this finds the winner without simulating them all, to the same bits.
"""

from __future__ import annotations

import numpy as np

from .certificate import MISS_PER_PRESENTATION, Certificate, bound_tile
from .compiling import kernel
from .dopamine import least_used, push_score, random_target
from .membrane import replay
from .neuron_steps import GROUP
from .parameters import Constants
from .records import Candidates, Layer, Sample, Train

_MANY_RIVALS = 128


@kernel
def bound_potentials(
    certificate: Certificate, sample: Sample, summed: np.ndarray, highest: np.ndarray
) -> None:
    """Upper bounds of all u_j = Σ_i w_ij s_i, from G_ij = τ E(θ w_ij) ≥ τ θ w_ij."""
    rates = summed.astype(np.float32)
    scale = np.float32(1.0001 / (certificate.theta * certificate.tau_mem))
    tiles = certificate.tiles
    bounds = np.empty(tiles.shape[0] * GROUP, np.float32)
    for t in range(tiles.shape[0]):
        bound_tile(tiles, t, sample.active, rates, sample.n_active, bounds)
    for j in range(highest.size):
        highest[j] = bounds[j] * scale


@kernel
def reach_by_push(
    constants: Constants,
    layer: Layer,
    sample: Sample,
    train: Train,
    chosen: Candidates,
    certificate: Certificate,
    first: int,
    last: int,
    decay: float,
) -> int:
    """The neuron that a push on top of the leftover potentials reaches first.

    A neuron that was not simulated has a potential all the same. It is bounded (first by the certificate,
    then from G), computed as weights times summed spikes where the bounds leave a chance to win, and
    replayed spike by spike where rounding could decide.
    """
    usage, eta, threshold = layer.usage, constants.depression, constants.threshold
    potentials = chosen.potentials
    best, winner = np.inf, -1
    for j in range(usage.size):
        c = chosen.column_of[j]
        if c >= 0:
            score = push_score(
                np.float64(potentials[c // GROUP, 0, c % GROUP]) * decay, threshold, eta, usage[j]
            )
            if score < best:
                best, winner = score, j
    if not chosen.certified:
        return winner
    # P(v_j > x_j) < MISS/(n m) for x_j = (λ·G_j + log(n m/MISS))/θ, with m pushes at the most
    pushes = usage.size * constants.n_output_spikes
    log_miss = np.log(pushes / MISS_PER_PRESENTATION) + certificate.slack
    rivals = np.empty(usage.size, np.int64)
    n_rivals = np.int64(0)
    for j in range(usage.size):
        if chosen.column_of[j] < 0:
            highest = (np.float64(chosen.bounds[j]) + log_miss) / certificate.theta
            rivals[n_rivals] = j
            n_rivals += np.int64(push_score(highest, threshold, eta, usage[j]) <= best)
    summed = np.zeros(sample.n_active)
    for k in range(first, last):
        summed[train.inputs[k]] += train.growth[k]
    lowest = np.empty(n_rivals)
    ceiling = best
    if n_rivals > _MANY_RIVALS:
        bounds = np.empty(usage.size)
        bound_potentials(certificate, sample, summed, bounds)
        for r in range(n_rivals):
            j = rivals[r]
            lowest[r] = push_score(bounds[j] * decay, threshold, eta, usage[j])
        favourite = rivals[np.argmin(lowest)]
        u = replay(layer.weights[favourite], sample.active, train.inputs, train.growth, first, last)
        ceiling = min(best, push_score(np.float64(u) * decay, threshold, eta, usage[favourite]))
        n_left = np.int64(0)
        for r in range(n_rivals):
            rivals[n_left] = rivals[r]
            n_left += np.int64(lowest[r] <= ceiling)
        n_rivals = n_left
    relative = (last - first + 8) * 2.0**-23
    for r in range(n_rivals):
        j = rivals[r]
        v = 0.0
        for k in range(sample.n_active):
            v += np.float64(layer.weights[j, sample.active[k]]) * summed[k]
        v *= decay
        lowest[r] = push_score(v * (1.0 + relative), threshold, eta, usage[j])
        ceiling = min(ceiling, push_score(v * (1.0 - relative), threshold, eta, usage[j]))
    for r in range(n_rivals):
        if lowest[r] <= ceiling:
            j = rivals[r]
            u = replay(layer.weights[j], sample.active, train.inputs, train.growth, first, last)
            score = push_score(np.float64(u) * decay, threshold, eta, usage[j])
            if score < best or (score == best and j < winner):
                best, winner = score, j
    return winner


@kernel
def target_of_dopamine(
    constants: Constants,
    layer: Layer,
    sample: Sample,
    train: Train,
    chosen: Candidates,
    certificate: Certificate,
    first: int,
    last: int,
    decay: float,
    spike: int,
) -> int:
    """The neuron that the repeated push makes fire."""
    if constants.random_target:
        return random_target(sample.seed, sample.number, spike, layer.usage.size)
    if constants.push_on_leftover:
        return reach_by_push(
            constants, layer, sample, train, chosen, certificate, first, last, decay
        )
    return least_used(layer.usage)
