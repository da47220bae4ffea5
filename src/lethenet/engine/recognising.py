"""Recognising many samples: the kernel that Python calls.

Every sample is treated by itself. Candidates are chosen for as many raises of the rates as seem likely; if
more turn out to be needed, the presentation starts again from the same random numbers with more candidates,
which cannot change its result. Candidates that hardly ever fire are watched, as in learning, unless more
raises are likely than there is room to look back over.
"""

from __future__ import annotations

import numpy as np

from ..model.parameters import Constants
from .blocks import LARGEST_BLOCK, bound_block, encode_block, new_block, new_train
from .candidates.bounded_neurons import new_watch
from .candidates.certificate import (
    MISS_PER_PRESENTATION,
    Certificate,
    choose_candidates,
    watch_unlikely,
)
from .candidates.push import new_rivals
from .compiling.kernels import entry_kernel, frame_kernel, kernel
from .gathering import gather, groups_for, new_gathering
from .layouts import Block, Candidates, Gathering, Layer, Rivals, Sample, Train, Watched
from .llvm.neuron_steps import GROUP
from .numbers import RECOGNITION, content_hash
from .presentation import MOST_SPIKES, present


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
def recognise_batch(
    X: np.ndarray,
    constants: Constants,
    certificate: Certificate,
    certified: bool,
    layer: Layer,
    seed: np.uint64,
    capacity: int,
    watched_raises: int,
    winners: np.ndarray,
    durations: np.ndarray,
    input_spikes: np.ndarray,
    raises: np.ndarray,
    simulated: np.ndarray,
) -> None:
    """Recognise the rows of X, each by itself; the layer is only read.

    There must be ``capacity`` for the spikes of a silence with ``watched_raises`` raises of the rates.
    """
    n_neurons, n_features = layer.weights.shape
    spare = constants.n_output_spikes if certified else 0  # neurons that fire though only watched
    room = groups_for(n_neurons + spare) * GROUP
    recognise_rows(
        X,
        constants,
        certificate,
        certified,
        layer,
        seed,
        watched_raises,
        spare,
        new_train(capacity, n_features),
        new_block(LARGEST_BLOCK, n_features, n_neurons),
        new_watch(n_neurons if certified else 0, n_features, MOST_SPIKES),
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
    watched_raises: int,
    spare: int,
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

    for start in range(0, n_samples, LARGEST_BLOCK):
        stop = min(start + LARGEST_BLOCK, n_samples)
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
                    n_candidates = n_simulated = choose_candidates(
                        bounds[b], n_neurons, certificate, gain, allowed + 1, longest, miss, neurons
                    )
                    n_watched = 0
                    if allowed <= watched_raises:
                        n_simulated, n_watched = watch_unlikely(
                            bounds[b],
                            certificate,
                            gain,
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
                columns, potentials = gather(
                    layer.weights, active[b], n_active[b], neurons, n_simulated, spare, gathering
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
