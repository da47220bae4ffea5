"""From output spikes to classes. Labels are used here and nowhere else.

``winners`` is (n_samples, n_spikes): the neurons that fired for each sample, −1 where none did.
Classes are numbered 0 … n_classes − 1. A *histogram* counts, per neuron, for which classes it fired.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Readout = Literal["dominant", "histogram"]


def count_labels(
    winners: np.ndarray, labels: np.ndarray, n_neurons: int, n_classes: int
) -> np.ndarray:
    """How often each neuron fired for each class (n_neurons, n_classes).

    Examples
    --------
    >>> winners = np.array([[0, 0, 1], [1, -1, -1]])
    >>> count_labels(winners, np.array([0, 1]), n_neurons=2, n_classes=2)
    array([[2, 0],
           [1, 1]])
    """
    sample, spike = np.nonzero(winners >= 0)
    flat = winners[sample, spike].astype(np.int64) * n_classes + labels[sample]
    counts = np.bincount(flat, minlength=n_neurons * n_classes)
    return counts.reshape(n_neurons, n_classes)


def count_labels_online(
    histograms: np.ndarray, winners: np.ndarray, imprints: np.ndarray, labels: np.ndarray
) -> None:
    """Add what happened *while learning* to the histograms, in place.

    A neuron's histogram starts anew with its imprint, so nothing that was learned before has to be
    shown again. ``imprints`` holds the neuron that each sample was imprinted on, or −1.

    Examples
    --------
    >>> histograms = np.array([[3, 0], [0, 0]])
    >>> count_labels_online(histograms, np.array([[0, -1]]), np.array([0]), np.array([1]))
    >>> histograms
    array([[0, 1],
           [0, 0]])
    """
    n_neurons, n_classes = histograms.shape
    imprinted_at = np.full(n_neurons, -1)
    when = np.flatnonzero(imprints >= 0)
    imprinted_at[imprints[when]] = when  # the last one counts: assignment goes in order
    histograms[imprinted_at >= 0] = 0
    current = np.arange(len(winners))[:, None] >= imprinted_at[winners]
    histograms += count_labels(np.where(current, winners, -1), labels, n_neurons, n_classes)


def borrow_labels(histograms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Histograms in which a neuron without labels has that of the labelled neuron most like it.

    Likeness is the cosine between weight vectors. For few labels: nothing has to be shown again.

    Examples
    --------
    >>> weights = np.array([[1.0, 0.0], [0.0, 1.0], [0.1, 0.9]])
    >>> borrow_labels(np.array([[4, 0], [0, 2], [0, 0]]), weights)
    array([[4, 0],
           [0, 2],
           [0, 2]])
    """
    has = histograms.any(axis=1)
    if has.all() or not has.any():
        return histograms.copy()
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    directions = weights / np.maximum(lengths, np.finfo(weights.dtype).tiny)
    nearest = np.argmax(directions[~has] @ directions[has].T, axis=1)
    full = histograms.copy()
    full[~has] = histograms[has][nearest]
    return full


def dominant_classes(histograms: np.ndarray) -> np.ndarray:
    """The class each neuron fired for most (the paper's label assignment), −1 if it never fired.

    Examples
    --------
    >>> dominant_classes(np.array([[1, 4], [0, 0]]))
    array([ 1, -1])
    """
    dominant: np.ndarray = histograms.argmax(axis=1)
    dominant[histograms.sum(axis=1) == 0] = -1
    return dominant


def vote(winners: np.ndarray, histograms: np.ndarray, readout: Readout = "dominant") -> np.ndarray:
    """Votes for each class (n_samples, n_classes); one per output spike of a labelled neuron.

    With ``readout="dominant"`` a spike votes for its neuron's dominant class, as in the paper; with
    "histogram" it splits its vote as the neuron's histogram is split.

    Examples
    --------
    >>> histograms = np.array([[3, 1], [0, 5]])
    >>> vote(np.array([[0, 0, 1]]), histograms)
    array([[2., 1.]])
    >>> vote(np.array([[0, 0, 1]]), histograms, "histogram")
    array([[1.5, 1.5]])
    """
    totals = histograms.sum(axis=1, keepdims=True)
    if readout == "histogram":
        ballots = histograms / np.maximum(totals, 1)
    elif readout == "dominant":
        ballots = np.zeros(histograms.shape)
        ballots[np.arange(len(ballots)), histograms.argmax(axis=1)] = totals[:, 0] > 0
    else:
        raise ValueError(f"readout={readout!r} is unknown: expected 'dominant' or 'histogram'.")
    nobody = np.zeros((1, histograms.shape[1]))
    ballots = np.vstack([ballots, nobody])  # winner −1 takes the last row
    votes = np.zeros((len(winners), histograms.shape[1]))
    for spike in range(winners.shape[1]):  # one spike at a time keeps memory at n · n_classes
        votes += ballots[winners[:, spike]]
    return votes
