"""The nearest error of a k-means network, and the potential that belongs to it (paper, fig. kmeans).

Samples and prototypes have length one. Each prototype gets the class that most of its samples have. The
nearest error is the largest dot product x · p of a training sample x with its nearest prototype p where
the classes differ; the nearest pair is the largest one of any sample and any prototype whose classes
differ (the paper's caption speaks of the first, its text of the second). A neuron at this angle has the
mean potential E[V] = τ_mem x · p: with a threshold below it, neurons fire for samples of other classes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from lethenet.data import Dataset, load
from lethenet.model import PAPER
from lethenet.sweeps import Listener, read_results
from lethenet.theory.prototypes import nearest_prototypes, spherical_k_means

from ..studies.remembering import remembered
from ..studies.tables import Record
from .scales import Scale

FILE = "kmeans.jsonl"
_ROWS_AT_A_TIME = 4096


def nearest_error(
    data: Dataset, n_prototypes: int, *, n_iterations: int, seed: int
) -> dict[str, Any]:
    """Cluster the training samples; the dot products of the nearest error and the nearest pair.

    >>> found = nearest_error(load("digits"), 20, n_iterations=5, seed=0)
    >>> 0.5 < found["nearest_error"] <= found["nearest_pair"] < 1
    True
    """
    rates = data.X_train.astype(np.float32)
    rates /= np.linalg.norm(rates, axis=1, keepdims=True)
    prototypes = spherical_k_means(rates, n_prototypes, n_iterations=n_iterations, seed=seed)
    nearest, dots = nearest_prototypes(rates, prototypes)
    classes, numbers = np.unique(data.y_train, return_inverse=True)
    votes = np.zeros((n_prototypes, len(classes)), np.int64)
    np.add.at(votes, (nearest, numbers), 1)
    # a prototype without samples has no class
    labels = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
    wrong = labels[nearest] != numbers
    return {
        "nearest_error": float(dots[wrong].max()) if wrong.any() else None,
        "nearest_pair": _nearest_pair(rates, numbers, prototypes[labels >= 0], labels[labels >= 0]),
        "errors": int(wrong.sum()),
        "train_accuracy": 1 - float(wrong.mean()),
    }


def _nearest_pair(
    rates: np.ndarray, numbers: np.ndarray, prototypes: np.ndarray, labels: np.ndarray
) -> float:
    largest = -1.0
    for start in range(0, len(rates), _ROWS_AT_A_TIME):
        rows = slice(start, start + _ROWS_AT_A_TIME)
        products = rates[rows] @ prototypes.T
        products[labels == numbers[rows, None]] = -1.0
        largest = max(largest, float(products.max()))
    return largest


def run_k_means(scale: Scale, folder: Path, progress: Listener | None = None) -> None:
    """Every size and trial that the folder lacks; ``progress`` hears of each."""
    there = {_text(record["config"]) for record in k_means_records(scale, folder)}
    trials = [each for each in _trials(scale) if _text(_config(scale, *each)) not in there]
    if not trials:
        return
    data = load(scale.dataset).limited(scale.train_per_class, scale.test_per_class)
    began, made, wanted = time.perf_counter(), 0, sum(neurons for neurons, _ in trials)
    for done, (neurons, seed) in enumerate(trials, 1):
        remembered(
            folder / FILE,
            _config(scale, neurons, seed),
            lambda n=neurons, s=seed: nearest_error(  # type: ignore[misc]
                data, n, n_iterations=scale.k_means_iterations, seed=s
            ),
            quiet=True,
        )
        made += neurons  # a trial takes as long as it has prototypes
        if progress is not None:
            spent = time.perf_counter() - began
            progress(
                {
                    "event": "step",
                    "what": f"k-means with {neurons} prototypes, trial {seed + 1}",
                    "done": done,
                    "steps": len(trials),
                    "seconds_done": spent,
                    "seconds_left": spent / made * (wanted - made),
                }
            )


def _trials(scale: Scale) -> list[tuple[int, int]]:
    """Sizes and seeds of all trials: every size once before the next seed, so that parts are even.

    >>> from lethenet_reproduction.paper import SCALES
    >>> _trials(SCALES["smoke"])[6:9]
    [(100, 0), (20, 1), (30, 1)]
    """
    return [
        (neurons, seed)
        for seed in range(max(scale.trials))
        for neurons, trials in zip(scale.sizes, scale.trials, strict=True)
        if seed < trials
    ]


def _config(scale: Scale, neurons: int, seed: int) -> Record:
    return {
        "learner": "spherical k-means",
        "dataset": scale.dataset,
        "train_per_class": scale.train_per_class,
        "neurons": neurons,
        "iterations": scale.k_means_iterations,
        "seed": seed,
    }


@dataclass(frozen=True)
class NearestErrors:
    """The nearest errors of the trials of one size, as dot products.

    >>> errors = NearestErrors(400, (0.93, 0.95), same_as_pair=2)
    >>> round(errors.mean, 4), round(errors.potential, 4)
    (0.94, 14.1)
    """

    neurons: int
    dots: tuple[float, ...]
    same_as_pair: int
    """In how many trials the nearest error is the nearest pair, too."""

    @property
    def mean(self) -> float:
        """Mean over the trials."""
        return mean(self.dots)

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation over the trials, None of a single one."""
        return stdev(self.dots) if len(self.dots) > 1 else None

    @property
    def potential(self) -> float:
        """The mean membrane potential of a neuron at that angle, τ_mem times the dot product."""
        return PAPER.tau_mem * self.mean


def k_means_records(scale: Scale, folder: Path) -> list[Record]:
    """The trials of a scale that are in a folder."""
    path = folder / FILE
    records = read_results(path) if path.exists() else []
    by_config = {_text(record["config"]): record for record in records}
    wanted = (_text(_config(scale, neurons, seed)) for neurons, seed in _trials(scale))
    return [by_config[text] for text in wanted if text in by_config]


def read_k_means(scale: Scale, folder: Path) -> list[NearestErrors]:
    """The sizes that have trials in a folder."""
    records, found = k_means_records(scale, folder), []
    for neurons in scale.sizes:
        results = [r["results"] for r in records if r["config"]["neurons"] == neurons]
        with_errors = [r for r in results if r["nearest_error"] is not None]
        if with_errors:
            dots = tuple(float(r["nearest_error"]) for r in with_errors)
            same = sum(r["nearest_error"] >= r["nearest_pair"] - 1e-6 for r in with_errors)
            found.append(NearestErrors(neurons, dots, same))
    return found


def _text(config: Record) -> str:
    return repr(sorted(config.items()))
