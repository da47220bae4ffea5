"""scikit-learn's ``MiniBatchKMeans.partial_fit``, fed batch after batch in the order of the stream.

Prototypes start by k-means++ on the first batch, move towards the means of the samples they win with rates
that fall as 1/n, and those with hardly any samples are put onto random samples of the current batch from
time to time (``reassignment_ratio``): a forgetting of its own kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from .directions import StreamEstimator


@dataclass(eq=False, repr=False)
class MiniBatchStream(StreamEstimator):
    """``MiniBatchKMeans`` on a stream of samples.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of prototypes.
    batch_size : int, default=256
        Samples per step. The first step gets at least k, which scikit-learn insists on; if the first
        samples are fewer, they are repeated.
    random_state : int, default=0
        Of its random numbers.

    Examples
    --------
    >>> X = np.eye(4).repeat(8, axis=0)
    >>> MiniBatchStream(n_clusters=4).partial_fit(X).predict(X).shape
    (32,)
    """

    n_clusters: int = 8
    batch_size: int = 256
    random_state: int = 0

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of X batch after batch. ``y`` is ignored."""
        first_time = not hasattr(self, "model_")
        samples = self._checked(X, reset=first_time)
        start = 0
        if first_time:
            self.model_ = MiniBatchKMeans(
                self.n_clusters,
                batch_size=self.batch_size,
                n_init=1,
                random_state=self.random_state,
            )
            start = max(self.batch_size, self.n_clusters)
            first_batch = samples[:start]
            repeats = -(-self.n_clusters // len(first_batch))
            self.model_.partial_fit(np.tile(first_batch, (repeats, 1)))
        for first in range(start, len(samples), self.batch_size):
            self.model_.partial_fit(samples[first : first + self.batch_size])
        self.cluster_centers_ = self.model_.cluster_centers_
        return self
