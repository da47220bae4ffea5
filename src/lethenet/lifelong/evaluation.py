"""A look at the frozen network: labels from recognised training samples, then a test.

Recognition draws its random numbers from the sample's own content, so looking changes nothing: the
network goes on learning as if nobody had looked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import measures

if TYPE_CHECKING:
    from ..data import Dataset, Task
    from ..estimators.readout import Readout
    from ..model import Network
    from .energy import Cost

PIECE = 1024
"""Samples recognised per thread between two looks at how many threads there are."""

LOOKED_AT = 100
"""Training samples of each class on which the training accuracy is measured where labels come online."""

Labelled = tuple[np.ndarray, np.ndarray]
"""Samples and their class numbers."""
Threads = int | Callable[[], int]
"""How many threads; a function is asked again and again."""


@dataclass(frozen=True)
class Assessment:
    """What a frozen learner knows: label counts (neurons, classes), and how its test went."""

    label_counts: np.ndarray
    train_confusion: np.ndarray
    train_confusion_histogram: np.ndarray
    confusion: np.ndarray
    confusion_histogram: np.ndarray
    confusion_evidence: np.ndarray
    predicted: np.ndarray
    task_accuracy: tuple[float, ...] = ()


def assess(
    recognise: Callable[[np.ndarray], np.ndarray],
    train: Labelled,
    test: Labelled,
    shape: tuple[int, int],
    readout: Readout = "dominant",
    counts: np.ndarray | None = None,
    class_counts: np.ndarray | None = None,
) -> Assessment:
    """Assign labels by recognising the training samples, then test. ``shape``: neurons, classes.

    ``recognise`` says which neurons fired for each sample, (n_samples, n_spikes); labels are class
    numbers, 0 … n_classes − 1. ``counts`` are label counts, if they need not be found, and
    ``class_counts`` of how many samples of each class; of the training samples if left out.

    >>> X, y = np.eye(9)[:3], np.arange(3)
    >>> assess(lambda X: X.argmax(axis=1)[:, None], (X, y), (X, y), shape=(9, 3)).confusion
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    from ..estimators.readout import count_labels, decide

    train_winners = recognise(train[0])
    test_winners = recognise(test[0])
    if counts is None:  # some clusterers grow beyond what they said
        n_neurons = max(shape[0], 1 + max(train_winners.max(), test_winners.max()))
        counts = count_labels(train_winners, train[1], n_neurons, shape[1])
    if class_counts is None:
        class_counts = np.bincount(train[1], minlength=shape[1])

    def confusion(winners: np.ndarray, truth: np.ndarray, rule: Readout) -> np.ndarray:
        predicted = decide(winners, counts, class_counts, rule)
        return measures.confusion_matrix(truth, predicted, shape[1])

    return Assessment(
        label_counts=counts,
        train_confusion=confusion(train_winners, train[1], readout),
        train_confusion_histogram=confusion(train_winners, train[1], "histogram"),
        confusion=confusion(test_winners, test[1], readout),
        confusion_histogram=confusion(test_winners, test[1], "histogram"),
        confusion_evidence=confusion(test_winners, test[1], "evidence"),
        predicted=decide(test_winners, counts, class_counts, readout),
    )


def assess_tasks(
    recognise: Callable[[np.ndarray], np.ndarray],
    data: Dataset,
    met: Sequence[Task],
    shape: tuple[int, int],
    labels: Sequence[int],
    *,
    readout: Readout = "dominant",
    label_per_class: int | None = None,
    counts: np.ndarray | None = None,
) -> Assessment:
    """Assess a learner on the tasks met so far.

    ``labels`` are the names of the classes 0 … n_classes − 1; ``label_per_class`` takes only the first
    so many training samples of each class. ``counts`` are label counts over all that have been met, if
    they need not be found.
    """
    numbers = np.array(labels)
    known, tested = met_rows(data, met, label_per_class)
    y, y_test = np.searchsorted(numbers, data.y_train), np.searchsorted(numbers, data.y_test)
    everything = known if counts is None else met_rows(data, met)[0]
    assessment = assess(
        recognise,
        (data.X_train[known], y[known]),
        (data.X_test[tested], y_test[tested]),
        shape,
        readout,
        counts,
        np.bincount(y[everything], minlength=shape[1]),
    )
    predicted = numbers[assessment.predicted]
    rows = []
    for task in met:
        own = tested_rows(data, task)
        answers = predicted[np.searchsorted(tested, own)]
        rows.append(measures.task_accuracy(data.y_test[own], answers, task.shares))
    return replace(assessment, task_accuracy=tuple(rows))


def tested_rows(data: Dataset, task: Task) -> np.ndarray:
    """Which test samples belong to a task."""
    return np.flatnonzero(np.isin(data.y_test, task.classes)) if task.test is None else task.test


def met_rows(
    data: Dataset, met: Sequence[Task], per_class: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Which training samples have been met in these tasks, and all of their test samples.

    Of the training samples only the first so many ``per_class``, class after class, if that is given.
    """
    known = np.unique(np.concatenate([task.indices for task in met]))
    if per_class is not None:
        y = data.y_train[known]
        known = np.concatenate([known[y == label][:per_class] for label in np.unique(y)])
    return known, np.unique(np.concatenate([tested_rows(data, task) for task in met]))


def winners_of(
    network: Network,
    n_threads: Threads = 1,
    on_samples: Callable[[int], None] | None = None,
    cost: Cost | None = None,
) -> Callable[[np.ndarray], np.ndarray]:
    """A function from samples to the neurons of the network that fire for them.

    ``n_threads`` is asked before each piece. ``on_samples`` hears of each piece,
    and stops it by raising; ``cost`` adds up what they take.
    """

    def recognise(X: np.ndarray) -> np.ndarray:
        winners = [np.zeros((0, network.parameters.n_readout_spikes), np.int32)]
        start = 0
        while start < len(X):
            n = n_threads() if callable(n_threads) else n_threads
            piece = X[start : start + PIECE * n]
            seen = network.recognise(piece, n_threads=n, on_chunk=on_samples)
            winners.append(seen.winners)
            if cost is not None:
                cost.add(seen)
            start += len(piece)
        return np.concatenate(winners)

    return recognise


def describe(
    assessment: Assessment,
    labels: Sequence[int],
    met: Sequence[Task],
    n_tasks: int,
    name_of: Callable[[int], int | str] = int,
) -> dict[str, Any]:
    """An assessment on the tasks met so far as ``run.json`` holds it, classes by their names."""
    names = [str(name_of(label)) for label in labels]
    seen = sorted({labels.index(label) for task in met for label in task.classes})
    confusion = assessment.confusion
    accuracies = measures.class_accuracies(confusion).tolist()
    mistaken = measures.false_positives(confusion).tolist()
    owned = measures.neurons_per_class(assessment.label_counts).tolist()
    row = assessment.task_accuracy
    return {
        "train_accuracy": measures.accuracy(assessment.train_confusion),
        "test_accuracy": measures.accuracy(confusion),
        "test_accuracy_histogram": measures.accuracy(assessment.confusion_histogram),
        "test_accuracy_evidence": measures.accuracy(assessment.confusion_evidence),
        "task_accuracy": [*row, *[None] * (n_tasks - len(row))],
        "class_accuracy": {names[c]: accuracies[c] for c in seen},
        "false_positives": {names[c]: mistaken[c] for c in seen},
        "neurons_per_class": {names[c]: owned[c] for c in seen},
        "neurons_unlabelled": int(np.sum(assessment.label_counts.sum(axis=1) == 0)),
    }


def evaluate(model: Any, data: Dataset, *, n_jobs: int = -1) -> dict[str, Any]:
    """Test a fitted classifier on the test part of a data set, on the classes it knows.

    >>> from lethenet import ControlledForgettingClassifier
    >>> from lethenet.data import load
    >>> digits = load("digits")
    >>> model = ControlledForgettingClassifier(n_neurons=50, threshold=15.0, random_state=0)
    >>> _ = model.fit(digits.X_train, digits.y_train)
    >>> sorted(evaluate(model, digits))
    ['accuracy', 'class_accuracy', 'classes', 'confusion', 'false_positives', 'samples']
    """
    from ..estimators.readout import decide

    labels = check_classifier(model, data.n_features, data.name)
    samples = data.X_test
    if hasattr(model, "steps"):
        samples, model = model[:-1].transform(samples), model[-1]
    true = np.array([data.name_of(label) for label in data.y_test.tolist()])
    known = np.isin(true, labels)
    if not known.any():
        has = [data.name_of(label) for label in data.classes]
        raise ValueError(f"{data.name} has none of the model's classes {labels}; it has {has}.")
    truth = np.searchsorted(model.classes_, true[known])
    winners = winners_of(model.network_, threads(n_jobs))(samples[known])
    predicted = decide(winners, *model.decision_inputs())
    confusion = measures.confusion_matrix(truth, predicted, len(labels))
    present = [c for c in range(len(labels)) if confusion[c].sum()]
    accuracies = measures.class_accuracies(confusion)
    mistaken = measures.false_positives(confusion)
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
    network = model[-1] if hasattr(model, "steps") else model  # behind layers
    if not hasattr(network, "label_counts_"):
        raise ValueError(
            f"the model is a {type(model).__name__} without a read-out: it cannot name classes. "
            "Save a ControlledForgettingClassifier, or the model of a run."
        )
    if model.n_features_in_ != n_features:
        raise ValueError(
            f"{source} has samples of {n_features} features, the model takes "
            f"{model.n_features_in_}."
        )
    return list(network.classes_.tolist())


def threads(n_jobs: int) -> int:
    """How many threads ``n_jobs`` means here."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))
