"""``threshold="auto"`` in a stream: the first samples wait until the threshold is settled from them.

They are learned then, in order, with the bits of a single batch. The threshold is settled from exactly the
first :data:`SETTLING` samples, so it does not depend on how a stream was cut into batches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SETTLING = 1000
"""Samples of a stream from which a threshold is settled."""


class FirstSamples:
    """Samples that wait, and what came with them.

    >>> waiting = FirstSamples()
    >>> waiting.add(np.eye(2), ["a", "b"])
    >>> waiting.add(np.eye(2)[:1], ["c"])
    >>> len(waiting), waiting.joined()[1].tolist()
    (3, ['a', 'b', 'c'])
    """

    def __init__(self) -> None:
        self._batches: list[tuple[Any, np.ndarray]] = []

    def __len__(self) -> int:
        """How many samples wait."""
        return sum(len(y) for _, y in self._batches)

    def add(self, X: Any, y: Any) -> None:
        """Keep a copy of these samples, dense or sparse, and of one label each, None for none."""
        labels = np.empty(X.shape[0], object)
        labels[:] = list(y)
        self._batches.append((X.copy(), labels))

    def joined(self) -> tuple[Any, np.ndarray]:
        """All of them as one batch."""
        from scipy import sparse

        samples = [X for X, _ in self._batches]
        stack: Any = sparse.vstack if any(map(sparse.issparse, samples)) else np.concatenate
        return stack(samples), np.concatenate([y for _, y in self._batches])
