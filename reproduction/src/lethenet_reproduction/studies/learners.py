"""The common face of everything that is compared: it learns without labels, and answers."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np


class Learner(Protocol):
    """Something that learns without labels and answers a sample with one or more of its prototypes."""

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X in order."""

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The prototypes that answer to each row (n, answers), −1 for none; nothing is learned."""


class PrototypeLearner:
    """One of :mod:`lethenet.baselines` in the common face.

    >>> from lethenet.baselines import OnlineKMeans
    >>> PrototypeLearner(OnlineKMeans(2)).learn(np.eye(2)).winners(np.eye(2)).shape
    (2, 1)
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X; what cannot go on learning starts anew."""
        getattr(self.estimator, "partial_fit", self.estimator.fit)(X)
        return self

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The nearest prototype of each row."""
        nearest: np.ndarray = self.estimator.predict(X)
        return nearest[:, None]
