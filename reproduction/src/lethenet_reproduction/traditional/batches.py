"""Showing many samples to the traditional network: the kernel that Python calls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lethenet.engine.compiling.kernels import allocating_kernel, entry_kernel
from lethenet.engine.encoding import encode
from lethenet.engine.input_spikes import DRAW
from lethenet.engine.layouts import Sample
from lethenet.engine.numbers import LEARNING, RECOGNITION, content_hash
from lethenet.engine.scratch import new_input_spikes

from .membrane import CHUNK, Scratch
from .parameters import TraditionalConstants
from .presentation import TraditionalLayer, present

CAPACITY = 32 * DRAW
"""Room for input spikes: about as many as come between two output spikes."""


@allocating_kernel
def by_input(
    weights: np.ndarray, active: np.ndarray, n_active: int, buffer: np.ndarray, width: int
) -> np.ndarray:
    """All neurons' weights from the active inputs, input by input; the surplus columns are zero."""
    columns = buffer[: n_active * width].reshape((n_active, width))
    n_neurons = weights.shape[0]
    for j in range(0, n_neurons, 16):  # 16 neurons to a cache line of the result
        for k in range(n_active):
            for c in range(j, min(j + 16, n_neurons)):
                columns[k, c] = weights[c, active[k]]
    columns[:, n_neurons:] = np.float32(0.0)
    return columns


class Answers(NamedTuple):
    """What happened in a series of presentations, a row per sample.

    ``winners`` (n, n_output_spikes) holds the neurons that fired, in order, −1 where none did;
    ``durations`` the time each sample was shown; ``input_spikes`` how many input spikes it sent;
    ``raises`` how often its rates were raised.

    >>> from lethenet_reproduction.traditional import *
    >>> state = initial_traditional_state(TRADITIONAL, n_neurons=4, n_features=16, seed=0)
    >>> TraditionalNetwork(TRADITIONAL, state).learn(np.eye(16)[:2]).winners.shape
    (2, 5)
    """

    winners: np.ndarray
    durations: np.ndarray
    input_spikes: np.ndarray
    raises: np.ndarray


@entry_kernel
def present_batch(
    X: np.ndarray,
    constants: TraditionalConstants,
    layer: TraditionalLayer,
    plastic: bool,
    seed: np.uint64,
    first_number: int,
    done: np.ndarray,
    answers: Answers,
) -> None:
    """Learn the rows of X in order, or recognise each by itself. Fills one row of the results each.

    ``done[0]`` counts samples as they are shown: whatever interrupts the caller, it can tell.
    """
    n_samples, n_features = X.shape
    n_neurons = layer.weights.shape[0]
    spikes = new_input_spikes(CAPACITY, n_features)
    active = np.empty(n_features, np.int32)
    rates = np.empty(n_features)
    room = (n_neurons + CHUNK - 1) // CHUNK * CHUNK
    column_buffer = np.empty(n_features * room, np.float32)
    potentials = np.empty((2, room), np.float32)
    thetas = np.zeros(room, np.float32)  # the surplus has weights zero and never fires
    slopes = np.empty(CAPACITY, np.float32)
    trace = np.zeros(n_features)
    for s in range(n_samples):
        answers.winners[s] = -1
        n_active, total_rate = encode(X[s], active, rates)
        if n_active == 0:  # a blank sample sends no spikes: nothing happens
            answers.durations[s], answers.input_spikes[s], answers.raises[s] = 0.0, 0, 0
            done[0] += 1
            continue
        if plastic:
            number, use = np.uint64(first_number + s), LEARNING
        else:
            number, use = content_hash(active, rates, n_active), RECOGNITION
        columns = by_input(layer.weights, active, n_active, column_buffer, room)
        sample = Sample(active, rates, n_active, total_rate, seed, number, use)
        scratch = Scratch(columns, potentials, thetas, slopes, trace)
        outcome = present(constants, layer, sample, scratch, spikes, plastic, answers.winners[s])
        answers.durations[s] = outcome.duration
        answers.input_spikes[s] = outcome.n_input_spikes
        answers.raises[s] = outcome.n_raises
        done[0] += 1
