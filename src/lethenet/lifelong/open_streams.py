"""Streams of any kind as a data set with tasks: what the task loop and the measures take.

A stream of one's own is a sequence of tasks, or a generator of them, which is read to its end. A task has
``X``, ``y``, ``X_test`` and ``y_test``, as a tuple of the four, by name in a dictionary, or as attributes,
and ``name`` and ``shares`` (see :class:`lethenet.data.Task`) if it likes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data import (
    Dataset,
    Phase,
    Task,
    changing_looks,
    disjoint,
    drifting,
    interleaved,
    returning,
    split,
)

if TYPE_CHECKING:
    from .config import Config

_PARTS = ("X", "y", "X_test", "y_test")
WORLDS = {"returning": returning, "drifting": drifting, "changing-looks": changing_looks}


class Stream(NamedTuple):
    """Tasks, and the data set whose rows they name."""

    data: Dataset
    tasks: list[Task]


def make_stream(config: Config, data: Dataset) -> Stream:
    """The stream of an experiment: a task per class in turn, a single one, groups, or a changing world."""
    classes, epochs, seed = config.classes or data.classes, config.epochs, config.seed
    if config.order == "interleaved":
        return Stream(data, interleaved(data.y_train, classes=classes, epochs=epochs, seed=seed))
    if config.stream == "classes":
        return _named(data, disjoint(data.y_train, classes=classes, epochs=epochs))
    if config.stream.startswith("split:"):
        n = int(config.stream.removeprefix("split:"))
        groups = [classes[first : first + n] for first in range(0, len(classes), n)]
        return _named(data, split(data.y_train, groups, epochs=epochs, seed=seed))
    data = data.rows(np.isin(data.y_train, classes), np.isin(data.y_test, classes))
    stream = joined(WORLDS[config.stream](data, seed=seed), data)
    tasks = [replace(task, indices=np.tile(task.indices, epochs)) for task in stream.tasks]
    return Stream(stream.data, tasks)


def _named(data: Dataset, tasks: list[Task]) -> Stream:
    """Tasks called by the names of their classes."""
    names = ["+".join(str(data.name_of(label)) for label in task.classes) for task in tasks]
    renamed = [replace(task, name=name) for task, name in zip(tasks, names, strict=True)]
    return Stream(data, renamed)


def as_stream(stream: Any) -> Stream:
    """A stream from a data set or four arrays (classes in turn), a data set and its tasks, or tasks alone.

    Avalanche's benchmarks are taken, too: whatever has a ``train_stream`` and a ``test_stream``.

    >>> X, y = np.eye(4), np.array(["a", "a", "b", "b"])
    >>> as_stream([(X[:2], y[:2], X[:2], y[:2]), (X[2:], y[2:], X[2:], y[2:])]).tasks[1].classes
    ('b',)
    """
    if isinstance(stream, Dataset):
        return Stream(stream, disjoint(stream.y_train))
    if isinstance(stream, tuple) and len(stream) == 2 and isinstance(stream[0], Dataset):
        return Stream(stream[0], list(stream[1]))
    if isinstance(stream, tuple) and len(stream) == 4 and all(hasattr(x, "shape") for x in stream):
        X, y, X_test, y_test = map(np.asarray, stream)
        stream = [
            (X[y == c], y[y == c], X_test[y_test == c], y_test[y_test == c]) for c in np.unique(y)
        ]
    if hasattr(stream, "train_stream"):
        stream = _experiences(stream)
    if not isinstance(stream, Iterable):
        raise TypeError(
            f"a {type(stream).__name__} is no stream: expected a Dataset, four arrays, a sequence of tasks "
            "(X, y, X_test, y_test), or a benchmark with train_stream and test_stream."
        )
    return joined(stream)


def joined(tasks: Iterable[Any], base: Dataset | None = None) -> Stream:
    """Tasks that hold their own arrays as one data set, made like ``base``; a test part is held once."""
    train: list[tuple[np.ndarray, np.ndarray]] = []
    test: list[tuple[np.ndarray, np.ndarray]] = []
    places: dict[bytes, np.ndarray] = {}
    found: list[Task] = []
    n_train = n_test = 0
    for number, task in enumerate(tasks):
        X, y, X_test, y_test = _parts(task, number, train)
        shares = _get(task, "shares")
        if isinstance(task, Phase):  # it tests all that has been met
            own = np.isin(y_test, [label for label, share in task.shares.items() if share > 0])
            X_test, y_test = X_test[own], y_test[own]
        key = sha256(X_test.tobytes() + y_test.tobytes()).digest()
        if key not in places:
            places[key] = np.arange(n_test, n_test + len(y_test))
            test.append((X_test, y_test))
            n_test += len(y_test)
        train.append((X, y))
        classes = tuple(np.unique(y).tolist())
        name = _get(task, "name") or "+".join(map(str, classes))
        rows = np.arange(n_train, n_train + len(y))
        found.append(Task(str(name), classes, rows, places[key], shares))
        n_train += len(y)
    if not found:
        raise ValueError("the stream has no task: expected at least one.")
    (X, y), (X_test, y_test) = (
        tuple(map(np.concatenate, zip(*parts, strict=True))) for parts in (train, test)
    )
    unmet = np.setdiff1d(y_test, y)
    if unmet.size:
        raise ValueError(
            f"the stream tests classes {unmet.tolist()[:5]} that no task teaches: leave them out."
        )
    base = base or Dataset("own", X, y, X_test, y_test)
    return Stream(replace(base, X_train=X, y_train=y, X_test=X_test, y_test=y_test), found)


def _experiences(benchmark: Any) -> Iterable[tuple[np.ndarray, ...]]:
    """The experiences of an Avalanche benchmark; a single test experience is shared by classes."""
    tests = [_samples(experience) for experience in benchmark.test_stream]
    n = len(benchmark.train_stream)
    if len(tests) not in (1, n):
        raise ValueError(
            f"the benchmark has {n} training and {len(tests)} test experiences: expected as many, or one."
        )
    for number, experience in enumerate(benchmark.train_stream):
        X, y = _samples(experience)
        X_test, y_test = tests[number if len(tests) > 1 else 0]
        own = np.isin(y_test, y) if len(tests) < n else np.ones(len(y_test), bool)
        yield X, y, X_test[own], y_test[own]


def _samples(experience: Any) -> tuple[np.ndarray, np.ndarray]:
    """Samples and labels of an experience: its data set yields (x, y, …), as tensors or arrays."""
    pairs = [(np.asarray(x), int(y)) for x, y, *_ in experience.dataset]
    return np.stack([x for x, _ in pairs]), np.array([y for _, y in pairs], np.int64)


def _parts(task: Any, number: int, before: list[Any]) -> list[np.ndarray]:
    """X, y, X_test, y_test of a task, checked, samples as rows."""
    parts = [_get(task, name) for name in _PARTS]
    if isinstance(task, tuple | list) and len(task) == 4:
        parts = list(task)
    if any(part is None for part in parts):
        raise ValueError(f"task {number} is a {type(task).__name__}: expected {', '.join(_PARTS)}.")
    X, y, X_test, y_test = map(np.asarray, parts)
    y, y_test = (
        np.array(labels.tolist()) if labels.dtype == object else labels for labels in (y, y_test)
    )
    for name, samples, labels in (("X", X, y), ("X_test", X_test, y_test)):
        if labels.ndim != 1 or samples.shape[:1] != labels.shape or not len(labels):
            raise ValueError(
                f"task {number}: {name} of shape {samples.shape} with labels of shape {labels.shape}; "
                "expected a label for each sample, and at least one."
            )
    X, X_test = (x if x.ndim == 2 else x.reshape(len(x), -1) for x in (X, X_test))
    widths = {x.shape[1] for x in (X, X_test, *(x for x, _ in before[:1]))}
    if len(widths) > 1:
        raise ValueError(
            f"task {number}: samples of {sorted(widths)} features; expected the same for all."
        )
    return [X, y, X_test, y_test]


def _get(task: Any, name: str) -> Any:
    return task.get(name) if isinstance(task, Mapping) else getattr(task, name, None)
