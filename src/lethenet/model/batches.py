"""Learning and recognising many samples: the two kernels that Python calls.

Learning takes the samples in order. The certificate's products λ·G are computed for a block of coming
samples at once, tile by tile, so that G is read from memory once a block. Where neurons have changed since
then, their tiles are computed again.

Recognition treats every sample by itself. Candidates are chosen for as many raises of the rates as seem
likely; if more turn out to be needed, the presentation starts again from the same random numbers with
more candidates, which cannot change its result.
"""

from __future__ import annotations

import numpy as np

from .blocks import (
    bound_block,
    bound_sample,
    encode_block,
    new_block,
    new_train,
    tiles_for,
)
from .certificate import (
    MISS_PER_PRESENTATION,
    Certificate,
    choose_candidates,
    refresh_neuron,
    split_candidates,
)
from .compiling import entry_kernel, frame_kernel, kernel
from .gathering import gather, groups_for, new_gathering
from .neuron_steps import GROUP, TILE
from .parameters import Constants
from .presentation import MOST_SPIKES, present
from .push import new_rivals
from .random_words import LEARNING, RECOGNITION, content_hash
from .records import Block, Candidates, Gathering, Layer, Rivals, Sample, Train, Watched
from .watch import gather_watched, new_watch

BLOCK = 64
"""Samples whose bounds are computed together in recognition."""


@kernel
def learning_block(n_neurons: int) -> int:
    """Samples whose bounds are computed together in learning.

    A large block reads G less often, but more tiles have to be computed again because of neurons that
    changed in it.
    """
    return min(max(n_neurons // 100, 16), BLOCK)


@kernel
def first_time(winners: np.ndarray, k: int) -> bool:
    """Whether the k-th winner is none of those before it."""
    repeats = 0
    for before in range(k):
        repeats += winners[before] == winners[k]
    return repeats == 0


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
    n_neurons, n_features = layer.weights.shape
    # Columns that may join: neurons that fire although they were only watched, or that are imprinted.
    spare = constants.n_output_spikes if certified or not constants.stop_after_imprint else 0
    room = groups_for(n_neurons + spare) * GROUP
    learn_rows(
        X,
        constants,
        certificate,
        certified,
        layer,
        seed,
        first_number,
        spare,
        new_train(capacity, n_features),
        new_block(learning_block(n_neurons), n_features, n_neurons),
        new_watch(n_neurons if certified else 0, n_features, MOST_SPIKES),
        new_rivals(n_neurons if certified else 0, n_features),
        new_gathering(n_features, room),
        np.empty(room, np.int64),
        np.full(n_neurons, -1),
        np.empty(tiles_for(n_neurons), np.int64),
        np.zeros(tiles_for(n_neurons), np.bool_),
        done,
        winners,
        imprints,
        durations,
        input_spikes,
        simulated,
    )


@frame_kernel
def learn_rows(
    X: np.ndarray,
    constants: Constants,
    certificate: Certificate,
    certified: bool,
    layer: Layer,
    seed: np.uint64,
    first_number: int,
    spare: int,
    train: Train,
    block: Block,
    watched: Watched,
    rivals: Rivals,
    gathering: Gathering,
    neurons: np.ndarray,
    column_of: np.ndarray,
    changed: np.ndarray,
    stale: np.ndarray,
    done: np.ndarray,
    winners: np.ndarray,
    imprints: np.ndarray,
    durations: np.ndarray,
    input_spikes: np.ndarray,
    simulated: np.ndarray,
) -> None:
    """What :func:`learn_batch` does, in memory that is there.

    ``changed`` are the tiles with neurons that changed since the block began, ``stale`` tells of each tile
    whether it is one.
    """
    n_samples, n_neurons = X.shape[0], layer.weights.shape[0]
    size = learning_block(n_neurons)
    active, rates, n_active, bounds = block.active, block.rates, block.n_active, block.bounds
    longest = constants.n_output_spikes * constants.dopaminergic_period

    for start in range(0, n_samples, size):
        stop = min(start + size, n_samples)
        encode_block(X, start, stop, block)
        if certified:
            bound_block(certificate, stop - start, block)
        n_changed = 0
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
                for m in range(n_changed):
                    bound_sample(certificate, changed[m], block, b)
                n_candidates = choose_candidates(
                    bounds[b], n_neurons, certificate, 1.0, longest, MISS_PER_PRESENTATION, neurons
                )
                n_simulated, n_watched = split_candidates(
                    bounds[b], certificate, neurons, n_candidates, watched.neurons
                )
                gather_watched(
                    certificate.levels,
                    certificate.alarms,
                    active[b],
                    n_active[b],
                    watched,
                    n_watched,
                )
            else:
                n_candidates = n_simulated = n_neurons
                n_watched = 0
                for j in range(n_neurons):
                    neurons[j] = j
            for c in range(n_simulated):
                column_of[neurons[c]] = c
            columns, potentials = gather(
                layer.weights, active[b], n_active[b], neurons, n_simulated, spare, gathering
            )
            sample = Sample(
                active[b],
                rates[b],
                n_active[b],
                block.total_rates[b],
                seed,
                np.uint64(first_number + s),
                LEARNING,
            )
            chosen = Candidates(
                neurons, columns, potentials, column_of, bounds[b], certified, gathering.kept
            )
            outcome = present(
                constants,
                layer,
                sample,
                chosen,
                n_simulated,
                watched,
                n_watched,
                rivals,
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
                if certified and first_time(winners[s], k):
                    refresh_neuron(layer.weights[j], np.int64(j), certificate)
                    if not stale[j // TILE]:
                        stale[j // TILE] = True
                        changed[n_changed] = j // TILE
                        n_changed += 1
            imprints[s] = outcome.imprinted
            durations[s] = outcome.duration
            input_spikes[s] = outcome.n_input_spikes
            simulated[s] = n_candidates
            done[0] += 1
        for m in range(n_changed):
            stale[changed[m]] = False


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
    n_neurons, n_features = layer.weights.shape
    room = groups_for(n_neurons) * GROUP
    recognise_rows(
        X,
        constants,
        certificate,
        certified,
        layer,
        seed,
        new_train(capacity, n_features),
        new_block(BLOCK, n_features, n_neurons),
        new_watch(0, n_features, MOST_SPIKES),
        new_rivals(0, n_features),
        new_gathering(n_features, room),
        np.empty(room, np.int64),
        np.empty(0, np.int64),  # only a dopaminergic push asks for columns by neuron
        winners,
        durations,
        input_spikes,
        raises,
        simulated,
    )


@frame_kernel
def recognise_rows(
    X: np.ndarray,
    constants: Constants,
    certificate: Certificate,
    certified: bool,
    layer: Layer,
    seed: np.uint64,
    train: Train,
    block: Block,
    watched: Watched,
    rivals: Rivals,
    gathering: Gathering,
    neurons: np.ndarray,
    column_of: np.ndarray,
    winners: np.ndarray,
    durations: np.ndarray,
    input_spikes: np.ndarray,
    raises: np.ndarray,
    simulated: np.ndarray,
) -> None:
    """What :func:`recognise_batch` does, in memory that is there."""
    n_samples, n_neurons = X.shape[0], layer.weights.shape[0]
    active, rates, n_active, bounds = block.active, block.rates, block.n_active, block.bounds

    for start in range(0, n_samples, BLOCK):
        stop = min(start + BLOCK, n_samples)
        encode_block(X, start, stop, block)
        if certified:
            bound_block(certificate, stop - start, block)
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
            sample = Sample(
                active[b], rates[b], n_active[b], block.total_rates[b], seed, number, RECOGNITION
            )
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
                    layer.weights, active[b], n_active[b], neurons, n_candidates, 0, gathering
                )
                chosen = Candidates(
                    neurons, columns, potentials, column_of, bounds[b], certified, gathering.kept
                )
                outcome = present(
                    constants,
                    layer,
                    sample,
                    chosen,
                    n_candidates,
                    watched,
                    0,
                    rivals,
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
