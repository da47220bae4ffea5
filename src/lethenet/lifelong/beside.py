"""An evaluation that goes on beside learning, on the other cores.

There is at most one: at the end of the next task learning waits for it, and lends it its own core. So
evaluations end in the order of the tasks, and nothing in a result depends on how fast they were.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from ..data import Task
    from .protocol import Experiment

LOOK = 0.05
"""Seconds between two chances to stop while an evaluation is waited for."""


class _CancelledError(Exception):
    """Nobody wants the evaluation any more."""


class Evaluation:
    """One evaluation of a frozen experiment, under way."""

    def __init__(
        self, pool: ThreadPoolExecutor, frozen: Experiment, met: list[Task], n_threads: int
    ) -> None:
        self.frozen, self._met, self._n_threads = frozen, met, n_threads
        self.done, self.total = 0, frozen.to_recognise(met)
        self._alone = self._cancelled = False
        self._future = pool.submit(frozen.assessed, met, self._threads, self._on_samples)

    @property
    def ready(self) -> bool:
        """Whether it has come to its end."""
        return self._future.done()

    def wait(self) -> bool:
        """Wait a moment with nothing else to do; whether it has come to its end."""
        self._alone = True
        wait([self._future], LOOK)
        return self.ready

    def close(self) -> dict[str, Any]:
        """Add what came out to the history, which the experiment that learns shares, and return it."""
        return self.frozen.close(self._met, *self._future.result())

    def cancel(self) -> None:
        """Let it stop after a few samples."""
        self._cancelled = True

    def _threads(self) -> int:
        return self._n_threads if self._alone else max(1, self._n_threads - 1)

    def _on_samples(self, n: int) -> None:
        self.done += n
        if self._cancelled:
            raise _CancelledError


class Beside:
    """Room for one evaluation beside learning, with so many threads in all."""

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._pool = ThreadPoolExecutor(1, "evaluation")
        if n_threads > 1:  # nothing is evaluated beside the first task: what is needed later
            self._pool.submit(import_module, "lethenet.estimators")
        self.evaluation: Evaluation | None = None

    def begin(self, frozen: Experiment, met: list[Task]) -> None:
        """Start an evaluation; the one before has been taken."""
        self.evaluation = Evaluation(self._pool, frozen, met, self._n_threads)

    def take(self) -> dict[str, Any]:
        """The outcome of the evaluation, which has come to its end."""
        evaluation, self.evaluation = self.evaluation, None
        if evaluation is None:
            raise ValueError("No evaluation is under way.")
        return evaluation.close()

    def __enter__(self) -> Self:
        """Make room."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave nothing running behind."""
        if self.evaluation is not None:
            self.evaluation.cancel()
        self._pool.shutdown()
