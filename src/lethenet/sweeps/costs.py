"""What an experiment will cost: presentations times seconds per presentation, measured where possible.

seconds = learned · l(neurons) + recognised · r(neurons), with l and r linear in the number of neurons, and
scaled to what finished experiments of the nearest size on the same data took.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .samples import dataset, sizes_of

if TYPE_CHECKING:
    from .experiment import Experiment
    from .results_file import ResultLine

# Seconds per presentation, and per presentation and neuron: MNIST on one core
_FORMULA = {"learning": (1.3e-4, 9e-8), "evaluation": (1.7e-4, 9e-8)}
_MNIST_FEATURES = 784
_COUNTED = {"learning": "learned", "evaluation": "recognised"}


class Costs:
    """Estimates of what experiments cost, from what finished experiments did cost.

    Parameters
    ----------
    results : iterable of dict
        Lines of a results file.

    Examples
    --------
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
        if not {*_COUNTED.values()} <= cost.keys() or not {"dataset", "neurons"} <= config.keys():
            return  # a study that is no sweep keeps its results in the same way
        for what, work in _COUNTED.items():
            sums = self._sums[config["dataset"], what].setdefault(config["neurons"], [0.0, 0.0])
            sums[0] += cost[f"{what}_seconds"]
            sums[1] += cost[work] * _by_formula(what, config["neurons"])

    def seconds(self, experiment: Experiment) -> float:
        """How long an experiment will take on one core, more or less."""
        total = 0.0
        for what, work in zip(_FORMULA, presentations(experiment), strict=True):
            total += (
                work * _by_formula(what, experiment.config.neurons) * self._ratio(what, experiment)
            )
        return total

    def _ratio(self, what: str, experiment: Experiment) -> float:
        name, neurons = experiment.config.dataset, experiment.config.neurons
        measured = self._sums.get((name, what))
        if not measured:
            # input spikes per time unit, which cost most, are at most the root of the features
            return math.sqrt(dataset(name).n_features / _MNIST_FEATURES)
        nearest = min(measured, key=lambda size: abs(math.log(size / neurons)))
        seconds, by_formula = measured[nearest]
        return seconds / by_formula


def _by_formula(what: str, neurons: int) -> float:
    fixed, per_neuron = _FORMULA[what]
    return fixed + per_neuron * neurons


def presentations(experiment: Experiment) -> tuple[int, int]:
    """How many samples an experiment learns, and how many it recognises.

    >>> from lethenet.sweeps import Experiment
    >>> settings = {"dataset": "digits", "train_per_class": 10, "test_per_class": 5, "epochs": 2}
    >>> presentations(Experiment.of(**settings))
    (200, 150)
    >>> presentations(Experiment.of(**settings, evaluate="each task"))
    (200, 825)
    """
    train, test = sizes_of(experiment)
    learned = experiment.config.epochs * sum(train.values())
    limit = experiment.label_per_class
    each = [min(n, limit or n) + test[label] for label, n in train.items()]
    if experiment.evaluate == "end" or experiment.config.order == "interleaved":
        return learned, sum(each)
    return learned, sum(size * (len(each) - place) for place, size in enumerate(each))
