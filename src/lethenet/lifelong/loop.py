"""The task loop: learn task after task, evaluate after each. All experiments go through it.

It knows no learner and no measure: ``learn`` and ``evaluate`` are functions of the caller. It goes one
:class:`Step` at a time, so the caller can save, show, stop or time whatever lies between two steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Step(Generic[T]):
    """One step of the loop: a piece of a task learned, or the evaluation after it.

    Attributes
    ----------
    task
        The task, as it was given.
    number : int
        Its place in the stream, from 0.
    evaluated : bool
        Whether this step was the evaluation.
    outcome
        What ``learn`` or ``evaluate`` returned.
    seconds : float
        How long that took.

    Examples
    --------
    >>> steps = task_loop(["a", "b"], learn=str.upper, evaluate=len)
    >>> [(step.task, step.outcome) for step in steps]
    [('a', 'A'), ('a', 1), ('b', 'B'), ('b', 2)]
    """

    task: T
    number: int
    evaluated: bool
    outcome: Any
    seconds: float


def task_loop(
    tasks: Iterable[T],
    learn: Callable[[np.ndarray], Any],
    evaluate: Callable[[list[T]], Any],
    *,
    X: np.ndarray | None = None,
    piece: int | Callable[[], int] | None = None,
    tasks_done: int = 0,
    samples_done: int = 0,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Step[T]]:
    """Learn and evaluate task after task, one step per ``next``.

    Parameters
    ----------
    tasks : iterable
        With ``X``, a task says which rows of it are learned, in order: by its ``indices``
        (:class:`lethenet.data.Task`), or by being an array of indices. Without ``X``, it holds its
        samples: as its ``X`` (:class:`lethenet.data.Phase`), or by being an array of samples.
    learn : callable
        Learns an array of samples; ``network.learn``, for instance.
    evaluate : callable
        Gets all tasks met so far, the last one just learned, after each task.
    X : array, optional
        The samples that the tasks are taken from.
    piece : int or callable, optional
        How many samples to learn in a step at most, or a function that says so before each step; a
        whole task if left out.
    tasks_done, samples_done : int, default=0
        Where to go on: after so many tasks evaluated, and so many samples of the next one learned.
    clock : callable, default=time.perf_counter
        Measures the seconds of a step.

    Examples
    --------
    >>> from lethenet.data import disjoint
    >>> X, y, learned = np.arange(8).reshape(4, 2), np.array([0, 1, 0, 1]), []
    >>> for step in task_loop(disjoint(y), learned.extend, len, X=X, piece=1):
    ...     if step.evaluated:
    ...         print(step.task.name, len(learned), step.outcome)
    0 2 1
    1 4 2
    """
    met: list[T] = []
    for number, task in enumerate(tasks):
        met.append(task)
        if number < tasks_done:
            continue
        rows: Any = getattr(task, "X" if X is None else "indices", task)
        done = samples_done if number == tasks_done else 0
        while done < len(rows):
            size = piece() if callable(piece) else piece or len(rows)
            chosen = rows[done : done + size]
            began = clock()
            outcome = learn(chosen if X is None else X[chosen])
            yield Step(task, number, False, outcome, clock() - began)
            done += len(chosen)
        began = clock()
        outcome = evaluate(list(met))
        yield Step(task, number, True, outcome, clock() - began)
