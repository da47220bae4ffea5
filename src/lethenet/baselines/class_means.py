"""With labels: the nearest class mean, and streaming linear discriminant analysis.

Both keep a mean per class and never forget; a class may come at any time. Streaming LDA (Hayes & Kanan
2020) adds one covariance Σ for all classes, shrunk towards the unit matrix: Λ = ((1 − s) Σ + s 1)⁻¹, and
the class of x is argmax_k μ_k·Λx − μ_k·Λμ_k / 2. Their update of Σ depends on the order of the samples;
here sums are kept from which Σ around the final means follows exactly, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .directions import forget, unit_rows


class NearestClassMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The class whose mean direction is nearest.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes met so far.
    means_ : ndarray of shape (n_classes, n_features)
    class_counts_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> model = NearestClassMean().partial_fit(np.eye(3)[:2], ["a", "b"]).partial_fit(np.eye(3)[2:], ["c"])
    >>> model.predict([[0.0, 0.2, 3.0]])
    array(['c'], dtype='<U1')
    """

    classes_: np.ndarray
    means_: np.ndarray
    class_counts_: np.ndarray

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from X and y, starting anew."""
        forget(self)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning. Classes may be new: ``classes`` need not be given, and is not looked at."""
        first_time = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, reset=first_time)
        check_classification_targets(y)
        samples = unit_rows(X).astype(np.float64)
        known = np.unique(y) if first_time else np.union1d(self.classes_, y)
        means, counts = np.zeros((len(known), samples.shape[1])), np.zeros(len(known), np.int64)
        if not first_time:
            places = np.searchsorted(known, self.classes_)
            means[places], counts[places] = self.means_, self.class_counts_
        for place in np.unique(np.searchsorted(known, y)):
            own = samples[y == known[place]]
            mean, n = own.mean(axis=0), counts[place] + len(own)
            shift = mean - means[place]
            self._add_scatter(own - mean, shift * np.sqrt(counts[place] * len(own) / n))
            means[place] += shift * (len(own) / n)
            counts[place] = n
        self.classes_, self.means_, self.class_counts_ = known, means, counts
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self, "classes_")
        samples = unit_rows(validate_data(self, X, reset=False))
        weights = self._weights()
        scores = samples @ weights - 0.5 * np.einsum("ij,ji->i", self.means_, weights)
        answers: np.ndarray = self.classes_[scores.argmax(axis=1)]
        return answers

    def _add_scatter(self, around_mean: np.ndarray, shift: np.ndarray) -> None:
        """Take note of samples around their mean, and of how that moves the class's mean."""

    def _weights(self) -> np.ndarray:
        """Λμ of each class, as columns."""
        return np.asarray(self.means_.T)


@dataclass(eq=False, repr=False)
class StreamingLDA(NearestClassMean):
    """Linear discriminant analysis that learns from a stream.

    Parameters
    ----------
    shrinkage : float, default=1e-4
        s, above 0 and at most 1; with 1 it is the nearest class mean.

    Attributes
    ----------
    scatter_ : ndarray of shape (n_features, n_features)
        Σ times the number of samples; the others as in :class:`NearestClassMean`.

    Examples
    --------
    >>> from lethenet.data import load
    >>> digits = load("digits")
    >>> model = StreamingLDA().fit(digits.X_train, digits.y_train)
    >>> model.score(digits.X_test, digits.y_test) > 0.93
    True
    """

    shrinkage: float = 1e-4

    def _add_scatter(self, around_mean: np.ndarray, shift: np.ndarray) -> None:
        if not 0 < self.shrinkage <= 1:
            raise ValueError(f"shrinkage={self.shrinkage!r}: expected above 0 and at most 1.")
        added = around_mean.T @ around_mean + np.outer(shift, shift)
        self.scatter_ = getattr(self, "scatter_", 0) + added

    def _weights(self) -> np.ndarray:
        shrunk = self.scatter_ * ((1 - self.shrinkage) / self.class_counts_.sum())
        shrunk[np.diag_indices_from(shrunk)] += self.shrinkage
        return np.asarray(np.linalg.solve(shrunk, self.means_.T))
