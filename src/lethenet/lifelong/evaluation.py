"""A look at the frozen network: labels from recognised training samples, then a test.

Recognition draws its random numbers from the sample's own content, so looking changes nothing: the
network goes on learning as if nobody had looked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import measures
from .config import Readout

if TYPE_CHECKING:
    from ..data import Dataset
    from ..model import Network

PIECE = 4096
"""Samples recognised per thread between two chances to stop."""


@dataclass(frozen=True)
class Assessment:
    """What a frozen network knows: label counts (neurons, classes), and how its test went."""

    label_counts: np.ndarray
    class_counts: np.ndarray
    train_confusion: np.ndarray
    train_confusion_histogram: np.ndarray
    confusion: np.ndarray
    confusion_histogram: np.ndarray


def assess(
    network: Network,
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    n_classes: int,
    *,
    readout: Readout = "dominant",
    n_threads: int = 1,
    on_samples: Callable[[int], None] | None = None,
) -> Assessment:
    """Assign labels by recognising the training samples, then test. Labels are 0 … n_classes − 1.

    Examples
    --------
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=6, n_features=9, seed=0))
    >>> X, y = np.eye(9)[:3], np.arange(3)
    >>> _ = network.learn(X)
    >>> assess(network, (X, y), (X, y), n_classes=3).confusion
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    from ..estimators.readout import count_labels

    X, y = train
    train_winners = recognise(network, X, n_threads, on_samples)
    counts = count_labels(train_winners, y, network.state.n_neurons, n_classes)
    class_counts = np.bincount(y, minlength=n_classes)
    test_winners = recognise(network, test[0], n_threads, on_samples)

    def confusion(winners: np.ndarray, truth: np.ndarray, rule: Readout) -> np.ndarray:
        predicted = predict(winners, counts, class_counts, rule)
        return measures.confusion_matrix(truth, predicted, n_classes)

    return Assessment(
        label_counts=counts,
        class_counts=class_counts,
        train_confusion=confusion(train_winners, y, readout),
        train_confusion_histogram=confusion(train_winners, y, "histogram"),
        confusion=confusion(test_winners, test[1], readout),
        confusion_histogram=confusion(test_winners, test[1], "histogram"),
    )


def recognise(
    network: Network,
    X: np.ndarray,
    n_threads: int,
    on_samples: Callable[[int], None] | None = None,
) -> np.ndarray:
    """The winners for each sample; ``on_samples`` hears of each piece, and stops it by raising."""
    winners = [np.zeros((0, network.parameters.n_readout_spikes), np.int32)]
    step = PIECE * n_threads
    for start in range(0, len(X), step):
        piece = X[start : start + step]
        winners.append(network.recognise(piece, n_threads=n_threads, on_chunk=on_samples).winners)
    return np.concatenate(winners)


def predict(
    winners: np.ndarray, label_counts: np.ndarray, class_counts: np.ndarray, readout: Readout
) -> np.ndarray:
    """The class with most votes, the first among equals; the most frequent one without any vote.

    Examples
    --------
    >>> counts = np.array([[3, 1], [0, 5]])
    >>> winners = np.array([[0, 0, 1], [1, 1, 1], [-1, -1, -1]])
    >>> predict(winners, counts, np.array([4, 5]), "dominant")
    array([0, 1, 1])
    """
    from ..estimators.readout import vote

    votes = vote(winners, label_counts, readout)
    return np.where(votes.any(axis=1), votes.argmax(axis=1), np.argmax(class_counts))


def describe(
    assessment: Assessment, labels: Sequence[int], tasks_seen: Sequence[Sequence[int]], n_tasks: int
) -> dict[str, Any]:
    """An assessment as ``run.json`` holds it.

    ``labels`` are the names of the classes 0 … n_classes − 1; ``tasks_seen`` holds the class
    numbers of each task met so far.
    """
    seen = sorted({number for task in tasks_seen for number in task})
    confusion = assessment.confusion
    accuracies = measures.class_accuracies(confusion)
    mistaken = measures.false_positives(confusion)
    owned = measures.neurons_per_class(assessment.label_counts)
    row = [measures.accuracy_on(confusion, task) for task in tasks_seen]
    return {
        "train_accuracy": measures.accuracy(assessment.train_confusion),
        "test_accuracy": measures.accuracy(confusion),
        "test_accuracy_histogram": measures.accuracy(assessment.confusion_histogram),
        "task_accuracy": [*row, *[None] * (n_tasks - len(row))],
        "class_accuracy": {str(labels[c]): float(accuracies[c]) for c in seen},
        "false_positives": {str(labels[c]): int(mistaken[c]) for c in seen},
        "neurons_per_class": {str(labels[c]): int(owned[c]) for c in seen},
        "neurons_unlabelled": int(np.sum(assessment.label_counts.sum(axis=1) == 0)),
    }


def evaluate(model: Any, data: Dataset, *, n_jobs: int = -1) -> dict[str, Any]:
    """Test a fitted classifier on the test part of a data set, on the classes it knows.

    Examples
    --------
    >>> from lethenet import ControlledForgettingClassifier
    >>> from lethenet.data import load
    >>> digits = load("digits")
    >>> model = ControlledForgettingClassifier(n_neurons=50, threshold=15.0, random_state=0)
    >>> _ = model.fit(digits.X_train, digits.y_train)
    >>> sorted(evaluate(model, digits))
    ['accuracy', 'class_accuracy', 'classes', 'confusion', 'false_positives', 'samples']
    """
    labels = check_classifier(model, data.n_features, data.name)
    known = np.isin(data.y_test, labels)
    if not known.any():
        raise ValueError(
            f"{data.name} has none of the model's classes {labels}; it has {list(data.classes)}."
        )
    truth = np.searchsorted(model.classes_, data.y_test[known])
    winners = recognise(model.network_, data.X_test[known], threads(n_jobs))
    predicted = predict(winners, model.label_counts_, model.class_counts_, model.readout)
    confusion = measures.confusion_matrix(truth, predicted, len(labels))
    present = [c for c in range(len(labels)) if confusion[c].sum()]
    accuracies, mistaken = (
        measures.class_accuracies(confusion),
        measures.false_positives(confusion),
    )
    return {
        "samples": int(known.sum()),
        "classes": labels,
        "accuracy": measures.accuracy(confusion),
        "class_accuracy": {str(labels[c]): float(accuracies[c]) for c in present},
        "false_positives": {str(label): int(mistaken[c]) for c, label in enumerate(labels)},
        "confusion": confusion.tolist(),
    }


def check_classifier(model: Any, n_features: int, source: str) -> list[Any]:
    """The classes of a fitted classifier that takes samples of this width; ValueError otherwise."""
    if not hasattr(model, "label_counts_"):
        raise ValueError(
            f"the model is a {type(model).__name__} without a read-out: it cannot name classes. "
            "Save a ControlledForgettingClassifier, or the model of a run."
        )
    if model.n_features_in_ != n_features:
        raise ValueError(
            f"{source} has samples of {n_features} features, the model takes "
            f"{model.n_features_in_}."
        )
    return list(model.classes_.tolist())


def threads(n_jobs: int) -> int:
    """How many threads ``n_jobs`` means here.

    >>> threads(3)
    3
    """
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))
