"""From output spikes to classes. Labels are used here and nowhere else.

``winners`` is (n_samples, n_spikes): the neurons that fired for each sample, −1 where none did.
Classes are numbered 0 … n_classes − 1. A *histogram* counts, per neuron, for which classes it fired.
:data:`READOUTS` holds the ways to turn these into a class; nothing else in lethenet decides one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Readout = str
"""The name of a read-out: one of :data:`READOUTS`."""


def count_labels(
    winners: np.ndarray, labels: np.ndarray, n_neurons: int, n_classes: int
) -> np.ndarray:
    """How often each neuron fired for each class (n_neurons, n_classes)."""
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
    """The class each neuron fired for most (the paper's label assignment), −1 if it never fired."""
    dominant: np.ndarray = histograms.argmax(axis=1)
    dominant[histograms.sum(axis=1) == 0] = -1
    return dominant


def dominant_ballots(histograms: np.ndarray) -> np.ndarray:
    """A spike votes for its neuron's dominant class: the paper's rule, hard votes.

    >>> dominant_ballots(np.array([[3, 1], [0, 5]]))
    array([[1., 0.],
           [0., 1.]])
    """
    ballots = np.zeros(histograms.shape)
    ballots[np.arange(len(ballots)), histograms.argmax(axis=1)] = 1.0
    return ballots


def evidence_ballots(histograms: np.ndarray) -> np.ndarray:
    """A spike is evidence: it adds log P(class | neuron), P from its histogram and half a spike more.

    >>> np.exp(evidence_ballots(np.array([[3, 0]]))).round(3)
    array([[0.875, 0.125]])
    """
    counts = histograms + 0.5
    return np.asarray(np.log(counts / counts.sum(axis=1, keepdims=True)))


def shares(amounts: np.ndarray) -> np.ndarray:
    """Amounts as shares of their row's sum, which is how a spike splits its vote as its neuron's histogram.

    >>> shares(np.array([[3, 1], [0, 0]]))
    array([[0.75, 0.25],
           [0.  , 0.  ]])
    """
    totals = amounts.sum(axis=1, keepdims=True)
    return np.asarray(amounts / np.where(totals > 0, totals, 1))


def softmax(votes: np.ndarray) -> np.ndarray:
    """Sums of logarithms as probabilities.

    >>> softmax(np.log([[0.1, 0.3]]))
    array([[0.25, 0.75]])
    """
    likely = np.exp(votes - votes.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


class ReadoutRule(NamedTuple):
    """A read-out: what a spike of each neuron votes for, and what the sums of votes are worth.

    ``ballots`` takes histograms to (n_neurons, n_classes); ``probabilities`` takes the sums over a
    sample's spikes, (n_samples, n_classes), to rows that sum to one. The class is the largest sum.
    """

    ballots: Callable[[np.ndarray], np.ndarray]
    probabilities: Callable[[np.ndarray], np.ndarray] = shares


READOUTS: dict[str, ReadoutRule] = {
    "dominant": ReadoutRule(dominant_ballots),
    "histogram": ReadoutRule(shares),
    "evidence": ReadoutRule(evidence_ballots, softmax),
}
"""All read-outs by name: to add one is to add a line here, and a sentence in the docs."""


def readout_rule(name: str) -> ReadoutRule:
    """The read-out of this name; ValueError if there is none."""
    if name not in READOUTS:
        raise ValueError(
            f"readout={name!r} is unknown: expected {' or '.join(map(repr, READOUTS))}."
        )
    return READOUTS[name]


def vote(winners: np.ndarray, histograms: np.ndarray, readout: Readout = "dominant") -> np.ndarray:
    """Votes for each class (n_samples, n_classes); one ballot per output spike of a labelled neuron.

    >>> histograms = np.array([[3, 1], [0, 5]])
    >>> vote(np.array([[0, 0, 1]]), histograms)
    array([[2., 1.]])
    >>> vote(np.array([[0, 0, 1]]), histograms, "histogram")
    array([[1.5, 1.5]])
    """
    labelled = histograms.any(axis=1)
    ballots = np.zeros((len(histograms) + 1, histograms.shape[1]))  # winner −1 takes the last row
    ballots[:-1][labelled] = readout_rule(readout).ballots(histograms[labelled])
    votes = np.zeros((len(winners), histograms.shape[1]))
    for spike in range(winners.shape[1]):  # one spike at a time keeps memory at n · n_classes
        votes += ballots[winners[:, spike]]
    return votes


def voted(winners: np.ndarray, histograms: np.ndarray) -> np.ndarray:
    """Whether any labelled neuron fired for each sample.

    >>> voted(np.array([[0, 1], [1, -1]]), np.array([[2, 0], [0, 0]]))
    array([ True, False])
    """
    labelled = np.append(histograms.any(axis=1), False)
    return np.asarray(labelled[winners].any(axis=1))


def decide(
    winners: np.ndarray,
    histograms: np.ndarray,
    class_counts: np.ndarray,
    readout: Readout = "dominant",
) -> np.ndarray:
    """The class with most votes, the first among equals; the most frequent one without any vote.

    >>> histograms = np.array([[3, 1], [0, 5]])
    >>> winners = np.array([[0, 0, 1], [1, 1, 1], [-1, -1, -1]])
    >>> decide(winners, histograms, np.array([4, 5]))
    array([0, 1, 1])
    """
    votes = vote(winners, histograms, readout)
    return np.where(voted(winners, histograms), votes.argmax(axis=1), np.argmax(class_counts))


def probabilities(
    winners: np.ndarray,
    histograms: np.ndarray,
    class_counts: np.ndarray,
    readout: Readout = "dominant",
) -> np.ndarray:
    """How likely each class is (n_samples, n_classes); the classes' frequencies without any vote.

    >>> probabilities(np.array([[0, 1], [-1, -1]]), np.array([[3, 1], [0, 5]]), np.array([1, 1]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    likely = readout_rule(readout).probabilities(vote(winners, histograms, readout))
    return np.where(voted(winners, histograms)[:, None], likely, class_counts / class_counts.sum())
