"""Spherical k-means, offline: all samples at once, as often as it takes. A bound for the others.

Prototypes are directions. Each pass gives every sample to the prototype with the largest cosine, then
makes each prototype the direction of its samples' sum (Dhillon & Modha 2001).
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..theory.prototypes import nearest_prototypes
from .learner import Learner, nearest, unit_rows


class SphericalKMeans(Learner):
    """Lloyd's iteration on the sphere.

    Prototypes start as random samples; one that lost all its samples takes the sample that is worst
    represented. It ends when no sample changes its prototype, or after ``n_iterations`` passes.

    Parameters
    ----------
    n_prototypes : int
        k.
    n_iterations : int, default=50
        Most passes over the data.
    seed : int, default=0
        Draws the samples to start from.

    Examples
    --------
    >>> X = np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [0.1, 1.0]])
    >>> learner = SphericalKMeans(2, seed=1).learn(X)
    >>> learner.winners(X)[:, 0].tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(self, n_prototypes: int, n_iterations: int = 50, seed: int = 0) -> None:
        self.n_prototypes = n_prototypes
        self.n_iterations = n_iterations
        self.seed = seed
        self.prototypes = np.zeros((0, 0), np.float32)

    def learn(self, X: np.ndarray) -> Self:
        """Learn from all rows of X together; what was learned before is lost."""
        if len(X) < self.n_prototypes:
            raise ValueError(
                f"X has {len(X)} samples: expected at least one per prototype, {self.n_prototypes}."
            )
        samples = unit_rows(X)
        rng = np.random.default_rng(self.seed)
        chosen = rng.choice(len(samples), self.n_prototypes, replace=False)
        self.prototypes = samples[chosen]
        owners = np.full(len(samples), -1)
        for _ in range(self.n_iterations):
            previous = owners
            owners, cosines = nearest_prototypes(samples, self.prototypes)
            if (owners == previous).all():
                break
            self.prototypes = unit_rows(self._sums(samples, owners, cosines))
        return self

    def _sums(self, samples: np.ndarray, owners: np.ndarray, cosines: np.ndarray) -> np.ndarray:
        """The sum of each prototype's samples."""
        sums = np.zeros_like(self.prototypes)
        by_owner = np.argsort(owners, kind="stable")
        present, firsts = np.unique(owners[by_owner], return_index=True)
        sums[present] = np.add.reduceat(samples[by_owner], firsts, axis=0)
        empty = np.setdiff1d(np.arange(self.n_prototypes), present)
        sums[empty] = samples[np.argsort(cosines)[: len(empty)]]
        return sums

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The prototype with the largest cosine for each row."""
        return nearest(X, self.prototypes)[:, None]
