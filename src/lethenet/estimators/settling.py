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


class SettlesThreshold:
    """What estimators with ``threshold="auto"`` do before it is settled."""

    threshold: float | str
    network_: Any
    _first_samples: list[tuple[Any, np.ndarray]]
    _lock: Callable[[], Any]
    _learn_more: Callable[[Any, Any], None]

    @property
    def _threshold_is_auto(self) -> bool:
        return isinstance(self.threshold, str) and self.threshold == "auto"

    def _waits(self, X: Any, y: Any) -> tuple[Any, Any] | None:
        """What is to be learned now: X and y with those that wait before them, None if they wait, too."""
        if not self._threshold_is_auto or hasattr(self, "network_"):
            return X, y
        labels = np.empty(X.shape[0], object)
        labels[:] = list(y)
        self.__dict__.setdefault("_first_samples", []).append((X.copy(), labels))
        return None if self._n_waiting < SETTLING else self._joined()

    @property
    def _n_waiting(self) -> int:
        return sum(len(y) for _, y in self.__dict__.get("_first_samples", ()))

    def _joined(self) -> tuple[Any, np.ndarray]:
        """All samples that wait, dense or sparse, and their labels, None for none, as one batch."""
        from scipy import sparse

        samples = [X for X, _ in self._first_samples]
        stack: Any = sparse.vstack if any(map(sparse.issparse, samples)) else np.concatenate
        return stack(samples), np.concatenate([y for _, y in self._first_samples])

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
                self._learn_more(*self._joined())
        return self

    def __sklearn_is_fitted__(self) -> bool:
        if self._n_waiting and not hasattr(self, "network_"):
            raise NotFittedError(
                f"{self._n_waiting} samples wait until threshold='auto' is settled from the first "
                f"{SETTLING}: give more of them to partial_fit, or call settle()."
            )
        return hasattr(self, "network_")
