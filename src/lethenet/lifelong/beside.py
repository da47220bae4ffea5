"""An evaluation that goes on beside learning, on the other cores.

There is at most one: at the end of the next task learning waits for it, and lends it its own core. So
evaluations end in the order of the tasks, and nothing in a result depends on how fast they were.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..data import Task
    from .protocol import Experiment

LOOK = 0.05
"""Seconds between two chances to stop while an evaluation is waited for."""


class _CancelledError(Exception):
    """Nobody wants the evaluation any more."""


class Evaluation:
    """One evaluation of a frozen experiment, under way, with so many threads in all."""

    def __init__(self, frozen: Experiment, met: list[Task], n_threads: int) -> None:
        self.frozen, self._met, self._n_threads = frozen, met, n_threads
        self.done, self.total = 0, frozen.to_recognise(met)
        self._alone = self._cancelled = False
        self._pool = ThreadPoolExecutor(1, "evaluation")
        self._future = self._pool.submit(frozen.assessed, met, self._threads, self._on_samples)

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
        self._pool.shutdown()
        return self.frozen.close(self._met, *self._future.result())

    def cancel(self) -> None:
        """Let it stop after a few samples, and leave nothing running behind."""
        self._cancelled = True
        self._pool.shutdown()

    def _threads(self) -> int:
        return self._n_threads if self._alone else max(1, self._n_threads - 1)

    def _on_samples(self, n: int) -> None:
        self.done += n
        if self._cancelled:
            raise _CancelledError
