"""``threshold="auto"`` in a stream: the first samples wait until the threshold is settled from them.

They are learned then, in order, with the bits of a single batch. The threshold is settled from exactly the
first :data:`SETTLING` samples, so it does not depend on how a stream was cut into batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

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


class SettlesThreshold:
    """What estimators with ``threshold="auto"`` do before it is settled."""

    threshold: float | str
    network_: Any
    _first_samples: FirstSamples
    _lock: Callable[[], Any]
    _learn_more: Callable[[Any, Any], None]

    @property
    def _threshold_is_auto(self) -> bool:
        return isinstance(self.threshold, str) and self.threshold == "auto"

    def _waits(self, X: Any, y: Any) -> tuple[Any, Any] | None:
        """What is to be learned now: X and y with those that wait before them, None if they wait, too."""
        if not self._threshold_is_auto or hasattr(self, "network_"):
            return X, y
        waiting = self.__dict__.setdefault("_first_samples", FirstSamples())
        waiting.add(X, y)
        return None if len(waiting) < SETTLING else waiting.joined()

    @property
    def _begins(self) -> bool:
        """Whether the next samples are the first ones."""
        return not hasattr(self, "network_") and "_first_samples" not in self.__dict__

    def settle(self) -> Self:
        """Settle ``threshold="auto"`` now, from the samples that wait for it, and learn them.

        The first 1000 samples that ``partial_fit`` gets wait until the threshold is settled from exactly
        these. In a shorter stream, call this at its end; it takes at least 100 samples.

        >>> from sklearn.datasets import load_digits
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=20, threshold="auto", random_state=0)
        >>> network.partial_fit(load_digits().data[:150]).settle().n_presentations_
        150
        """
        with self._lock():
            if "_first_samples" in self.__dict__ and not hasattr(self, "network_"):
                self._learn_more(*self._first_samples.joined())
        return self

    def __sklearn_is_fitted__(self) -> bool:
        waiting = self.__dict__.get("_first_samples", ())
        if len(waiting) and not hasattr(self, "network_"):
            raise NotFittedError(
                f"{len(waiting)} samples wait until threshold='auto' is settled from the first {SETTLING}: "
                "give more of them to partial_fit, or call settle()."
            )
        return hasattr(self, "network_")
