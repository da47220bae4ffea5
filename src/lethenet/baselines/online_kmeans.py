"""Online k-means after MacQueen (1967): one sample at a time, each prototype a running mean.

j = argmin ‖x − p_j‖,    n_j ← n_j + 1,    p_j ← p_j + (x − p_j)/n_j
"""

from __future__ import annotations

from typing import Self

import numpy as np

from .learner import Learner, nearest, unit_rows


class OnlineKMeans(Learner):
    """MacQueen's k-means.

    Prototypes start as the first k samples of the stream, as MacQueen has it; each counts as the mean of
    one sample. (From random vectors, the first prototypes to win become means of everything and win
    for ever: in many dimensions nearly all others stay unused.)

    Parameters
    ----------
    n_prototypes : int
        k.

    Examples
    --------
    >>> learner = OnlineKMeans(2).learn(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]))
    >>> learner.prototypes
    array([[1. , 0. ],
           [0.3, 0.9]], dtype=float32)
    """

    def __init__(self, n_prototypes: int) -> None:
        self.n_prototypes = n_prototypes
        self.prototypes = np.zeros((0, 0), np.float32)
        self.counts = np.zeros(0, np.int64)

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X one by one."""
        samples = unit_rows(X)
        missing = self.n_prototypes - len(self.prototypes)
        if missing:
            first, samples = samples[:missing], samples[missing:]
            known = self.prototypes.reshape(-1, X.shape[1])
            self.prototypes = np.concatenate([known, first])
            self.counts = np.concatenate([self.counts, np.ones(len(first), np.int64)])
        prototypes, counts = self.prototypes, self.counts
        half_squares = 0.5 * np.einsum("ij,ij->i", prototypes, prototypes)
        for sample in samples:
            winner = int(np.argmax(prototypes @ sample - half_squares))
            counts[winner] += 1
            prototypes[winner] += (sample - prototypes[winner]) / np.float32(counts[winner])
            half_squares[winner] = 0.5 * np.dot(prototypes[winner], prototypes[winner])
        return self

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The nearest prototype of each row."""
        return nearest(X, self.prototypes)[:, None]
