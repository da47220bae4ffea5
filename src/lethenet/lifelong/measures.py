"""What is measured in a lifelong experiment: pure functions, each with its definition.

R is the accuracy matrix: R[i, j] is the test accuracy on task j after task i, NaN where task j had
not been met. Libraries disagree on what is derived from it, so every function names its source.
Classes are numbered 0 … n_classes − 1; a confusion matrix has true classes in rows and predicted
ones in columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def accuracy_matrix(rows: Sequence[Sequence[float | None]]) -> np.ndarray:
    """R from its rows, one per task learned; None (task not met yet) becomes NaN.

    >>> accuracy_matrix([[1.0, None], [0.5, 0.75]])
    array([[1.  ,  nan],
           [0.5 , 0.75]])
    """
    matrix = [[np.nan if value is None else float(value) for value in row] for row in rows]
    return np.array(matrix, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)


def average_accuracy(R: np.ndarray) -> float:
    """ACC = mean over tasks j of R[T, j]: every task counts the same, however many samples it has.

    Lopez-Paz & Ranzato, "Gradient Episodic Memory for Continual Learning", 2017, eq. 2.

    >>> average_accuracy(accuracy_matrix([[1.0, None], [0.5, 0.75]]))
    0.625
    """
    return float(np.mean(_finished(R)[-1]))


def backward_transfer(R: np.ndarray) -> float:
    """BWT = mean over tasks j < T of R[T, j] − R[j, j]; negative if it forgets, 0 for one task.

    Lopez-Paz & Ranzato, 2017, eq. 3. Avalanche's stream BWT is the same number. Díaz-Rodríguez et
    al. (2018) average over all i > j instead of the last row alone.

    >>> backward_transfer(accuracy_matrix([[1.0, None], [0.5, 0.75]]))
    -0.5
    """
    R = _finished(R)
    if len(R) == 1:
        return 0.0
    return float(np.mean((R[-1] - np.diag(R))[:-1]))


def forgetting(R: np.ndarray) -> float:
    """F = mean over tasks j < T of max over l < T of R[l, j] − R[T, j]; 0 for a single task.

    From the best a task ever was, not from where it stood when it was learned.
    Chaudhry et al., "Riemannian Walk for Incremental Learning", 2018, eq. 3.

    >>> R = accuracy_matrix([[0.8, None, None], [0.9, 1.0, None], [0.5, 0.75, 1.0]])
    >>> round(forgetting(R), 6), round(backward_transfer(R), 6)
    (0.325, -0.275)
    """
    R = _finished(R)
    if len(R) == 1:
        return 0.0
    return float(np.mean(np.nanmax(R[:-1, :-1], axis=0) - R[-1, :-1]))


def derived(rows: Sequence[Sequence[float | None]]) -> dict[str, float]:
    """What follows from the rows of R, by the names that results have for it."""
    R = accuracy_matrix(rows)
    return {"acc": average_accuracy(R), "bwt": backward_transfer(R), "forgetting": forgetting(R)}


def _finished(R: np.ndarray) -> np.ndarray:
    if R.ndim != 2 or R.shape[0] != R.shape[1] or R.size == 0 or np.isnan(np.tril(R)).any():
        raise ValueError(
            f"R of shape {R.shape} is not a finished accuracy matrix: expected as many rows as "
            "tasks, with a number for each task met."
        )
    return R


def confusion_matrix(truth: np.ndarray, predicted: np.ndarray, n_classes: int) -> np.ndarray:
    """Counts of (true class, predicted class).

    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1, 1],
           [0, 1]])
    """
    flat = np.asarray(truth, np.int64) * n_classes + predicted
    return np.bincount(flat, minlength=n_classes**2).reshape(n_classes, n_classes).astype(np.int64)


def accuracy(confusion: np.ndarray) -> float:
    """Share of samples that were taken for what they are.

    >>> accuracy(np.array([[3, 1], [0, 4]]))
    0.875
    """
    return float(np.trace(confusion) / confusion.sum())


def task_accuracy(
    truth: np.ndarray, predicted: np.ndarray, shares: Mapping[int, float] | None = None
) -> float:
    """Share of right answers on a task's test samples; with shares, each class weighs as much as its share.

    >>> task_accuracy(np.array([0, 0, 1]), np.array([0, 2, 1]), {0: 0.75, 1: 0.25})
    0.625
    """
    right = truth == predicted
    if shares is None:
        return float(right.sum() / len(right))
    met = [(share, right[truth == c]) for c, share in shares.items() if np.any(truth == c)]
    return float(sum(w * own.mean() for w, own in met) / sum(w for w, _ in met))


def class_accuracies(confusion: np.ndarray) -> np.ndarray:
    """Right answers on each class as a share of its samples (recall); NaN without samples.

    >>> class_accuracies(np.array([[3, 1], [0, 4]]))
    array([0.75, 1.  ])
    """
    totals = confusion.sum(axis=1)
    return np.where(totals > 0, np.diag(confusion) / np.maximum(totals, 1), np.nan)


def false_positives(confusion: np.ndarray) -> np.ndarray:
    """How many samples of other classes were taken for each class.

    >>> false_positives(np.array([[3, 1], [0, 4]]))
    array([0, 1])
    """
    return np.asarray(confusion.sum(axis=0) - np.diag(confusion))


def neurons_per_class(label_counts: np.ndarray) -> np.ndarray:
    """How many neurons own each class: their dominant one; neurons that never fired own none.

    >>> neurons_per_class(np.array([[5, 1], [2, 0], [0, 3], [0, 0]]))
    array([2, 1])
    """
    answered = label_counts.sum(axis=1) > 0
    return np.bincount(label_counts[answered].argmax(axis=1), minlength=label_counts.shape[1])


def neuron_fates(imprinted: np.ndarray, labelled_before: np.ndarray) -> dict[str, int]:
    """Count neurons by what happened to them since the last evaluation.

    Replaced: imprinted, and had a label before. New: imprinted, and had none. Preserved: had a
    label and was not imprinted.

    >>> neuron_fates(np.array([True, True, False, False]), np.array([True, False, True, False]))
    {'neurons_replaced': 1, 'neurons_preserved': 1, 'neurons_new': 1}
    """
    imprinted, before = np.asarray(imprinted, bool), np.asarray(labelled_before, bool)
    return {
        "neurons_replaced": int(np.sum(imprinted & before)),
        "neurons_preserved": int(np.sum(~imprinted & before)),
        "neurons_new": int(np.sum(imprinted & ~before)),
    }


DEFINITIONS: dict[str, str] = {
    "accuracy": "share of right answers on the test samples of all tasks, after the last one",
    "accuracy_histogram": "the same, each spike's vote split as its neuron's labels were split",
    "train_accuracy": "the same as accuracy, on the training samples that gave the labels",
    "acc": "ACC: mean accuracy over tasks, after the last one (GEM 2017)",
    "bwt": "BWT: mean change of a task's accuracy since it was learned (GEM 2017)",
    "forgetting": "mean loss of a task's accuracy since its best (Chaudhry 2018)",
    "sequential_penalty": "accuracy of the interleaved twin minus accuracy",
    "dopaminergic_spikes_per_sample": "novelties imprinted per sample learned",
    "input_spikes_per_sample": "input spikes per sample learned",
    "synaptic_operations_per_sample": "input spikes times neurons, per sample learned",
    "recognition_operations_per_sample": "input spikes times neurons, per sample recognised at the end",
}
"""What each number of a run's summary means, in one line, to stand beside it."""
