"""The common face of everything that learns prototypes from a stream and is read out afterwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from ..estimators.readout import Readout, count_labels, vote

BATCH = 4096
"""Samples whose distances to all prototypes are in memory at a time."""


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows of length one in single precision, as the networks' encoding makes them; blank ones stay zero.

    Examples
    --------
    >>> unit_rows(np.array([[3, 4], [0, 0]]))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    rows = np.asarray(X, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.where(lengths > 0, lengths, np.float32(1))[:, None])


class Learner(ABC):
    """Something that learns without labels and answers a sample with one or more of its prototypes.

    Labels touch only the read-out: :meth:`assign` counts which classes each prototype answers to, and
    :meth:`predict` lets the answers vote, exactly as for the networks.

    Attributes
    ----------
    n_prototypes : int
        How many prototypes (or neurons) there are.
    label_counts : ndarray of shape (n_prototypes, n_classes)
        After :meth:`assign`: how often each prototype answered to each class.

    Examples
    --------
    >>> from lethenet.baselines import OnlineKMeans
    >>> learner = OnlineKMeans(2).learn(np.eye(2)).assign(np.eye(2), np.array([0, 1]))
    >>> learner.label_counts
    array([[1, 0],
           [0, 1]])
    """

    n_prototypes: int
    label_counts: np.ndarray

    @abstractmethod
    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X in order."""

    @abstractmethod
    def winners(self, X: np.ndarray) -> np.ndarray:
        """The prototypes that answer to each row (n, answers), −1 for none; nothing is learned."""

    def assign(self, X: np.ndarray, y: np.ndarray, n_classes: int | None = None) -> Self:
        """Count labels (0, 1, …) of the training samples for the prototypes that answer to them."""
        if n_classes is None:
            n_classes = int(np.max(y)) + 1
        self.label_counts = count_labels(self.winners(X), y, self.n_prototypes, n_classes)
        return self

    def predict(self, X: np.ndarray, readout: Readout = "dominant") -> np.ndarray:
        """The class of each row of X."""
        return self.decide(self.winners(X), readout)

    def decide(self, winners: np.ndarray, readout: Readout = "dominant") -> np.ndarray:
        """The class with most votes of these answers; the most frequent class where there is none."""
        votes = vote(winners, self.label_counts, readout)
        frequent = self.label_counts.sum(axis=0).argmax()
        return np.asarray(np.where(votes.any(axis=1), votes.argmax(axis=1), frequent))


def nearest(X: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """The nearest prototype of each row of unit length: argmax of p·x − ‖p‖²/2, the first among equals.

    >>> nearest(np.eye(2, dtype=np.float32), np.array([[0, 1], [1, 0]], np.float32))
    array([1, 0])
    """
    half_squares = 0.5 * np.einsum("ij,ij->i", prototypes, prototypes)
    pieces = [np.zeros(0, np.int64)]
    for start in range(0, len(X), BATCH):
        scores = unit_rows(X[start : start + BATCH]) @ prototypes.T
        pieces.append((scores - half_squares).argmax(axis=1))
    return np.concatenate(pieces)
