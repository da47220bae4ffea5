"""How well the networks do, tested a few samples at a time so that learning hardly notices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import Dataset
from .learner import Learner

SAMPLES = 300
"""Test samples that are looked at again and again."""
AT_A_TIME = 20
WINDOW = 50
"""Samples of which the share of novel ones is a point of the curve."""
LONGEST_CURVE = 400


class Curve:
    """Points of a curve. When there are too many, every other one goes.

    >>> curve = Curve()
    >>> for x in range(500):
    ...     curve.add(x, 0.5)
    >>> len(curve.points) <= LONGEST_CURVE
    True
    """

    def __init__(self) -> None:
        self.points: list[tuple[int, float]] = []

    def add(self, x: int, y: float) -> None:
        """Go on to this point, or correct the last one."""
        if self.points and self.points[-1][0] == x:
            self.points.pop()
        self.points.append((x, round(float(y), 4)))
        if len(self.points) > LONGEST_CURVE:
            del self.points[1:-1:2]


class Tests:
    """Results of test samples of the classes met so far, the latest for each; and curves."""

    def __init__(self, data: Dataset, source: Any, n_learners: int) -> None:
        self.classes = data.classes
        self.known = _of_each(data.y_train, data.classes)
        self.train = (
            data.X_train[self.known],
            np.searchsorted(data.classes, data.y_train[self.known]),
        )
        self.met = np.zeros(len(data.classes), bool)
        self.accuracy = [Curve() for _ in range(n_learners)]
        self.novelty = [Curve() for _ in range(n_learners)]
        self._novel = np.zeros((n_learners, 2))
        self.results = np.zeros((n_learners, 0))
        self.take(source)

    def take(self, source: Any) -> None:
        """Test with these samples and labels from now on."""
        self.source = source
        rows = _of_each(source[1], self.classes)
        self.X, self.y = source[0][rows], np.searchsorted(self.classes, source[1][rows])
        self.results = np.full((len(self.results), len(rows)), np.nan)
        self._at, self.pending = 0, True

    def keep_first(self) -> None:
        """Go on with the first network alone."""
        del self.accuracy[1:], self.novelty[1:]
        self._novel, self.results = self._novel[:1], self.results[:1]

    def novelties(self, samples: int, imprints: Sequence[np.ndarray]) -> None:
        """Note which of the last samples were novel to whom."""
        self.pending = True
        for place, found in enumerate(imprints):
            self._novel[place] += (np.count_nonzero(found >= 0), len(found))
            if self._novel[place, 1] >= WINDOW:
                self.novelty[place].add(samples, self._novel[place, 0] / self._novel[place, 1])
                self._novel[place] = 0

    def some(self, learners: Sequence[Learner], samples: int) -> None:
        """Test with a few samples; a round is over when all have been used."""
        rows = np.flatnonzero(self.met[self.y])[self._at : self._at + AT_A_TIME]
        if len(rows):
            for place, learner in enumerate(learners):
                if not learner.forgets_on_purpose and self._at == 0:
                    known = self.met[self.train[1]]
                    seen = learner.network.recognise(learner.features(self.train[0][known]))
                    learner.label(seen.winners, self.train[1][known])
                seen = learner.network.recognise(learner.features(self.X[rows]))
                likely, named = learner.answers(seen.winners)
                right = (
                    likely.argmax(axis=1) == self.y[rows] if likely.size else np.zeros(len(rows))
                )
                self.results[place, rows] = right & named
        self._at += AT_A_TIME
        if self._at >= np.count_nonzero(self.met[self.y]):
            self._at, self.pending = 0, False
        for place, curve in enumerate(self.accuracy):
            done = self.results[place][self.met[self.y]]
            if np.isfinite(done).any():
                curve.add(samples, np.nanmean(done))

    def by_class(self, place: int) -> list[float | None]:
        """The share of right answers for each class that was tested."""
        found = [self.results[place][self.y == number] for number in range(len(self.classes))]
        return [None if np.isnan(r).all() else round(float(np.nanmean(r)), 3) for r in found]


def _of_each(y: np.ndarray, classes: Sequence[int]) -> np.ndarray:
    """Rows of the first few samples of each class, one class after the other and round again."""
    each = SAMPLES // len(classes) or 1
    rows = [np.flatnonzero(y == label)[:each] for label in classes]
    return np.array([r[k] for k in range(each) for r in rows if k < len(r)], np.int64)
