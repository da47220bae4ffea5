"""What a sweep has to do: which of its experiments are missing, and how long they will take.

An experiment takes learned · l(neurons) + recognised · r(neurons) seconds, with l and r linear in the
number of neurons, and scaled to what finished experiments of the nearest size on the same data took.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .._schema import AMOUNT, TEXT, check, whole
from . import samples
from .experiment import Experiment
from .results_file import ResultLine, read_results

# Seconds per presentation, and per presentation and neuron: MNIST on one core
_FORMULA = {"learning": (1.3e-4, 9e-8), "evaluation": (1.7e-4, 9e-8)}
_MNIST_FEATURES = 784
_COUNTED = {"learning": "learned", "evaluation": "recognised"}
_MEASURED = {
    "config": {"dataset": TEXT, "neurons": whole(1)},
    "cost": {
        **{f"{what}_seconds": AMOUNT for what in _COUNTED},
        **{count: whole(1) for count in _COUNTED.values()},
    },
}


class Costs:
    """Estimates of what experiments cost, from what finished experiments did cost.

    >>> from lethenet.sweeps import Experiment
    >>> small, large = (Experiment.of(dataset="digits", neurons=n) for n in (100, 10_000))
    >>> Costs().seconds(small) < Costs().seconds(large)
    True
    """

    def __init__(self, results: Iterable[ResultLine] = ()) -> None:
        # (data, what) -> neurons -> [seconds measured, seconds by the formula]
        self._sums: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(dict)
        for result in results:
            self.add(result)

    def add(self, result: ResultLine) -> None:
        """Learn from a finished experiment."""
        config, cost = result["config"], result["cost"]
        try:
            check(result, _MEASURED)
        except ValueError:
            return  # a study that is no sweep keeps its results in the same way
        for what, count in _COUNTED.items():
            sums = self._sums[config["dataset"], what].setdefault(config["neurons"], [0.0, 0.0])
            sums[0] += cost[f"{what}_seconds"]
            sums[1] += cost[count] * _by_formula(what, config["neurons"])

    def seconds(self, experiment: Experiment) -> float:
        """How long an experiment will take on one core, more or less."""
        neurons = experiment.config.neurons
        return sum(
            n * _by_formula(what, neurons) * self._ratio(what, experiment)
            for what, n in zip(_FORMULA, presentations(experiment), strict=True)
        )

    def _ratio(self, what: str, experiment: Experiment) -> float:
        name, neurons = experiment.config.dataset, experiment.config.neurons
        measured = self._sums.get((name, what))
        if not measured:
            # input spikes per time unit, which cost most, are at most the root of the features
            return math.sqrt(samples.dataset(name).n_features / _MNIST_FEATURES)
        nearest = min(measured, key=lambda size: abs(math.log(size / neurons)))
        seconds, by_formula = measured[nearest]
        return seconds / by_formula


def _by_formula(what: str, neurons: int) -> float:
    fixed, per_neuron = _FORMULA[what]
    return fixed + per_neuron * neurons


def presentations(experiment: Experiment) -> tuple[int, int]:
    """How many samples an experiment learns, and how many it recognises."""
    train, test = samples.sizes_of(experiment)
    learned = experiment.config.epochs * sum(train.values())
    limit = experiment.label_per_class
    each = [min(n, limit or n) + test[label] for label, n in train.items()]
    if experiment.evaluate == "end" or experiment.config.order == "interleaved":
        return learned, sum(each)
    return learned, sum(size * (len(each) - place) for place, size in enumerate(each))


def side_by_side(seconds: list[float], workers: int) -> float:
    """What experiments take together: the slowest one may take longer than its share."""
    return max(sum(seconds) / max(workers, 1), max(seconds, default=0.0))


@dataclass(frozen=True)
class Job:
    """An experiment to compute, the key it must come out with, and how long it may take."""

    experiment: Experiment
    key: str
    seconds: float


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
        return side_by_side([job.seconds for job in self.missing], workers)


def plan(experiments: Iterable[Experiment], out: str | os.PathLike[str] | None = None) -> Plan:
    """Look what of these experiments a results file lacks, and how long it will take to compute.

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
