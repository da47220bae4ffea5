"""scikit-learn's ``MiniBatchKMeans.partial_fit``, fed batch after batch in the order of the stream.

Prototypes start by k-means++ on the first batch, move towards the means of the samples they win with rates
that fall as 1/n, and those with hardly any samples are put onto random samples of the current batch from
time to time (``reassignment_ratio``): a forgetting of its own kind.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .learner import Learner, nearest, unit_rows


class MiniBatches(Learner):
    """``MiniBatchKMeans`` in the common face.

    Parameters
    ----------
    n_prototypes : int
        k.
    batch_size : int, default=256
        Samples per call of ``partial_fit``. The first one gets at least k, which scikit-learn insists on;
        a first call of :meth:`learn` with fewer samples has them repeated.
    seed : int, default=0
        Of its random numbers.

    Examples
    --------
    >>> X = np.eye(4).repeat(8, axis=0)
    >>> MiniBatches(4).learn(X).winners(X).shape
    (32, 1)
    """

    def __init__(self, n_prototypes: int, batch_size: int = 256, seed: int = 0) -> None:
        self.n_prototypes = n_prototypes
        self.batch_size = batch_size
        self.seed = seed
        self._model: Any = None

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X batch after batch."""
        samples = unit_rows(X)
        start = 0
        if self._model is None and len(samples):
            from sklearn.cluster import MiniBatchKMeans

            self._model = MiniBatchKMeans(
                self.n_prototypes, batch_size=self.batch_size, n_init=1, random_state=self.seed
            )
            start = max(self.batch_size, self.n_prototypes)
            first_batch = samples[:start]
            repeats = -(-self.n_prototypes // len(first_batch))
            self._model.partial_fit(np.tile(first_batch, (repeats, 1)))
        for first in range(start, len(samples), self.batch_size):
            self._model.partial_fit(samples[first : first + self.batch_size])
        return self

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The nearest prototype of each row."""
        return nearest(X, self._model.cluster_centers_.astype(np.float32))[:, None]
