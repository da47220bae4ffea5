"""Is ``threshold="auto"`` as good as a sweep? One network per set, threshold and seed, classes in turn.

The annealed preset with 400 neurons learns the training samples, class after class (seed 0: rising, others:
in an order of their own), one epoch, no labels. Up to so many training samples of each class then give
labels, and the test samples are recognised with evidence votes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from lethenet.data import Dataset
from lethenet.estimators.readout import count_labels, decide
from lethenet.model import ANNEALED, Network, initial_state
from lethenet.theory import auto_threshold

from .remembering import flat_records, remembered
from .tables import Record, grouped, markdown
from .threshold_sets import FURTHER, MADE_WITH

NEURONS, SEEDS, LABELS_PER_CLASS = 400, 5, 500
STEP, REACH = 0.25, 4
"""The sweep: so many steps above and below the suggestion, rounded to a step."""
FILE = "auto.jsonl"


def accuracy(data: Dataset, threshold: float, seed: int) -> dict[str, Any]:
    """What a network reaches, and how novel things were to it."""
    X, y = data.X_train, data.y_train
    classes = np.unique(y)
    order = np.random.default_rng(seed).permutation(classes) if seed else classes
    state = initial_state(NEURONS, X.shape[1], seed)
    network = Network(replace(ANNEALED, threshold=threshold), state)
    network.learn(X[np.concatenate([np.flatnonzero(y == c) for c in order])])
    rows = np.concatenate([np.flatnonzero(y == c)[:LABELS_PER_CLASS] for c in classes])
    numbers = np.searchsorted(classes, y[rows])
    counts = count_labels(network.recognise(X[rows]).winners, numbers, NEURONS, len(classes))
    winners = network.recognise(data.X_test).winners
    frequencies = np.bincount(np.searchsorted(classes, y), minlength=len(classes))
    guesses = classes[decide(winners, counts, frequencies, "evidence")]
    imprinted = state.imprint_counts > 0
    owners = np.bincount(counts[counts.any(axis=1)].argmax(axis=1), minlength=len(classes))
    return {
        "test": float(np.mean(guesses == data.y_test)),
        "novel": float(state.imprint_counts.sum() / state.n_presentations),
        "unused": float(np.mean(~imprinted & (state.spike_counts == 0))),
        "idle": float(np.mean(imprinted & (state.spikes_since_imprint == 0))),
        "largest_class": float(owners.max() / max(owners.sum(), 1)),
    }
