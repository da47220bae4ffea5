"""In which order the page shows training samples: for ever, and always the same for the same choices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from ..data import Dataset, changing_looks, drifting

KINDS = ("in turn", "mixed", "drifting", "changing looks")
Samples = tuple[np.ndarray, np.ndarray]


class Stream:
    """Samples one after the other: classes in turn, so many of each, all mixed, or a world that changes.

    >>> from lethenet.data import load
    >>> stream = Stream(load("digits"), "in turn", turn=3, seed=0)
    >>> [stream.take(2)[1].tolist() for _ in range(4)]
    [[0, 0], [0], [1, 1], [1]]
    >>> stream.choose(7)
    >>> stream.take(2)[1].tolist(), stream.phase
    ([7, 7], '7')
    """

    def __init__(
        self, data: Dataset, kind: str = "in turn", turn: int = 500, seed: int = 0
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"stream={kind!r:.40} is unknown: expected one of {', '.join(KINDS)}.")
        if type(turn) is not int or not 1 <= turn <= 1_000_000:
            raise ValueError(f"turn={turn!r:.20}: expected a whole number from 1 to 1000000.")
        if kind == "changing looks" and data.image_shape is None:
            raise ValueError(f"{data.name} has no images, so their looks cannot change.")
        self.data, self.kind, self.turn, self.seed = data, kind, turn, seed
        self.phase, self.test = "", (data.X_test, data.y_test)
        self._chosen: int | None = None
        self._phases = self._world() if kind in KINDS[2:] else self._turns()
        self._X, self._y, self._at = data.X_train[:0], data.y_train[:0], 0

    def take(self, n: int) -> Samples:
        """The next samples and their labels, at most n; a piece ends where a class or a phase ends."""
        while self._at >= len(self._y):
            (self._X, self._y), self._at = next(self._phases), 0
        rows, self._at = slice(self._at, self._at + n), self._at + n
        return self._X[rows], self._y[rows]

    def choose(self, label: int) -> None:
        """Let this class come next, at once; ValueError if the stream chooses by itself."""
        if self.kind != "in turn":
            raise ValueError(f"the stream is {self.kind!r}: choose when classes come in turn.")
        self._chosen, self._at = label, len(self._y)

    def _turns(self) -> Iterator[Samples]:
        data, classes, place = self.data, self.data.classes, 0
        dealt = dict.fromkeys(classes, 0)
        for lap in count():
            if self.kind == "mixed":
                rows = np.random.default_rng([self.seed, lap]).permutation(len(data.y_train))
                self.phase = self.kind
            else:
                place = place if self._chosen is None else classes.index(self._chosen)
                label, self._chosen = classes[place], None
                own = np.flatnonzero(data.y_train == label)
                lap_of_class, start = divmod(dealt[label], len(own))
                order = np.random.default_rng([self.seed, place, lap_of_class]).permutation(own)
                rows = order[start : start + self.turn]
                dealt[label] += len(rows)
                self.phase, place = str(label), (place + 1) % len(classes)
            yield data.X_train[rows], data.y_train[rows]

    def _world(self) -> Iterator[Samples]:
        world = drifting if self.kind == "drifting" else changing_looks
        for lap in count():
            for phase in world(self.data, seed=self.seed + lap):
                self.phase, self.test = phase.name, (phase.X_test, phase.y_test)
                yield phase.X, phase.y
