"""What passes between a sweep and whoever computes its cells: jobs in, events out."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from . import samples
from .cells import Cell
from .outcome import run_cell
from .results_file import Record


@dataclass(frozen=True)
class Job:
    """A cell to compute, the key it must come out with, and how long it may take."""

    cell: Cell
    key: str
    seconds: float


class Finished(NamedTuple):
    """A cell was computed."""

    job: Job
    record: Record


class Failed(NamedTuple):
    """A cell raised an error, or its process died too often."""

    job: Job
    error: str


class Skipped(NamedTuple):
    """Another sweep has finished the cell in the meantime."""

    job: Job


class Retried(NamedTuple):
    """A cell is begun again."""

    job: Job
    why: str


class Waiting(NamedTuple):
    """Nothing to tell: so many processes compute; the seconds for which each of their cells does."""

    workers: int
    running: dict[str, float]


Event = Finished | Failed | Skipped | Retried | Waiting
Events = Generator[Event, None, None]
Wanted = Callable[[Job], bool]
"""Whether a cell is still missing: asked right before it starts."""

TICK = 0.5
"""Seconds between two signs of life."""


class WrongWorkerError(ValueError):
    """A worker would compute another experiment than it was asked for."""


def compute(document: dict[str, object], key: str) -> Record:
    """Run a cell wherever this is called."""
    cell = Cell.from_json(document)
    if cell.key != key:
        samples.forget()  # a file of data may have changed since this process read it
    if cell.key != key:
        from .. import __version__

        raise WrongWorkerError(
            f"the worker with process {os.getpid()} on {platform.node()} (lethenet {__version__}) "
            f"computes another cell ({cell.key} instead of {key}): its lethenet or its data differ. "
            "Install the same version, give it the same data, and restart it."
        )
    return run_cell(cell)


def explain(error: BaseException) -> str:
    """An error in one line.

    >>> explain(ValueError("no such class"))
    'ValueError: no such class'
    """
    return " ".join(f"{type(error).__name__}: {error}".split())
