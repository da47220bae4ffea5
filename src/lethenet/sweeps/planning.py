"""What a sweep has to do: which of its cells are missing, and how long they will take."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import samples
from .cells import Cell
from .costs import Costs
from .results_file import Record, read_results
from .work import Job


@dataclass(frozen=True)
class Plan:
    """What a sweep has to do.

    Attributes
    ----------
    keys : tuple of str
        The keys of its cells, in their order, each once.
    done : dict
        Results that are there, by key.
    missing : tuple of Job
        What is not, the longest first (unless in a given order), each with its ``cell``, ``key`` and
        ``seconds``.

    Examples
    --------
    >>> from lethenet.sweeps import grid, plan
    >>> cells = grid(dataset="digits", neurons=[50, 100], seeds=2)
    >>> [job.cell.config.neurons for job in plan(cells).missing]
    [100, 100, 50, 50]
    """

    keys: tuple[str, ...]
    done: dict[str, Record]
    missing: tuple[Job, ...]

    def seconds(self, workers: int = 1) -> float:
        """How long the missing cells will take so many processes, more or less."""
        total = sum(job.seconds for job in self.missing)
        longest = max((job.seconds for job in self.missing), default=0.0)
        return max(total / workers, longest)


def plan(cells: Iterable[Cell], out: str | os.PathLike[str] | None = None) -> Plan:
    """Look what of these cells a results file lacks, and how long it will take to compute.

    Examples
    --------
    >>> from lethenet.sweeps import grid
    >>> todo = plan(grid(dataset="digits", seeds=4))
    >>> len(todo.missing), todo.seconds() == 2 * todo.seconds(workers=2) > 0
    (4, True)
    """
    samples.forget()
    records = read_results(out) if out is not None and Path(out).exists() else []
    return plan_from(cells, {record["key"]: record for record in records})


def plan_from(
    cells: Iterable[Cell], records: dict[str, Record], *, longest_first: bool = True
) -> Plan:
    """The same with results that have been read; ``longest_first=False`` keeps the order of the cells."""
    costs = Costs(records.values())
    by_key: dict[str, Cell] = {}
    for cell in cells:
        by_key.setdefault(cell.key, cell.resolved())
    missing = [
        Job(cell, key, costs.seconds(cell)) for key, cell in by_key.items() if key not in records
    ]
    if longest_first:
        missing.sort(key=lambda job: -job.seconds)
    done = {key: records[key] for key in by_key if key in records}
    return Plan(tuple(by_key), done, tuple(missing))
