"""Learning many samples: the kernel that Python calls.

Samples are taken in order. The certificate's products λ·G are computed for a block of coming samples at
once, tile by tile, so that G is read from memory once a block. Where neurons have changed since then, their
tiles are computed again.
"""

from __future__ import annotations

import numpy as np

from ..model.parameters import Constants
from .blocks import (
    LARGEST_BLOCK,
    bound_block,
    bound_sample,
    encode_block,
    new_block,
    new_train,
    tiles_for,
)
from .candidates.bounded_neurons import new_watch
from .candidates.certificate import (
    MISS_PER_PRESENTATION,
    Certificate,
    choose_candidates,
    refresh_neuron,
    watch_unlikely,
)
from .candidates.push import new_rivals
from .compiling.kernels import entry_kernel, frame_kernel, kernel
from .gathering import gather, groups_for, new_gathering
from .layouts import Block, Candidates, Gathering, Layer, Rivals, Sample, Train, Watched
from .llvm.neuron_steps import GROUP, TILE
from .numbers import LEARNING
from .presentation import MOST_SPIKES, present


@kernel
def learning_block(n_neurons: int) -> int:
    """Samples whose bounds are computed together in learning.

    A large block reads G less often, but more tiles have to be computed again because of neurons that
    changed in it.
    """
    return min(max(n_neurons // 100, 16), LARGEST_BLOCK)


@kernel
def first_time(winners: np.ndarray, k: int) -> bool:
    """Whether the k-th winner is none of those before it."""
    repeats = 0
    for before in range(k):
        repeats += winners[before] == winners[k]
    return repeats == 0


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
                    bounds[b],
                    n_neurons,
                    certificate,
                    1.0,
                    1,
                    longest,
                    MISS_PER_PRESENTATION,
                    neurons,
                )
                n_simulated, n_watched = watch_unlikely(
                    bounds[b],
                    certificate,
                    1.0,
                    active[b],
                    n_active[b],
                    neurons,
                    n_candidates,
                    watched,
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
