"""Fuzzy ART after Carpenter, Grossberg & Rosen (1991): categories are boxes that only grow.

A sample x is divided by its largest absolute value and coded as I = (x, 1 − x): |I| = Σ I is the same for
all. Categories are asked in the order of the choice |min(I, w_j)| / (α + |w_j|). The first that matches,
|min(I, w_j)| / |I| ≥ vigilance, learns: w_j ← β min(I, w_j) + (1 − β) w_j. If none matches, the sample
becomes a category of its own.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .directions import StreamEstimator


@dataclass(eq=False, repr=False)
class FuzzyART(StreamEstimator):
    """Fuzzy ART with complement coding, one sample at a time, at most ``n_clusters`` categories.

    Parameters
    ----------
    n_clusters : int, default=8
        Most categories. When all are in use, what matches none of them is not learned.
    vigilance : float, default=0.75
        How alike a sample and its category must be, from 0 to 1.
    learning_rate : float, default=0.1
        β, from a category's second sample on; 1 is fast learning.
    choice : float, default=0.001
        α, above 0; small ones prefer the smallest box that holds the sample.

    Attributes
    ----------
    weights_ : ndarray of shape (n_categories, 2 · n_features)
    cluster_centers_ : ndarray of shape (n_categories, n_features)
        The middle of each box.
    labels_ : ndarray of shape (n_samples,)
        Where the samples of the last ``fit`` or ``partial_fit`` went.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.9, 0.0], [0.0, 1.0]])
    >>> FuzzyART(vigilance=0.9).fit(X).labels_
    array([0, 0, 1])
    """

    n_clusters: int = 8
    _: KW_ONLY
    vigilance: float = 0.75
    learning_rate: float = 0.1
    choice: float = 1e-3

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of X one by one. ``y`` is ignored."""
        first_time = not hasattr(self, "weights_")
        coded = self._checked(X, reset=first_time)
        for name in ("vigilance", "learning_rate", "choice"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected a number from 0 to 1.")
        room = np.zeros((self.n_clusters, coded.shape[1]), np.float32)
        used = 0 if first_time else len(self.weights_)
        if used:
            room[:used] = self.weights_
        sizes = room.sum(axis=1)
        length, beta = coded.shape[1] / 2, np.float32(self.learning_rate)
        self.labels_ = np.zeros(len(coded), np.int64)
        for number, sample in enumerate(coded):
            common = np.minimum(room[:used], sample)
            matches = common.sum(axis=1)
            choices = matches / (self.choice + sizes[:used])
            fitting = np.flatnonzero(matches >= self.vigilance * length)
            if len(fitting):
                winner = fitting[choices[fitting].argmax()]
                room[winner] += beta * (common[winner] - room[winner])
            elif used < self.n_clusters:
                winner, used = used, used + 1
                room[winner] = sample
            else:
                winner = choices.argmax()
            sizes[winner] = room[winner].sum()
            self.labels_[number] = winner
        self.weights_: np.ndarray = room[:used].copy()
        n = self.n_features_in_
        self.cluster_centers_ = (self.weights_[:, :n] + 1 - self.weights_[:, n:]) / 2
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The category of the best choice for each row."""
        check_is_fitted(self, "weights_")
        sizes = self.choice + self.weights_.sum(axis=1)
        coded = self._checked(X, reset=False)
        found = [(np.minimum(self.weights_, row).sum(axis=1) / sizes).argmax() for row in coded]
        return np.array(found, np.int64)

    def _directions(self, X: np.ndarray) -> np.ndarray:
        """Samples as I: divided by their largest absolute value, with complements."""
        largest = np.abs(X).max(axis=1, keepdims=True)
        scaled = np.asarray(X / np.where(largest > 0, largest, 1), np.float32)
        return np.concatenate([scaled, 1 - scaled], axis=1)
