"""Run one experiment: learn its tasks, test at the end or after each of them, write it down."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._version import __version__
from ..lifelong import measures
from ..lifelong.energy import Cost
from ..lifelong.evaluation import assess_tasks, describe, winners_of
from ..lifelong.loop import task_loop
from ..lifelong.machine import describe_machine
from ..lifelong.open_streams import make_stream
from ..model import Network, initial_state
from . import samples
from .experiment import Experiment
from .fingerprint import behaviour, sha256
from .results_file import ResultLine

if TYPE_CHECKING:
    from ..data import Dataset, Task

PIECE = 4096
"""Samples gathered at a time: twenty epochs of MNIST would take a gigabyte."""


def run_experiment(experiment: Experiment) -> ResultLine:
    """Run an experiment on this core; what it gives is a line of a results file.

    ``results`` depends on the experiment alone, ``cost`` on the machine, too.

    >>> from lethenet.sweeps import Experiment
    >>> experiment = Experiment.of(dataset="digits", neurons=60, threshold=15.0, train_per_class=50)
    >>> result = run_experiment(experiment)
    >>> result["results"]["test_accuracy"] > 0.5, result["key"] == experiment.key
    (True, True)
    """
    resolved = experiment.resolved()
    data = samples.samples_of(resolved)
    if resolved.config.fit_threshold:
        resolved = replace(resolved, config=resolved.config.resolved(data))
    run = _Run(resolved, data)
    results = run.go()  # before its cost is known
    config = resolved.to_json()
    preset = config.pop("preset")
    return {
        "key": experiment.key,
        "preset": preset,
        "config": config,
        "results": results,
        "cost": {
            "learning_seconds": round(run.seconds["learning"], 3),
            "evaluation_seconds": round(run.seconds["evaluation"], 3),
            "learned": run.learned.samples,
            "recognised": run.recognised.samples,
            "processor": describe_machine()["processor"],
        },
        "behaviour": behaviour(experiment.config.parameters)[:16],
        "lethenet": __version__,
    }


class WrongWorkerError(ValueError):
    """A worker would compute another experiment than it was asked for."""


def compute(document: dict[str, object], key: str) -> ResultLine:
    """Run an experiment wherever this is called."""
    experiment = Experiment.from_json(document)
    if experiment.key != key:
        samples.forget()  # a file of data may have changed since this process read it
    if experiment.key != key:
        raise WrongWorkerError(
            f"the worker with process {os.getpid()} on {platform.node()} (lethenet {__version__}) "
            f"computes another experiment ({experiment.key} instead of {key}): its lethenet or its data "
            "differ. Install the same version, give it the same data, and restart it."
        )
    return run_experiment(experiment)


def explain(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


class _Run:
    """A network on its way through the tasks of an experiment."""

    def __init__(self, experiment: Experiment, data: Dataset) -> None:
        config = experiment.config
        self.experiment, self.data, self.tasks = experiment, data, make_stream(config, data).tasks
        # Numbered in rising order, as in the classifier, so that equal votes go the same way
        self.labels = tuple(sorted(config.classes or ()))
        state = initial_state(config.neurons, data.n_features, config.seed)
        self.network = Network(config.parameters, state)
        self.seconds = {"learning": 0.0, "evaluation": 0.0}
        self.learned, self.recognised = Cost(), Cost()

    def go(self) -> dict[str, Any]:
        evaluations = []
        steps = task_loop(self.tasks, self._learn, self._evaluate, X=self.data.X_train, piece=PIECE)
        for step in steps:
            self.seconds["evaluation" if step.evaluated else "learning"] += step.seconds
            if step.evaluated and step.outcome is not None:
                evaluations.append(step.outcome)
        state, last = self.network.state, evaluations[-1]
        n, per_task = state.n_presentations, ("task", "samples_seen", "task_accuracy")
        results = {name: value for name, value in last.items() if name not in per_task}
        results |= {
            "unused_neurons": int(np.sum(state.spike_counts + state.imprint_counts == 0)),
            "samples_learned": n,
            "dopaminergic_spikes_per_sample": int(state.imprint_counts.sum()) / n,
            "input_spikes_per_sample": self.learned.input_spikes / n,
            "weights_sha256": sha256(state.weights),
        }
        if self.experiment.evaluate == "each task":
            rows = [e["task_accuracy"] for e in evaluations]
            results |= measures.derived(rows) | {
                "accuracy_matrix": rows,
                "evaluations": evaluations,
            }
        return results

    def _learn(self, X: np.ndarray) -> None:
        self.learned.add(self.network.learn(X))

    def _evaluate(self, met: list[Task]) -> dict[str, Any] | None:
        if self.experiment.evaluate == "end" and len(met) < len(self.tasks):
            return None
        assessment = assess_tasks(
            winners_of(self.network, cost=self.recognised),
            self.data,
            met,
            (self.network.state.n_neurons, len(self.labels)),
            self.labels,
            label_per_class=self.experiment.label_per_class,
        )
        return {
            "task": met[-1].name,
            "samples_seen": self.network.state.n_presentations,
            "train_accuracy_histogram": measures.accuracy(assessment.train_confusion_histogram),
            **describe(assessment, self.labels, met, len(self.tasks)),
        }
