"""How well the networks do, tested a few samples at a time so that learning hardly notices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import Dataset
from .learner import Learner

SAMPLES, AT_A_TIME = 300, 20
"""Test samples that are looked at again and again, and how many of them at a time."""
WINDOW = 50
"""Samples of which the share of novel ones is a point of the curve."""
LONGEST_CURVE = 400


class Curve(list[tuple[int, float]]):
    """Points of a curve. When there are too many, every other one goes.

    >>> curve = Curve()
    >>> for x in range(500):
    ...     curve.add(x, 0.5)
    >>> len(curve) <= LONGEST_CURVE, curve[-1]
    (True, (499, 0.5))
    """

    def add(self, x: int, y: float) -> None:
        """Go on to this point, or correct the last one."""
        if self and self[-1][0] == x:
            self.pop()
        self.append((x, round(float(y), 4)))
        if len(self) > LONGEST_CURVE:
            del self[1:-1:2]


class Tests:
    """The latest result of each test sample whose class was met, and curves over the samples learned."""

    def __init__(self, data: Dataset, source: Any, n_learners: int) -> None:
        self.classes = data.classes
        rows = _of_each(data.y_train, data.classes)
        self._train = data.X_train[rows], data.y_train[rows]
        self.met: set[int] = set()
        self.accuracy = [Curve() for _ in range(n_learners)]
        self.novelty = [Curve() for _ in range(n_learners)]
        self._novel = np.zeros((n_learners, 2))
        self.take(source)

    def take(self, source: Any) -> None:
        """Test with these samples and labels from now on."""
        self.source, rows = source, _of_each(source[1], self.classes)
        self.X, self.y = source[0][rows], source[1][rows]
        self.right = np.full((len(self.accuracy), len(rows)), np.nan)
        self._at, self._stale, self.pending = 0, True, True

    def note(self, samples: int, labels: np.ndarray, novel: Sequence[int]) -> None:
        """Note what was met, and how much of it was novel to each network."""
        self._stale = self.pending = True
        self.met.update(labels.tolist())
        for place, n in enumerate(novel):
            self._novel[place] += (n, len(labels))
            if self._novel[place, 1] >= WINDOW:
                self.novelty[place].add(samples, self._novel[place, 0] / self._novel[place, 1])
                self._novel[place] = 0

    def some(self, learners: Sequence[Learner], samples: int) -> None:
        """Test with a few samples, until a whole round was done since the last one was learned."""
        self._stale = self._stale and self._at > 0
        known = np.isin(self.y, list(self.met))
        rows = np.flatnonzero(known)[self._at : self._at + AT_A_TIME]
        for place, learner in enumerate(learners):
            if not learner.ours and self._at == 0 and len(rows):
                X, y = (part[np.isin(self._train[1], list(self.met))] for part in self._train)
                learner.model.assign(learner.features(X), y.astype(str))
            if len(rows) and len(learner.model.classes_):
                answers = learner.model.predict(learner.features(self.X[rows]))
                self.right[place, rows] = answers == self.y[rows].astype(str)
            done = self.right[place][known]
            if np.isfinite(done).any():
                self.accuracy[place].add(samples, np.nanmean(done))
        self._at += AT_A_TIME
        if self._at >= np.count_nonzero(known):
            self._at, self.pending = 0, self._stale

    def by_class(self, place: int) -> list[float | None]:
        """The share of right answers for each class that was tested."""
        found = [self.right[place][self.y == label] for label in self.classes]
        return [None if np.isnan(part).all() else float(np.nanmean(part)) for part in found]


def _of_each(y: np.ndarray, classes: Sequence[int]) -> np.ndarray:
    """Rows of the first few samples of each class, one class after the other and round again."""
    each = SAMPLES // len(classes) or 1
    rows = [np.flatnonzero(y == label)[:each] for label in classes]
    return np.array([own[k] for k in range(each) for own in rows if k < len(own)], np.int64)
