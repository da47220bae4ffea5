"""Presenting many samples, learning or frozen: the kernels that Python calls.

The certificate's products λ·G are computed for a block of coming samples at once, tile by tile, so that
G is read from memory once a block. Learning takes samples in order; where neurons have changed since the
block began, their tiles are computed again.

Recognition treats every sample by itself. Its unlikely candidates are bounded when it is over
(:mod:`.candidates.afterwards`). Candidates are chosen for as many raises of the rates as seem
likely; if more turn out to be needed, the presentation starts again from the same random numbers with more
candidates, which cannot change its result.
"""

from __future__ import annotations

import numpy as np

from ..model.constants import Constants
from .blocks import LARGEST_BLOCK, bound_block, bound_sample, encode_block
from .candidates.afterwards import nobody_else_fires
from .candidates.bounded_neurons import gather_levels
from .candidates.certificate import refresh_neuron
from .candidates.choosing import MISS_PER_PRESENTATION, bound_unlikely, choose_candidates
from .compiling.kernels import bound_kernel, entry_kernel, frame_kernel, kernel
from .familiarity import familiarity
from .gathering import gather
from .layouts import (
    Block,
    Candidates,
    Certificate,
    Log,
    Outcome,
    Sample,
    Scratch,
    Setting,
)
from .links import link_winners
from .llvm.llvm_bits import go_in_line
from .llvm.neuron_steps import TILE
from .numbers import LEARNING, RECOGNITION, content_hash
from .presentation import present
from .workspace import Held

_ANY = 1 << 30  # raises of the rates, where no number of them is too many


@bound_kernel
def highest(bounds: np.ndarray, n_neurons: int) -> np.float32:
    """The highest bound of all neurons."""
    best = np.float32(0.0)
    for j in range(n_neurons):
        best = max(best, bounds[j])
    return best


@kernel
def likely_raises(
    constants: Constants, certificate: Certificate, bounds: np.ndarray, n_neurons: int
) -> int:
    """How often the rates will probably have to be raised: a guess that saves starting again.

    On MNIST a sample answers at once where the best neuron's λ·G is 1.22 times θ v_th, and needs the
    gain that lifts it there otherwise (rarely more).
    """
    best = max(np.float64(highest(bounds, n_neurons)), 1e-9)
    wanted = min(1.22 * certificate.theta * certificate.threshold / best, constants.max_rate_gain)
    return max(int(np.ceil(np.log(wanted) / np.log(constants.rate_gain))), 0)


@kernel
def first_time(winners: np.ndarray, k: int) -> bool:
    """Whether the k-th winner is none of those before it."""
    repeats = 0
    for before in range(k):
        repeats += winners[before] == winners[k]
    return repeats == 0


@kernel
def choose(
    setting: Setting, scratch: Scratch, b: int, n_raises: int, miss: float, bounding: bool
) -> tuple[int, int, int]:
    """Candidates for sample b of the block if rates are raised ``n_raises`` times at the most.

    Returns how many there are, how many of them to simulate, and of how many to keep a bound.
    """
    go_in_line()
    constants, certificate = setting.constants, setting.certificate
    block, neurons, n_neurons = scratch.block, scratch.neurons, setting.layer.weights.shape[0]
    if not setting.certified:
        for j in range(n_neurons):
            neurons[j] = j
        return n_neurons, n_neurons, 0
    bounds, gain = block.bounds[b], constants.rate_gain**n_raises
    longest = constants.dopaminergic_period * (constants.n_output_spikes + n_raises)
    n_candidates = choose_candidates(
        bounds, n_neurons, certificate, gain, n_raises + 1, longest, miss, neurons
    )
    if not bounding:
        return n_candidates, n_candidates, 0
    n_simulated, n_bounded = bound_unlikely(
        bounds, certificate, gain, neurons, n_candidates, scratch.bounded
    )
    return n_candidates, n_simulated, n_bounded


@kernel
def gather_chosen(
    setting: Setting, scratch: Scratch, b: int, n_simulated: int, n_bounded: int, later: bool
) -> Candidates:
    """What the presentation of sample b needs of the candidates; some may be bounded ``later``."""
    go_in_line()
    block, gathering, neurons = scratch.block, scratch.gathering, scratch.neurons
    active, weights = block.active[b], setting.layer.weights
    spare = n_bounded + scratch.spare
    if n_bounded > 0 and not later:
        certificate, n_active = setting.certificate, block.n_active[b]
        gather_levels(
            certificate.levels, certificate.alarms, active, n_active, scratch.bounded, n_bounded
        )
    columns, potentials = gather(
        weights, active, block.n_active[b], neurons, n_simulated, spare, gathering
    )
    return Candidates(
        neurons,
        columns,
        potentials,
        scratch.column_of,
        block.bounds[b],
        gathering.snapshot,
        n_simulated,
        0 if later else n_bounded,
        n_bounded if later else 0,
    )


@kernel
def sample_of(block: Block, b: int, seed: np.uint64, number: np.uint64, use: np.uint64) -> Sample:
    """Row b of a block, with the key of its random numbers."""
    go_in_line()
    return Sample(
        block.active[b], block.rates[b], block.n_active[b], block.total_rates[b], seed, number, use
    )


@kernel
def note(log: Log, s: int, outcome: Outcome, n_candidates: int, scratch: Scratch) -> None:
    """Fill row s of the log."""
    for k in range(outcome.n_output_spikes, log.winners.shape[1]):
        log.winners[s, k] = -1
        log.times[s, k] = np.nan
    log.imprints[s] = outcome.imprinted
    log.overwritten[s] = scratch.lost[0] if outcome.imprinted >= 0 else -1
    if log.former.shape[0] > 0 and outcome.imprinted >= 0:
        for i in range(scratch.former.size):
            log.former[s, i] = scratch.former[i]
    log.durations[s] = outcome.duration
    log.input_spikes[s] = outcome.n_input_spikes
    log.raises[s] = outcome.n_raises
    log.simulated[s] = n_candidates
    log.done[0] += 1


@entry_kernel
def learn_batch(X: np.ndarray, workspace: Held, first_number: int, log: Held) -> None:
    """Learn the rows of X in order and fill the log."""
    setting, scratch = workspace.value
    learn_rows(X, setting, first_number, scratch, log.value)


@frame_kernel
def learn_rows(
    X: np.ndarray, setting: Setting, first_number: int, scratch: Scratch, log: Log
) -> None:
    """What :func:`learn_batch` does."""
    certificate, layer, weights = setting.certificate, setting.layer, setting.layer.weights
    n_samples, size = X.shape[0], scratch.block.active.shape[0]
    block, neurons, column_of = scratch.block, scratch.neurons, scratch.column_of
    changed, stale = scratch.changed, scratch.stale
    for start in range(0, n_samples, size):
        stop = min(start + size, n_samples)
        encode_block(X, start, stop, block)
        if setting.certified:
            bound_block(certificate, stop - start, block)
        n_changed = 0
        for s in range(start, stop):
            b = s - start
            if block.n_active[b] == 0:  # a blank sample sends no spikes: nothing happens
                note(log, s, Outcome(0, -1, 0.0, 0, 0, 0, 0), 0, scratch)
                continue
            if setting.certified:
                for m in range(n_changed):
                    bound_sample(certificate, changed[m], block, b)
            if log.surprises.size > 0:
                active, rates, n_active = block.active[b], block.rates[b], block.n_active[b]
                found = familiarity(setting, active, rates, n_active, block.bounds[b])
                log.surprises[s] = 1.0 - found
            n_candidates, n_simulated, n_bounded = choose(
                setting, scratch, b, 0, MISS_PER_PRESENTATION, True
            )
            for c in range(n_simulated):
                column_of[neurons[c]] = c
            chosen = gather_chosen(setting, scratch, b, n_simulated, n_bounded, False)
            sample = sample_of(block, b, setting.seed, np.uint64(first_number + s), LEARNING)
            winners = log.winners[s]
            outcome = present(setting, sample, chosen, scratch, True, _ANY, winners, log.times[s])
            for c in range(outcome.n_simulated):
                column_of[neurons[c]] = -1
            for k in range(outcome.n_output_spikes):
                j = winners[k]
                if setting.certified and first_time(winners, k):
                    refresh_neuron(weights[j], np.int64(j), certificate)
                    if not stale[j // TILE]:
                        stale[j // TILE] = True
                        changed[n_changed] = j // TILE
                        n_changed += 1
            if setting.constants.links > 0:
                n_spikes, imprinted = outcome.n_output_spikes, outcome.imprinted
                link_winners(layer.link_partners, layer.link_counts, winners, n_spikes, imprinted)
            note(log, s, outcome, n_candidates, scratch)
        for m in range(n_changed):
            stale[changed[m]] = False


@entry_kernel
def recognise_batch(X: np.ndarray, workspace: Held, bounded_raises: int, log: Held) -> None:
    """Recognise the rows of X, each by itself, and fill the log; the layer is only read.

    The workspace must have room for the spikes of a silence with ``bounded_raises`` raises of the rates.
    """
    setting, scratch = workspace.value
    recognise_rows(X, setting, bounded_raises, scratch, log.value)


@frame_kernel
def recognise_rows(
    X: np.ndarray, setting: Setting, bounded_raises: int, scratch: Scratch, log: Log
) -> None:
    """What :func:`recognise_batch` does."""
    n_samples, n_neurons = X.shape[0], setting.layer.weights.shape[0]
    certificate, block = setting.certificate, scratch.block
    for start in range(0, n_samples, LARGEST_BLOCK):
        stop = min(start + LARGEST_BLOCK, n_samples)
        encode_block(X, start, stop, block)
        if setting.certified:
            bound_block(certificate, stop - start, block)
        for s in range(start, stop):
            b = s - start
            if block.n_active[b] == 0:
                note(log, s, Outcome(0, -1, 0.0, 0, 0, 0, 0), 0, scratch)
                continue
            number = content_hash(block.active[b], block.rates[b], block.n_active[b])
            sample = sample_of(block, b, setting.seed, number, RECOGNITION)
            allowed = _ANY
            if setting.certified:
                allowed = likely_raises(setting.constants, certificate, block.bounds[b], n_neurons)
            miss, later = MISS_PER_PRESENTATION, True
            winners, times = log.winners[s], log.times[s]
            while True:
                miss *= 0.5  # every attempt spends half of what is left
                bounding = allowed <= bounded_raises
                n_candidates, n_simulated, n_bounded = choose(
                    setting, scratch, b, allowed, miss, bounding
                )
                chosen = gather_chosen(setting, scratch, b, n_simulated, n_bounded, later)
                outcome = present(setting, sample, chosen, scratch, False, allowed, winners, times)
                if outcome.n_raises > allowed:
                    allowed = outcome.n_raises
                elif chosen.n_later == 0 or (
                    outcome.n_parts >= 0
                    and nobody_else_fires(
                        setting, sample, chosen, scratch, outcome.n_parts, winners
                    )
                ):
                    break
                else:  # somebody may have: with all of them bounded meanwhile
                    later = False
            note(log, s, outcome, n_candidates, scratch)
