"""Whom the dopaminergic push reaches.

The push is repeated until one neuron fires, so the question is who needs the fewest pushes
(:mod:`lethenet.model.dopamine` has the formula). With leftover potentials in play, neurons that were not
simulated have to be looked at as well; this finds the winner without simulating them all, to the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...model.constants import Constants
from ...model.dopamine import SMALLEST_GAP
from ..compiling.kernels import kernel
from ..dopamine import least_used, push_score, random_target
from ..layouts import Candidates, Certificate, InputSpikes, Layer, PushCandidates, Sample, Setting
from ..llvm.neuron_steps import GROUP, TILE
from ..llvm.vectors import LINE, address, fetch
from ..membrane import replay
from ..numbers import exp
from .certificate import bound_tile
from .choosing import MISS_PER_PRESENTATION
from .fixed_point import pack, room_for_pairs

_LOG_SMALLEST_GAP = math.log(SMALLEST_GAP) - 1e-6
_LARGE = 600.0  # exponents beyond it mean: any potential will do
_MANY = 16  # fewer are computed faster than sorted out
_MARGIN = 1.0 + 1e-6  # more than rounding can do to exp, log and what is computed with them


class Silence(NamedTuple):
    """Input spikes ``first`` to ``last - 1`` in which nobody fired, and what decay left of them."""

    first: int
    last: int
    decay: float


def new_push_candidates(n_neurons: int, n_features: int) -> PushCandidates:
    """Scratch for so many neurons."""
    return PushCandidates(
        np.empty(n_neurons, np.int64),
        np.empty(n_neurons),
        np.empty(n_features),
        np.empty(room_for_pairs(n_features), np.int32),
        np.empty(room_for_pairs(n_features), np.int32),
        np.empty(-(-n_neurons // TILE) * TILE, np.float32),
    )


@kernel
def reach_by_push(
    setting: Setting,
    sample: Sample,
    chosen: Candidates,
    n_simulated: int,
    spikes: InputSpikes,
    others: PushCandidates,
    silence: Silence,
) -> int:
    """The neuron that a push on top of the leftover potentials reaches first.

    A neuron that was not simulated has a potential all the same. It is bounded (first by the certificate,
    then from G), computed as weights times summed spikes where the bounds leave a chance to win, and
    replayed spike by spike where rounding could decide.
    """
    constants, certificate, layer = setting.constants, setting.certificate, setting.layer
    usage, eta, threshold = layer.usage, constants.depression, constants.threshold
    neurons, potentials, weights = chosen.neurons, chosen.potentials, layer.weights
    active, inputs, growth = sample.active, spikes.inputs, spikes.growth
    first, last, decay = silence.first, silence.last, silence.decay
    best, winner = np.inf, -1
    for c in range(n_simulated):
        left = np.float64(potentials[c // GROUP, 0, c % GROUP]) * decay
        score = push_score(left, threshold, eta, usage[neurons[c]])
        if score < best or (score == best and neurons[c] < winner):
            best, winner = score, neurons[c]
    if not setting.certified:
        return winner
    summed, lowest = others.summed, others.lowest
    for k in range(sample.n_active):
        summed[k] = 0.0
    for k in range(first, last):
        summed[inputs[k]] += growth[k]
    n_pushed = possible_candidates(constants, layer, chosen, certificate, best, others.neurons)
    n_pushed, ceiling = likely_candidates(
        constants, certificate, layer, sample, spikes, others, silence, best, n_pushed
    )
    relative = (last - first + 8) * 2.0**-23
    for r in range(n_pushed):
        j = others.neurons[r]
        v = 0.0
        for k in range(sample.n_active):
            v += np.float64(weights[j, active[k]]) * summed[k]
        v *= decay
        lowest[r] = push_score(v * (1.0 + relative), threshold, eta, usage[j])
        ceiling = min(ceiling, push_score(v * (1.0 - relative), threshold, eta, usage[j]))
    for r in range(n_pushed):
        if lowest[r] <= ceiling:
            j = others.neurons[r]
            u = replay(weights[j], active, inputs, growth, first, last)
            score = push_score(np.float64(u) * decay, threshold, eta, usage[j])
            if score < best or (score == best and j < winner):
                best, winner = score, j
    return winner


@kernel
def needed_potential(constants: Constants, best: float, usage: float) -> float:
    """A potential without which a neuron of this usage cannot be reached as soon as ``best``, or ∞."""
    room = best - constants.depression * usage
    if room < _LOG_SMALLEST_GAP:
        return np.inf
    return float(constants.threshold) - exp(min(room, _LARGE)) * _MARGIN


@kernel
def possible_candidates(
    constants: Constants,
    layer: Layer,
    chosen: Candidates,
    certificate: Certificate,
    best: float,
    others: np.ndarray,
) -> int:
    """The neurons that were not simulated and may be reached as soon as ``best``; how many there are.

    P(v_j > x_j) < MISS/(n m) for x_j = (λ·G_j + log(n m/MISS))/θ, with m pushes at the most.
    """
    usage, bounds, column_of = layer.usage, chosen.bounds, chosen.column_of
    pushes = usage.size * constants.n_output_spikes
    log_miss = np.log(pushes / MISS_PER_PRESENTATION) + certificate.slack
    least = usage[0]
    for j in range(1, usage.size):
        least = min(least, usage[j])
    # what the least used need is less than what others do
    anyone = needed_potential(constants, best, least) * certificate.theta - log_miss
    known, needed = least, anyone  # many neurons have the same usage
    n_pushed = np.int64(0)
    for j in range(usage.size):
        if np.float64(bounds[j]) < anyone:
            continue
        if usage[j] != known:
            known = usage[j]
            potential = needed_potential(constants, best, known)
            needed = potential * certificate.theta - log_miss
        others[n_pushed] = j
        n_pushed += np.int64((np.float64(bounds[j]) >= needed) & (column_of[j] < 0))
    return int(n_pushed)


@kernel
def likely_candidates(
    constants: Constants,
    certificate: Certificate,
    layer: Layer,
    sample: Sample,
    spikes: InputSpikes,
    others: PushCandidates,
    silence: Silence,
    best: float,
    n_pushed: int,
) -> tuple[int, float]:
    """Keep those that may still win when their potentials are bounded from G; the score to beat.

    Let s_i be the summed spikes and S = Σ s_i. E is convex, so (Jensen)::

        E(θ Σ_i w_ij s_i / S) ≤ Σ_i E(θ w_ij) s_i / S = Σ_i G_ij s_i / (τ S)

    A potential u_j = Σ_i w_ij s_i of at least x is possible only where the right side is E(θ x/S) at least.
    If many remain, two that look promising are replayed: the rest has to beat them.
    """
    first, last, decay = silence.first, silence.last, silence.decay
    if n_pushed == 0 or last == first:
        return n_pushed, best
    n_features = layer.weights.shape[1]
    neurons, bounds, summed = others.neurons, others.bounds, others.summed
    n_pairs, step = pack(
        sample.active, summed, sample.n_active, n_features, others.pairs, others.packed
    )
    total = 0.0
    for k in range(sample.n_active):
        total += summed[k]
    bound_push_candidates(certificate, others, n_pairs, step, n_pushed)
    usage, ceiling = layer.usage, best
    n_pushed, ahead, little_used = keep_candidates(
        constants, usage, certificate, decay, total, bounds, ceiling, neurons, n_pushed
    )
    if n_pushed < _MANY:
        return n_pushed, best
    for favourite in (ahead, little_used):
        u = replay(
            layer.weights[favourite], sample.active, spikes.inputs, spikes.growth, first, last
        )
        v = np.float64(u) * decay
        score = push_score(v, constants.threshold, constants.depression, usage[favourite])
        ceiling = min(ceiling, score)
    n_pushed, _, _ = keep_candidates(
        constants, usage, certificate, decay, total, bounds, ceiling, neurons, n_pushed
    )
    return n_pushed, ceiling


@kernel
def bound_push_candidates(
    certificate: Certificate, others: PushCandidates, n_pairs: int, step: np.float32, n_pushed: int
) -> None:
    """Σ_i G_ij s_i for these neurons (and for the rest of their tiles)."""
    neurons, pairs, packed = others.neurons, others.pairs, others.packed
    size = certificate.tiles.shape[1] * (TILE * 4)
    tiles = address(certificate.tiles)
    r = 0
    while r < n_pushed:
        t = neurons[r] // TILE
        while r < n_pushed and neurons[r] // TILE == t:
            r += 1
        if r < n_pushed:  # what comes next
            coming = tiles + neurons[r] // TILE * size
            for k in range(n_pairs):
                fetch(coming + np.int64(pairs[k]) * LINE)
        bound_tile(certificate, t, pairs, packed, n_pairs, step, others.bounds)


@kernel
def keep_candidates(
    constants: Constants,
    usage: np.ndarray,
    certificate: Certificate,
    decay: float,
    total: float,
    bounds: np.ndarray,
    ceiling: float,
    others: np.ndarray,
    n_pushed: int,
) -> tuple[int, int, int]:
    """Keep those whose bound allows a score of ``ceiling``: how many, and two that may well win.

    These are the one furthest above its bound, and the one with the highest bound of the least used.
    """
    known, needed = np.nan, 0.0  # many neurons have the same usage
    ahead, margin = -1, -1.0
    little_used, least, highest = -1, np.inf, np.float32(0.0)
    n_left = np.int64(0)
    for r in range(n_pushed):
        j = others[r]
        if usage[j] != known:
            known = usage[j]
            potential = needed_potential(constants, ceiling, known) / decay
            x = max(certificate.theta * potential / total, 0.0)
            needed = total * certificate.tau_mem * integral_below(x)
        over = np.float64(bounds[j]) * _MARGIN - needed
        if over >= 0.0:
            others[n_left] = j
            n_left += 1
            if over > margin:
                ahead, margin = j, over
            if usage[j] < least or (usage[j] == least and bounds[j] > highest):
                little_used, least, highest = j, usage[j], bounds[j]
    return int(n_left), ahead, little_used


@kernel
def integral_below(x: float) -> float:
    """E(x) for x ≥ 0 from below: the first terms of Σ xⁿ / (n·n!)."""
    return x * (1.0 + x * (1 / 4 + x * (1 / 18 + x * (1 / 96 + x * (1 / 600 + x * (1 / 4320))))))


@kernel
def target_of_dopamine(
    setting: Setting,
    sample: Sample,
    chosen: Candidates,
    n_simulated: int,
    spikes: InputSpikes,
    others: PushCandidates,
    silence: Silence,
    n_output: int,
) -> int:
    """The neuron that the repeated push makes fire, after ``n_output`` output spikes."""
    usage = setting.layer.usage
    if setting.constants.random_target:
        return random_target(sample.seed, sample.number, n_output, usage.size)
    if setting.constants.push_on_leftover:
        return reach_by_push(setting, sample, chosen, n_simulated, spikes, others, silence)
    return least_used(usage)
