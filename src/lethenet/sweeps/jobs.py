"""What passes between a sweep and whoever computes its experiments: jobs in, events out."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from . import samples
from .experiment import Experiment
from .outcome import run_experiment
from .results_file import ResultLine


@dataclass(frozen=True)
class Job:
    """An experiment to compute, the key it must come out with, and how long it may take."""

    experiment: Experiment
    key: str
    seconds: float


class Finished(NamedTuple):
    """An experiment was computed."""

    job: Job
    result: ResultLine


class Failed(NamedTuple):
    """An experiment raised an error, or its process died too often."""

    job: Job
    error: str


class Skipped(NamedTuple):
    """Another sweep has finished the experiment in the meantime."""

    job: Job


class Retried(NamedTuple):
    """An experiment is begun again."""

    job: Job
    why: str


class Waiting(NamedTuple):
    """Nothing to tell: so many processes compute; the seconds for which each of their experiments does."""

    workers: int
    running: dict[str, float]


Event = Finished | Failed | Skipped | Retried | Waiting
Events = Generator[Event, None, None]
Wanted = Callable[[Job], bool]
"""Whether an experiment is still missing: asked right before it starts."""

TICK = 0.5
"""Seconds between two signs of life."""


class WrongWorkerError(ValueError):
    """A worker would compute another experiment than it was asked for."""


def compute(document: dict[str, object], key: str) -> ResultLine:
    """Run an experiment wherever this is called."""
    experiment = Experiment.from_json(document)
    if experiment.key != key:
        samples.forget()  # a file of data may have changed since this process read it
    if experiment.key != key:
        from .. import __version__

        raise WrongWorkerError(
            f"the worker with process {os.getpid()} on {platform.node()} (lethenet {__version__}) "
            f"computes another experiment ({experiment.key} instead of {key}): its lethenet or its data "
            "differ. Install the same version, give it the same data, and restart it."
        )
    return run_experiment(experiment)


def explain(error: BaseException) -> str:
    """An error in one line.

    >>> explain(ValueError("no such class"))
    'ValueError: no such class'
    """
    return " ".join(f"{type(error).__name__}: {error}".split())
