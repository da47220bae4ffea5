"""What a sweep has to do: which of its experiments are missing, and how long they will take."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import samples
from .costs import Costs
from .experiment import Experiment
from .jobs import Job
from .results_file import ResultLine, read_results


@dataclass(frozen=True)
class Plan:
    """What a sweep has to do.

    Attributes
    ----------
    keys : tuple of str
        The keys of its experiments, in their order, each once.
    done : dict
        Results that are there, by key.
    missing : tuple of Job
        What is not, the longest first (unless in a given order), each with its ``experiment``, ``key`` and
        ``seconds``.

    Examples
    --------
    >>> from lethenet.sweeps import grid, plan
    >>> experiments = grid(dataset="digits", neurons=[50, 100], seeds=2)
    >>> [job.experiment.config.neurons for job in plan(experiments).missing]
    [100, 100, 50, 50]
    """

    keys: tuple[str, ...]
    done: dict[str, ResultLine]
    missing: tuple[Job, ...]

    def seconds(self, workers: int = 1) -> float:
        """How long the missing experiments will take so many processes, more or less."""
        total = sum(job.seconds for job in self.missing)
        longest = max((job.seconds for job in self.missing), default=0.0)
        return max(total / workers, longest)


def plan(experiments: Iterable[Experiment], out: str | os.PathLike[str] | None = None) -> Plan:
    """Look what of these experiments a results file lacks, and how long it will take to compute.

    Examples
    --------
    >>> from lethenet.sweeps import grid
    >>> todo = plan(grid(dataset="digits", seeds=4))
    >>> len(todo.missing), todo.seconds() == 2 * todo.seconds(workers=2) > 0
    (4, True)
    """
    samples.forget()
    results = read_results(out) if out is not None and Path(out).exists() else []
    return plan_from(experiments, {result["key"]: result for result in results})


def plan_from(
    experiments: Iterable[Experiment], results: dict[str, ResultLine], *, longest_first: bool = True
) -> Plan:
    """The same with results that have been read; ``longest_first=False`` keeps the order."""
    costs = Costs(results.values())
    by_key: dict[str, Experiment] = {}
    for experiment in experiments:
        by_key.setdefault(experiment.key, experiment.resolved())
    missing = [
        Job(experiment, key, costs.seconds(experiment))
        for key, experiment in by_key.items()
        if key not in results
    ]
    if longest_first:
        missing.sort(key=lambda job: -job.seconds)
    done = {key: results[key] for key in by_key if key in results}
    return Plan(tuple(by_key), done, tuple(missing))
