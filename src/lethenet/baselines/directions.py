"""What the baselines share: samples as directions, and the nearest prototype."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted, validate_data

BATCH = 4096
"""Samples whose distances to all prototypes are in memory at a time."""


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows of length one in single precision, as the networks' encoding makes them; blank ones stay zero.

    >>> unit_rows(np.array([[3, 4], [0, 0]]))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    rows = np.asarray(X, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.where(lengths > 0, lengths, np.float32(1))[:, None])


def forget(estimator: Any) -> None:
    """Do away with what an estimator has learned."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


def half_squares(prototypes: np.ndarray) -> np.ndarray:
    """‖p‖²/2 of each: the nearest prototype is the argmax of p·x − ‖p‖²/2."""
    return np.asarray(0.5 * np.einsum("ij,ij->i", prototypes, prototypes))


class PrototypeEstimator(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """An estimator that answers a sample with the nearest of its ``cluster_centers_``."""

    n_clusters: int
    cluster_centers_: np.ndarray

    def _checked(self, X: Any, *, reset: bool) -> np.ndarray:
        if self.n_clusters < 1:
            raise ValueError(f"n_clusters={self.n_clusters!r}: expected 1 or more prototypes.")
        return self._directions(validate_data(self, X, reset=reset))

    def _directions(self, X: np.ndarray) -> np.ndarray:
        return unit_rows(X)

    def predict(self, X: Any) -> np.ndarray:
        """The nearest prototype of each row, the first among equals."""
        check_is_fitted(self, "cluster_centers_")
        samples = self._checked(X, reset=False)
        prototypes = self.cluster_centers_.astype(np.float32, copy=False)
        halves = half_squares(prototypes)
        nearest = [
            (samples[start : start + BATCH] @ prototypes.T - halves).argmax(axis=1)
            for start in range(0, len(samples), BATCH)
        ]
        return np.concatenate(nearest)

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each row, as a direction, to each prototype (n_samples, n_prototypes)."""
        check_is_fitted(self, "cluster_centers_")
        samples = unit_rows(validate_data(self, X, reset=False))
        return np.asarray(euclidean_distances(samples, self.cluster_centers_))

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # prototypes are single precision
        return tags


class StreamEstimator(PrototypeEstimator):
    """One that learns from a stream, by ``partial_fit``."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of X in order, starting anew. ``y`` is ignored."""
        forget(self)
        self.partial_fit(X)
        if not hasattr(self, "labels_"):
            self.labels_ = self.predict(X)
        return self
