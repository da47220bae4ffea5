"""In which order the page shows training samples: for ever, and always the same for the same choices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from ..data import Dataset, changing_looks, drifting

KINDS = ("in turn", "mixed", "drifting", "changing looks")


class Stream:
    """Training samples one after the other.

    Parameters
    ----------
    data : Dataset
        Whose samples.
    kind : one of KINDS
        Classes strictly in turn; all mixed; or a world that changes (:mod:`lethenet.data`).
    turn : int
        Samples of a class before the next one comes.
    seed : int
        Draws the order.

    Examples
    --------
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
        if not isinstance(turn, int) or not 1 <= turn <= 1_000_000:
            raise ValueError(f"turn={turn!r:.20}: expected a whole number from 1 to 1000000.")
        if kind == "changing looks" and data.image_shape is None:
            raise ValueError(f"{data.name} has no images, so their looks cannot change.")
        self.data, self.kind, self.turn, self.seed = data, kind, turn, seed
        self.test = (data.X_test, data.y_test)
        self.phase = ""
        self._dealt = dict.fromkeys(data.classes, 0)
        self._next: int | None = None
        self._phases = self._world() if kind in KINDS[2:] else self._choices()
        self._X, self._y, self._at = data.X_train[:0], data.y_train[:0], 0

    def take(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The next samples and their labels, at most n; a piece ends where a class or a phase ends."""
        while self._at >= len(self._y):
            self._X, self._y = next(self._phases)
            self._at = 0
        rows = slice(self._at, self._at + n)
        self._at += n
        return self._X[rows], self._y[rows]

    def choose(self, label: int) -> None:
        """Let this class come next, at once; ValueError if the stream chooses by itself."""
        if self.kind != "in turn":
            raise ValueError(
                f"the stream is {self.kind!r}: classes can be chosen when they come in turn."
            )
        self._next, self._at = label, len(self._y)

    def _choices(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        data, classes, place = self.data, self.data.classes, 0
        every = np.arange(len(data.y_train))
        for number in count():
            if self.kind == "mixed":
                self.phase, own = "mixed", every
                rows = np.random.default_rng([self.seed, number]).permutation(own)
            else:
                place = place if self._next is None else classes.index(self._next)
                label, self._next = classes[place], None
                own = np.flatnonzero(data.y_train == label)
                lap, start = divmod(self._dealt[label], len(own))
                order = np.random.default_rng([self.seed, place, lap]).permutation(own)
                rows = order[start : start + self.turn]
                self._dealt[label] += len(rows)
                self.phase, place = str(label), (place + 1) % len(classes)
            yield data.X_train[rows], data.y_train[rows]

    def _world(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        world = drifting if self.kind == "drifting" else changing_looks
        for lap in count():
            for phase in world(self.data, seed=self.seed + lap):
                self.phase, self.test = phase.name, (phase.X_test, phase.y_test)
                yield phase.X, phase.y
