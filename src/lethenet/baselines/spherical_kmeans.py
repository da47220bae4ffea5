"""Spherical k-means, offline: all samples at once, as often as it takes. A bound for the others.

Prototypes are directions. Each pass gives every sample to the prototype with the largest cosine, then
makes each prototype the direction of its samples' sum (Dhillon & Modha 2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..theory.prototypes import nearest_prototypes
from .directions import PrototypeEstimator, unit_rows


@dataclass(eq=False, repr=False)
class SphericalKMeans(PrototypeEstimator):
    """Lloyd's iteration on the sphere.

    Prototypes start as random samples; one that lost all its samples takes the sample that is worst
    represented. It ends when no sample changes its prototype, or after ``max_iter`` passes.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of prototypes.
    max_iter : int, default=50
        Most passes over the data.
    random_state : int, default=0
        Draws the samples to start from.

    Examples
    --------
    >>> X = np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [0.1, 1.0]])
    >>> model = SphericalKMeans(n_clusters=2, random_state=1).fit(X)
    >>> model.predict(X).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    n_clusters: int = 8
    max_iter: int = 50
    random_state: int = 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from all rows of X together. ``y`` is ignored."""
        samples = self._checked(X, reset=True)
        if len(samples) < self.n_clusters:
            raise ValueError(
                f"X has {len(samples)} samples: expected at least one per prototype, {self.n_clusters}."
            )
        rng = np.random.default_rng(self.random_state)
        chosen = rng.choice(len(samples), self.n_clusters, replace=False)
        self.cluster_centers_ = samples[chosen]
        owners = np.full(len(samples), -1)
        for passed in range(self.max_iter):
            self.n_iter_ = passed + 1
            previous = owners
            owners, cosines = nearest_prototypes(samples, self.cluster_centers_)
            if (owners == previous).all():
                break
            self.cluster_centers_ = unit_rows(self._sums(samples, owners, cosines))
        self.labels_ = self.predict(X)
        return self

    def _sums(self, samples: np.ndarray, owners: np.ndarray, cosines: np.ndarray) -> np.ndarray:
        """The sum of each prototype's samples."""
        sums = np.zeros_like(self.cluster_centers_)
        by_owner = np.argsort(owners, kind="stable")
        present, firsts = np.unique(owners[by_owner], return_index=True)
        sums[present] = np.add.reduceat(samples[by_owner], firsts, axis=0)
        empty = np.setdiff1d(np.arange(self.n_clusters), present)
        sums[empty] = samples[np.argsort(cosines)[: len(empty)]]
        return sums
