"""Learning and recognising many samples: the two kernels that Python calls.

Learning takes the samples in order. The certificate's products λ·G are computed for a block of coming
samples at once, tile by tile, so that G is read from memory once a block; neurons that changed since are
simulated in any case. Their rows of G are brought up to date at the end of the block.

Recognition treats every sample by itself. Candidates are chosen for as many raises of the rates as seem
likely; if more turn out to be needed, the presentation starts again from the same random numbers with
more candidates, which cannot change its result.
"""

from __future__ import annotations

import numpy as np

from .blocks import bound_block, encode_block, gather, groups_for, new_train
from .certificate import (
    MISS_PER_PRESENTATION,
    Certificate,
    choose_candidates,
    refresh_neuron,
    split_candidates,
)
from .compiling import entry_kernel, kernel
from .neuron_steps import GROUP
from .parameters import Constants
from .presentation import MOST_SPIKES, present
from .random_words import LEARNING, RECOGNITION, content_hash
from .records import Candidates, Layer, Sample
from .watch import gather_watched, new_watch

BLOCK = 64
"""Samples whose bounds are computed together in recognition."""


@kernel
def learning_block(n_neurons: int) -> int:
    """Samples whose bounds are computed together in learning.

    A large block reads G less often, but simulates more neurons only because they changed in it.
    """
    return min(max(n_neurons // 100, 4), BLOCK)


_EVERYBODY = np.float32(1e30)


@kernel
def likely_raises(
    constants: Constants, certificate: Certificate, bounds: np.ndarray, n_neurons: int
) -> int:
    """How often the rates will probably have to be raised: a guess that saves starting again.

    On MNIST a sample answers at once where the best neuron's λ·G is 1.3 times θ v_th, and needs the
    gain that lifts it there otherwise (rarely more).
    """
    best = np.float32(0.0)
    for j in range(n_neurons):
        best = max(best, bounds[j])
    wanted = min(
        1.3 * certificate.theta * certificate.threshold / max(np.float64(best), 1e-9),
        constants.max_rate_gain,
    )
    return max(int(np.ceil(np.log(wanted) / np.log(constants.rate_gain))), 0)


@entry_kernel
def learn_batch(
    X: np.ndarray,
    constants: Constants,
    certificate: Certificate,
    certified: bool,
    layer: Layer,
    seed: np.uint64,
    first_number: int,
    capacity: int,
    done: np.ndarray,
    winners: np.ndarray,
    imprints: np.ndarray,
    durations: np.ndarray,
    input_spikes: np.ndarray,
    simulated: np.ndarray,
) -> None:
    """Learn the rows of X in order. Fills one row of each of the last five arrays per sample.

    ``done[0]`` counts samples as they are learned: whatever interrupts the caller, it can tell.
    """
    n_samples, n_features = X.shape
    n_neurons = layer.weights.shape[0]
    n_padded = certificate.tiles.shape[0] * GROUP
    block = learning_block(n_neurons)
    train = new_train(capacity, n_features)
    active = np.empty((block, n_features), np.int32)
    rates = np.empty((block, n_features))
    rates32 = np.empty((block, n_features), np.float32)
    n_active = np.empty(block, np.int64)
    totals = np.empty(block)
    bounds = np.zeros((block, max(n_padded, n_neurons)), np.float32)
    # Columns that may join: neurons that fire although they were only watched, or that are imprinted.
    spare = constants.n_output_spikes if certified or not constants.stop_after_imprint else 0
    watched = new_watch(n_neurons if certified else 0, n_features, MOST_SPIKES)
    room = groups_for(n_neurons + spare) * GROUP
    neurons = np.empty(room, np.int64)
    column_of = np.full(n_neurons, -1)
    column_buffer = np.empty(n_features * room, np.float32)
    potential_buffer = np.empty(2 * room, np.float32)
    changed = np.zeros(n_neurons, np.bool_)
    changes = np.empty(n_neurons, np.int64)
    longest = constants.n_output_spikes * constants.dopaminergic_period

    for start in range(0, n_samples, block):
        stop = min(start + block, n_samples)
        encode_block(X, start, stop, active, rates, rates32, n_active, totals)
        if certified:
            bound_block(certificate, stop - start, active, rates32, n_active, bounds)
        n_changes = 0
        for s in range(start, stop):
            b = s - start
            if n_active[b] == 0:  # a blank sample sends no spikes: nothing happens
                winners[s] = -1
                imprints[s] = -1
                durations[s] = 0.0
                input_spikes[s] = 0
                simulated[s] = 0
                done[0] += 1
                continue
            if certified:
                for m in range(n_changes):
                    bounds[b, changes[m]] = _EVERYBODY
                n_candidates = choose_candidates(
                    bounds[b], n_neurons, certificate, 1.0, longest, MISS_PER_PRESENTATION, neurons
                )
                n_simulated, n_watched = split_candidates(
                    bounds[b], certificate, neurons, n_candidates, watched.neurons
                )
                gather_watched(certificate.coarse, active[b], n_active[b], watched, n_watched)
            else:
                n_candidates = n_simulated = n_neurons
                n_watched = 0
                for j in range(n_neurons):
                    neurons[j] = j
            for c in range(n_simulated):
                column_of[neurons[c]] = c
            columns, potentials = gather(
                layer,
                active[b],
                n_active[b],
                neurons,
                n_simulated,
                spare,
                column_buffer,
                potential_buffer,
            )
            sample = Sample(
                active[b],
                rates[b],
                n_active[b],
                totals[b],
                seed,
                np.uint64(first_number + s),
                LEARNING,
            )
            chosen = Candidates(neurons, columns, potentials, column_of, bounds[b], certified)
            outcome = present(
                constants,
                layer,
                sample,
                chosen,
                n_simulated,
                watched,
                n_watched,
                certificate,
                train,
                True,
                1 << 30,
                winners[s],
            )
            for c in range(n_simulated):
                column_of[neurons[c]] = -1
            for k in range(outcome.n_output_spikes, constants.n_output_spikes):
                winners[s, k] = -1
            for k in range(outcome.n_output_spikes):
                j = winners[s, k]
                column_of[j] = -1
                if not changed[j]:
                    changed[j] = True
                    changes[n_changes] = j
                    n_changes += 1
            imprints[s] = outcome.imprinted
            durations[s] = outcome.duration
            input_spikes[s] = outcome.n_input_spikes
            simulated[s] = n_candidates
            done[0] += 1
        for m in range(n_changes):
            changed[changes[m]] = False
            if certified:
                refresh_neuron(layer.weights[changes[m]], changes[m], certificate)


@entry_kernel
def recognise_batch(
    X: np.ndarray,
    constants: Constants,
    certificate: Certificate,
    certified: bool,
    layer: Layer,
    seed: np.uint64,
    capacity: int,
    winners: np.ndarray,
    durations: np.ndarray,
    input_spikes: np.ndarray,
    raises: np.ndarray,
    simulated: np.ndarray,
) -> None:
    """Recognise the rows of X, each by itself; the layer is only read."""
    n_samples, n_features = X.shape
    n_neurons = layer.weights.shape[0]
    n_padded = certificate.tiles.shape[0] * GROUP
    train = new_train(capacity, n_features)
    active = np.empty((BLOCK, n_features), np.int32)
    rates = np.empty((BLOCK, n_features))
    rates32 = np.empty((BLOCK, n_features), np.float32)
    n_active = np.empty(BLOCK, np.int64)
    totals = np.empty(BLOCK)
    bounds = np.zeros((BLOCK, max(n_padded, n_neurons)), np.float32)
    room = groups_for(n_neurons) * GROUP
    neurons = np.empty(room, np.int64)
    column_of = np.empty(0, np.int64)  # only a dopaminergic push asks for it
    column_buffer = np.empty(n_features * room, np.float32)
    potential_buffer = np.empty(2 * room, np.float32)
    watched = new_watch(0, n_features, MOST_SPIKES)

    for start in range(0, n_samples, BLOCK):
        stop = min(start + BLOCK, n_samples)
        encode_block(X, start, stop, active, rates, rates32, n_active, totals)
        if certified:
            bound_block(certificate, stop - start, active, rates32, n_active, bounds)
        for s in range(start, stop):
            b = s - start
            if n_active[b] == 0:
                winners[s] = -1
                durations[s] = 0.0
                input_spikes[s] = 0
                raises[s] = 0
                simulated[s] = 0
                continue
            number = content_hash(active[b], rates[b], n_active[b])
            sample = Sample(active[b], rates[b], n_active[b], totals[b], seed, number, RECOGNITION)
            allowed = 1 << 30
            if certified:
                allowed = likely_raises(constants, certificate, bounds[b], n_neurons)
            miss = MISS_PER_PRESENTATION
            while True:
                miss *= 0.5  # every attempt spends half of what is left
                if certified:
                    gain = constants.rate_gain**allowed
                    longest = constants.dopaminergic_period * (constants.n_output_spikes + allowed)
                    n_candidates = choose_candidates(
                        bounds[b], n_neurons, certificate, gain, longest, miss, neurons
                    )
                else:
                    n_candidates = n_neurons
                    for j in range(n_neurons):
                        neurons[j] = j
                columns, potentials = gather(
                    layer,
                    active[b],
                    n_active[b],
                    neurons,
                    n_candidates,
                    0,
                    column_buffer,
                    potential_buffer,
                )
                chosen = Candidates(neurons, columns, potentials, column_of, bounds[b], certified)
                outcome = present(
                    constants,
                    layer,
                    sample,
                    chosen,
                    n_candidates,
                    watched,
                    0,
                    certificate,
                    train,
                    False,
                    allowed,
                    winners[s],
                )
                if outcome.n_raises <= allowed:
                    break
                allowed = outcome.n_raises + 1
            for k in range(outcome.n_output_spikes, constants.n_output_spikes):
                winners[s, k] = -1
            durations[s] = outcome.duration
            input_spikes[s] = outcome.n_input_spikes
            raises[s] = outcome.n_raises
            simulated[s] = n_candidates
