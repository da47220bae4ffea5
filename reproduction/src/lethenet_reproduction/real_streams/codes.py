"""How numbers become samples: none negative, and with all that matters in their direction."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class Population(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Each number as the activity of a few inputs, of which each prefers another value.

    As place cells do it: the two inputs whose preferred values are next to the number are active, cos and
    sin of its place between them. So every number has the same length and all samples do, and what is
    larger than usual points elsewhere instead of merely being longer. Preferred values lie at equal shares
    of the training samples; one more on each side is for what is smaller or larger than all of them.

    Parameters
    ----------
    n_preferred : int, default=6
        Preferred values of a feature inside its range.
    even : bool, default=False
        At equal distances instead of equal shares.

    Examples
    --------
    >>> code = Population(3).fit(np.array([[0.0], [1.0], [2.0]]))
    >>> code.transform(np.array([[1.0], [1.5], [9.0]])).round(1)
    array([[0. , 0. , 1. , 0. , 0. ],
           [0. , 0. , 0.7, 0.7, 0. ],
           [0. , 0. , 0. , 0. , 1. ]], dtype=float32)
    """

    def __init__(self, n_preferred: int = 6, *, even: bool = False) -> None:
        self.n_preferred = n_preferred
        self.even = even

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the preferred values of every feature."""
        X = np.asarray(X, float)
        low, high = X.min(axis=0), X.max(axis=0)
        shares = np.linspace(0, 1, self.n_preferred)
        even, equal_shares = low + shares[:, None] * (high - low), np.quantile(X, shares, axis=0)
        inner = even if self.even else equal_shares
        beyond = np.maximum((high - low) / max(self.n_preferred - 1, 1), 1e-9)
        # Shares of ties coincide: then the later one is a hair larger, and nothing lies between them.
        self.preferred_ = np.vstack([low - beyond, inner, high + beyond]).T
        self.preferred_ += np.arange(self.n_preferred + 2) * 1e-9 * beyond[:, None]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Activity of all inputs (n_samples, n_features · (n_preferred + 2)), feature by feature."""
        X = np.asarray(X, float)
        n = self.n_preferred + 2
        parts = np.zeros((*X.shape, n), np.float32)
        rows = np.arange(len(X))
        for j, preferred in enumerate(self.preferred_):
            x = np.clip(X[:, j], preferred[0], preferred[-1])
            left = np.clip(np.searchsorted(preferred, x, side="right") - 1, 0, n - 2)
            place = (x - preferred[left]) / (preferred[left + 1] - preferred[left])
            parts[rows, j, left] = np.cos(place * np.pi / 2)
            parts[rows, j, left + 1] = np.sin(place * np.pi / 2)
        parts[parts < 1e-6] = 0
        return parts.reshape(len(X), -1)
