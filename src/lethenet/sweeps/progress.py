"""How a sweep goes on: results are written down as they come, and whoever listens hears of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .experiment import Experiment
from .planning import Costs, Job, Plan, side_by_side
from .results_file import ResultLine, ResultsFile

Listener = Callable[[dict[str, Any]], None]
"""Hears of a sweep's events: plain dictionaries that JSON can hold, see :func:`.run_sweep`."""


@dataclass(frozen=True)
class Sweep:
    """How a sweep went.

    Attributes
    ----------
    results : tuple of dict
        The results of its experiments, in their order, without those that failed.
    failures : tuple of (Experiment, str)
        Experiments that failed, and why.
    computed : int
        How many were computed now; the others were there.

    >>> Sweep(results=(), failures=(), computed=0).computed
    0
    """

    results: tuple[ResultLine, ...]
    failures: tuple[tuple[Experiment, str], ...]
    computed: int


class SweepProgress:
    """A sweep on its way: whoever computes tells it; it writes results down and tells its listener."""

    def __init__(self, plan: Plan, file: ResultsFile, listener: Listener) -> None:
        self.plan, self.file, self._listener = plan, file, listener
        self._left = {job.key: job for job in plan.missing}
        self._costs = Costs(file.results.values())
        self._failures: list[tuple[Experiment, str]] = []
        self._computed, self._seconds_done = 0, 0.0

    def begin(self, workers: int | None) -> None:
        """Say what is to be done, by so many processes if that is known."""
        self._tell(
            "started",
            out=str(self.file.path),
            experiments=len(self.plan.keys),
            done=len(self.plan.done),
            missing=len(self.plan.missing),
            workers=workers,
            seconds=self.plan.seconds(workers or 1),
        )

    def wanted(self, job: Job) -> bool:
        """Whether an experiment is still missing, right before it starts; another sweep may have it."""
        self.file.refresh()
        if job.key not in self.file.results:
            return True
        self._finish(job, self.file.results[job.key], elsewhere=True)
        return False

    def finished(self, job: Job, result: ResultLine) -> None:
        """An experiment was computed."""
        self._computed += 1
        self.file.append(result)
        self._costs.add(result)
        self._finish(job, result, elsewhere=False)

    def failed(self, job: Job, why: str) -> None:
        """An experiment raised an error, or its process died too often."""
        del self._left[job.key]
        self._failures.append((job.experiment, why))
        self._tell("failed", experiment=job.experiment.to_json(), why=why)

    def retried(self, job: Job, why: str) -> None:
        """An experiment is begun again."""
        self._tell("retry", experiment=job.experiment.to_json(), why=why)

    def waiting(self, workers: int, running: dict[str, float]) -> None:
        """So many processes compute; the seconds for which each of their experiments does."""
        left = [
            max(self._costs.seconds(job.experiment) - running.get(key, 0.0), 0.0)
            for key, job in self._left.items()
        ]
        self._tell(
            "waiting",
            workers=workers,
            running=len(running),
            experiments_left=len(self._left),
            seconds_done=self._seconds_done + sum(running.values()),
            seconds_left=side_by_side(left, workers),
        )

    def end(self) -> Sweep:
        """Say how it went."""
        computed, failed = self._computed, len(self._failures)
        self._tell("finished", out=str(self.file.path), computed=computed, failed=failed)
        known = self.file.results
        results = tuple(known[key] for key in self.plan.keys if key in known)
        return Sweep(results, tuple(self._failures), computed)

    def _tell(self, event: str, **content: Any) -> None:
        self._listener({"event": event, **content})

    def _finish(self, job: Job, result: ResultLine, *, elsewhere: bool) -> None:
        del self._left[job.key]
        cost = result["cost"]
        self._seconds_done += cost["learning_seconds"] + cost["evaluation_seconds"]
        total = len(self.plan.keys)
        done = total - len(self._left)
        self._tell("result", result=result, experiments=total, done=done, elsewhere=elsewhere)
