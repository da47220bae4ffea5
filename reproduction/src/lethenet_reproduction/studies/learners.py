"""The common face of everything that is compared: it learns, answers, and is read out alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from lethenet.estimators.readout import Readout, count_labels, decide


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
    >>> learner = PrototypeLearner(OnlineKMeans(2)).learn(np.eye(2))
    >>> learner.assign(np.eye(2), np.array([0, 1])).label_counts
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
        return decide(winners, self.label_counts, self.label_counts.sum(axis=0), readout)


class PrototypeLearner(Learner):
    """One of :mod:`lethenet.baselines` in the common face."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.n_prototypes = estimator.n_clusters

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X; what cannot go on learning starts anew."""
        getattr(self.estimator, "partial_fit", self.estimator.fit)(X)
        return self

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The nearest prototype of each row."""
        nearest: np.ndarray = self.estimator.predict(X)
        return nearest[:, None]
