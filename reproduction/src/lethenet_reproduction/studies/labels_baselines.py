"""What a user would try with a few labels instead: from scikit-learn, and k-means with borrowed labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.baselines import SphericalKMeans, unit_rows
from lethenet.estimators.readout import borrow_labels, count_labels, decide

from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

POOL = 5_000
"""Samples over which scikit-learn's LabelSpreading spreads: more take long, and much memory."""
PER_CLASS = (1, 3, 10, 100)
CASES = [("mnist", "edges"), ("mnist", "pixels"), ("fashion-mnist", "edges")]
METHODS = ("LabelSpreading, 5,000 samples", "k-means, borrowed labels", "supervised network")


def label_spreading(
    X: np.ndarray, chosen: np.ndarray, labels: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """scikit-learn's LabelSpreading over the labelled samples and others, 5,000 in all."""
    from sklearn.semi_supervised import LabelSpreading

    others = np.random.default_rng(0).permutation(np.setdiff1d(np.arange(len(X)), chosen))
    rows = np.concatenate([chosen, others[: POOL - len(chosen)]])
    y = np.full(len(rows), -1)
    y[: len(chosen)] = labels
    model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.2, max_iter=100)
    return np.asarray(model.fit(X[rows], y).predict(test))


def supervised(
    X: np.ndarray, chosen: np.ndarray, labels: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """A small network trained on the labelled samples alone."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(hidden_layer_sizes=(100,), max_iter=300, random_state=0)
    return np.asarray(model.fit(X[chosen], labels).predict(test))


def compare(
    data: tuple[np.ndarray, ...],
    draws: Callable[..., Any],
    per_class: Sequence[int] = PER_CLASS,
    n_clusters: int = 400,
) -> dict[str, Any]:
    """Test accuracies of each method, a list over draws for each number of labels per class."""
    X, y, X_test, y_test = data
    X, X_test = unit_rows(X), unit_rows(X_test)
    kmeans = SphericalKMeans(n_clusters, random_state=0).fit(X)
    nearest, answers = kmeans.predict(X)[:, None], kmeans.predict(X_test)[:, None]
    shape = n_clusters, int(y.max()) + 1
    found: dict[str, Any] = {}
    for n in per_class:
        for chosen, labels in draws(y, n):
            counts = borrow_labels(
                count_labels(nearest[chosen], labels, *shape), kmeans.cluster_centers_
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # networks that stop early, classes of few samples
                guesses = (
                    label_spreading(X, chosen, labels, X_test),
                    decide(answers, counts, np.ones(shape[1])),
                    supervised(X, chosen, labels, X_test),
                )
            for method, guess in zip(METHODS, guesses, strict=True):
                found.setdefault(f"{method}, {n}", []).append(float(np.mean(guess == y_test)))
    return found


def records(
    folder: Path,
    features: Callable[[str, str], tuple[np.ndarray, ...]],
    layer_settings: Callable[[str], dict[str, Any]],
    draws: Callable[..., Any],
) -> list[Record]:
    """All comparisons, computed where they are missing."""

    def record(dataset: str, layer: str) -> Record:
        config: dict[str, Any] = {"dataset": dataset, "layer": layer}
        config["features"] = layer_settings(layer)
        config.update(pool=POOL, per_class=list(PER_CLASS))

        def compute() -> dict[str, Any]:
            return compare(features(dataset, layer), draws)

        return remembered(folder / "baselines.jsonl", config, compute, quiet=True)

    return [record(*case) for case in CASES]


def table(found: list[Record]) -> str:
    """A row for each method and input, a column for each number of labels per class."""
    rows = []
    sizes = found[0]["config"]["per_class"]
    groups = grouped(found, lambda r: (r["config"]["dataset"], r["config"]["layer"]))
    for (dataset, layer), group in groups.items():
        for method in METHODS:
            cells = [
                mean_sd([100 * v for v in group[0]["results"][f"{method}, {n}"]]) for n in sizes
            ]
            rows.append([dataset, layer, method, *cells])
    return markdown(["data", "input", "method", *map(str, sizes)], rows)
