"""Online k-means after MacQueen (1967): one sample at a time, each prototype a running mean.

j = argmin ‖x − p_j‖,    n_j ← n_j + 1,    p_j ← p_j + (x − p_j)/n_j
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .directions import StreamEstimator, half_squares


@dataclass(eq=False, repr=False)
class OnlineKMeans(StreamEstimator):
    """MacQueen's k-means.

    Prototypes start as the first k samples of the stream, as MacQueen has it; each counts as the mean of
    one sample. (From random vectors, the first prototypes to win become means of everything and win
    for ever: in many dimensions nearly all others stay unused.)

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of prototypes.

    Examples
    --------
    >>> model = OnlineKMeans(n_clusters=2).fit(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]))
    >>> model.cluster_centers_
    array([[1. , 0. ],
           [0.3, 0.9]], dtype=float32)
    """

    n_clusters: int = 8

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of X one by one. ``y`` is ignored."""
        first_time = not hasattr(self, "cluster_centers_")
        samples = self._checked(X, reset=first_time)
        if first_time:
            self.cluster_centers_ = np.zeros((0, samples.shape[1]), np.float32)
            self.counts_ = np.zeros(0, np.int64)
        missing = self.n_clusters - len(self.cluster_centers_)
        if missing > 0:
            first, samples = samples[:missing], samples[missing:]
            self.cluster_centers_ = np.concatenate([self.cluster_centers_, first])
            self.counts_ = np.concatenate([self.counts_, np.ones(len(first), np.int64)])
        prototypes, counts = self.cluster_centers_, self.counts_
        halves = half_squares(prototypes)
        for sample in samples:
            winner = int(np.argmax(prototypes @ sample - halves))
            counts[winner] += 1
            prototypes[winner] += (sample - prototypes[winner]) / np.float32(counts[winner])
            halves[winner] = 0.5 * np.dot(prototypes[winner], prototypes[winner])
        return self
