"""Streams: in which order, and in which tasks, a network meets the training samples.

A stream is a list of `Task`; a task is an array of indices into the training part, in the order of
presentation, with its epochs written out one after the other. Random orders come from a NumPy
`SeedSequence`: the same seed gives the same stream, and a class keeps its order of samples when
the classes come in another order.
"""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .validation import Labels


@dataclass(frozen=True, eq=False)
class Task:
    """One stretch of a stream: which training samples to present, in order, epochs written out.

    ``test`` says which test samples belong to it, those of its ``classes`` if None; ``shares`` how much an
    error on each class matters, every test sample the same if None.

    >>> task = disjoint([5, 3, 5], epochs=2)[1]
    >>> task.name, task.classes, task.indices.tolist(), len(task)
    ('5', (5,), [0, 2, 0, 2], 4)
    """

    name: str
    classes: tuple[int, ...]
    indices: Labels
    test: Labels | None = None
    shares: dict[int, float] | None = None

    def __len__(self) -> int:
        """How many presentations the task takes."""
        return len(self.indices)


def disjoint(
    y: ArrayLike,
    *,
    classes: Iterable[int] | None = None,
    epochs: int = 1,
    shuffle_seed: int | None = None,
) -> list[Task]:
    """One task per class, strictly in turn: no class is met again.

    ``classes`` come in this order; all of them, rising, if None. A task is gone through ``epochs`` times,
    in the order of the data or, with a ``shuffle_seed``, shuffled anew each time.

    >>> [task.indices.tolist() for task in disjoint([1, 0, 1, 0], classes=(1, 0))]
    [[0, 2], [1, 3]]
    """
    labels = _as_labels(y)
    chosen = _as_classes(labels, classes)
    return [
        _task(labels, (label,), str(label), epochs=epochs, seed=shuffle_seed) for label in chosen
    ]


def split(
    y: ArrayLike,
    groups: Iterable[Sequence[int]] | None = None,
    *,
    epochs: int = 1,
    seed: int = 0,
) -> list[Task]:
    """Tasks of several classes each, mixed within the task ("split MNIST").

    ``groups`` are the classes of each task, none of them in two; pairs of neighbours, (0, 1), (2, 3) and
    so on, if None. A task is gone through ``epochs`` times, mixed anew by ``seed`` each time.

    >>> [task.name for task in split([0, 1, 2, 3, 4])]
    ['0+1', '2+3', '4']
    """
    labels = _as_labels(y)
    if groups is None:
        present = _present(labels)
        tasks = [present[first : first + 2] for first in range(0, len(present), 2)]
    else:
        tasks = [tuple(operator.index(label) for label in group) for group in groups]
        if not all(tasks):
            raise ValueError(f"groups {tasks} has an empty one; name at least one class in each")
        _as_classes(labels, (label for group in tasks for label in group))
    seed = operator.index(seed)  # None, the order of the data, is not meant here
    return [
        _task(labels, group, "+".join(map(str, group)), epochs=epochs, seed=seed) for group in tasks
    ]


def interleaved(
    y: ArrayLike, *, classes: Iterable[int] | None = None, epochs: int = 1, seed: int = 0
) -> list[Task]:
    """A single task with all classes in uniformly random order: the usual, stationary training.

    The samples of ``classes``, of all if None, are gone through ``epochs`` times; ``seed`` draws the
    order, anew each time.

    >>> [task] = interleaved([0, 1, 0, 1], epochs=2)
    >>> sorted(task.indices.tolist())
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    labels = _as_labels(y)
    chosen = _as_classes(labels, classes)
    return [_task(labels, chosen, "interleaved", epochs=epochs, seed=operator.index(seed))]


def _task(
    labels: Labels, classes: tuple[int, ...], name: str, *, epochs: int, seed: int | None
) -> Task:
    if operator.index(epochs) < 1:
        raise ValueError(f"epochs is {epochs}; it must be at least 1")
    samples = np.flatnonzero(np.isin(labels, classes)).astype(np.int64)
    if seed is None:
        return Task(name, classes, np.tile(samples, epochs))
    # The key depends on the classes alone, not on the place of the task in the stream.
    key = _present(labels).index(min(classes))
    if operator.index(seed) < 0:
        raise ValueError(f"the seed is {seed}; it must not be negative")
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key,)))
    return Task(name, classes, np.concatenate([rng.permutation(samples) for _ in range(epochs)]))


def _present(labels: Labels) -> tuple[int, ...]:
    return tuple(np.unique(labels).tolist())


def _as_labels(y: ArrayLike) -> Labels:
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind not in "ui" or labels.size == 0:
        raise ValueError(
            f"y has shape {labels.shape} and type {labels.dtype}; expected a 1-D array of "
            "integer labels, at least one"
        )
    return labels.astype(np.int64)


def _as_classes(labels: Labels, classes: Iterable[int] | None) -> tuple[int, ...]:
    present = _present(labels)
    if classes is None:
        return present
    chosen = tuple(operator.index(label) for label in classes)
    there_are = f"there are {list(present)}"
    if not chosen:
        raise ValueError(f"no class is given; {there_are}")
    unknown = [label for label in chosen if label not in present]
    if unknown:
        raise ValueError(f"y has no samples of classes {unknown}; {there_are}")
    twice = sorted({label for label in chosen if chosen.count(label) > 1})
    if twice:
        raise ValueError(f"classes {twice} are given more than once; name each once")
    return chosen
