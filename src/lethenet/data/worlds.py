"""Worlds that change: what a learner meets, phase after phase, and what is true at each phase's end.

Three ways in which a world can change after a class has been learned:

* :func:`returning`: classes come strictly in turn, and come back with new samples;
* :func:`drifting`: the share of each class in the stream rises and falls;
* :func:`changing_looks`: some classes change their look (turned or inverted) while others stay.

All are made of a data set's own samples; the same seed gives the same world.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .dataset import Dataset
from .validation import Features, Labels

Look = Callable[[Features, tuple[int, ...]], Features]


@dataclass(frozen=True, eq=False)
class Phase:
    """A stretch of a changing world: X is learned, in this order; y is for the read-out alone.

    ``X_known`` and ``y_known`` are samples of everything that is true now and has been met, to assign
    labels with; ``X_test`` and ``y_test`` are test samples of the same. ``shares`` has the share of each
    class in what is met now: how much an error on it matters today.

    >>> from lethenet.data import load
    >>> first = next(returning(load("digits"), rounds=2))
    >>> first.name, len(first.X) == len(first.y), set(first.y_test.tolist())
    ('0, round 1', True, {0})
    """

    name: str
    X: Features
    y: Labels
    X_known: Features
    y_known: Labels
    X_test: Features
    y_test: Labels
    shares: dict[int, float]


def returning(data: Dataset, *, rounds: int = 2, seed: int = 0) -> Iterator[Phase]:
    """Classes strictly in turn, round after round, each round with samples of its own.

    >>> from lethenet.data import load
    >>> phases = list(returning(load("digits"), rounds=2))
    >>> len(phases), phases[10].name
    (20, '0, round 2')
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    parts = {
        label: np.array_split(rng.permutation(np.flatnonzero(data.y_train == label)), rounds)
        for label in data.classes
    }
    met: list[Labels] = []
    for turn in range(rounds):
        for label in data.classes:
            part = parts[label][turn]
            met.append(part)
            known = np.concatenate(met)
            tested = np.isin(data.y_test, data.y_train[known])
            yield _phase(f"{label}, round {turn + 1}", data, part, known, tested, {label: 1.0})


def drifting(data: Dataset, *, phases: int = 10, seed: int = 0) -> Iterator[Phase]:
    """All classes at all times, in shares that rise and fall, each class with its time of plenty.

    Class c of n has the share ∝ exp(4 cos 2π(t − c/n)) at time t, which goes once around from 0 to
    1: at its height a class makes up nearly 40 % of the stream, and 0.01 % half a turn later. Samples
    are taken without putting them back, until a class has none left; then it starts anew.

    >>> from lethenet.data import load
    >>> first, *_, last = drifting(load("digits"))
    >>> max(first.shares, key=first.shares.get), max(last.shares, key=last.shares.get)
    (0, 9)
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    classes = np.array(data.classes)
    decks = [_deck(np.flatnonzero(data.y_train == label), rng) for label in classes]
    everything = slice(None)
    per_phase = len(data.y_train) // phases
    for number in range(phases):
        angle = 2 * np.pi * (number / phases - np.arange(len(classes)) / len(classes))
        shares = np.exp(4 * np.cos(angle))
        shares /= shares.sum()
        drawn = rng.choice(len(classes), size=per_phase, p=shares)
        chosen = np.array([next(decks[place]) for place in drawn])
        now = dict(zip(classes.tolist(), shares.tolist(), strict=True))
        yield _phase(f"{number + 1}", data, chosen, everything, everything, now)


def changing_looks(data: Dataset, *, seed: int = 0) -> Iterator[Phase]:
    """All classes mixed; every other class changes its look twice while the others stay.

    Phase 1 shows all as they are, in phase 2 the classes 1, 3, 5, … (by place) are turned by a quarter,
    in phase 3 they are inverted. What is true of them is their present look.

    >>> from lethenet.data import load
    >>> [phase.name for phase in changing_looks(load("digits"))]
    ['as they are', 'turned', 'inverted']
    """
    if data.image_shape is None:
        raise ValueError(f"{data.name} has no images (height × width), so nothing can be turned.")
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    changing = data.classes[1::2]
    parts = np.array_split(rng.permutation(len(data.y_train)), 3)
    looks: dict[str, Look] = {"as they are": lambda X, _: X, "turned": turned, "inverted": inverted}
    for (name, look), part in zip(looks.items(), parts, strict=True):
        train = _with_look(data.X_train[part], data.y_train[part], changing, look, data.image_shape)
        test = _with_look(data.X_test, data.y_test, changing, look, data.image_shape)
        y = data.y_train[part]
        shares = {label: float(np.mean(y == label)) for label in data.classes}
        yield Phase(name, train, y, train, y, test, data.y_test, shares)


def turned(X: Features, shape: tuple[int, ...]) -> Features:
    """Images turned by a quarter."""
    X = X.reshape(len(X), *shape).swapaxes(1, 2)[:, ::-1]
    return X.reshape(len(X), -1)


def inverted(X: Features, shape: tuple[int, ...]) -> Features:
    """Images with dark and bright exchanged."""
    return np.ascontiguousarray(X.max() - X)


def _with_look(
    X: Features, y: Labels, changing: tuple[int, ...], look: Look, shape: tuple[int, ...]
) -> Features:
    changed = np.isin(y, changing)
    X = X.copy()
    if changed.any():
        X[changed] = look(X[changed], shape)
    return X


def _phase(
    name: str, data: Dataset, part: Any, known: Any, tested: Any, shares: dict[int, float]
) -> Phase:
    """A phase in which some training samples are met, some are known, and some test samples are asked."""
    train = data.X_train[part], data.y_train[part], data.X_train[known], data.y_train[known]
    return Phase(name, *train, data.X_test[tested], data.y_test[tested], shares)


def _deck(indices: Labels, rng: np.random.Generator) -> Iterator[int]:
    """Samples of a class in random order, dealt again when they are used up."""
    while True:
        yield from reversed(rng.permutation(indices))
