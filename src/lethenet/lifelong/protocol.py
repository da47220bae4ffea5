"""The paper's protocol: task after task, with no hint of a change, and a look at each task's end.

An :class:`Experiment` goes through the :mod:`task loop <lethenet.lifelong.loop>` one step at a time.
Where it stands follows from the network (samples presented) and the history (evaluations made)
alone, so these two are all a checkpoint has to hold, and a run may be cut between any two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset, Task, disjoint, interleaved, load
from . import measures
from .config import MODEL_FIELDS, Config
from .energy import Cost
from .evaluation import assess_tasks, describe, threads, winners_of
from .first_layer import LayeredDataset, with_layer
from .history import History
from .loop import Step, task_loop

if TYPE_CHECKING:
    from ..model import Network

MAX_PIECE = 256
"""Samples learned in one step at most: so often can a run be watched, saved or stopped."""


def load_data(config: Config, *, progress: bool = False) -> Dataset:
    """The data set of an experiment, with as many samples per class as it takes, as its layer sees it.

    >>> load_data(Config(dataset="digits", train_per_class=3, test_per_class=2))
    Dataset('digits', train=30, test=20, features=64, classes=10)
    """
    data = load(config.dataset, progress=progress, label_column=config.label_column)
    return with_layer(config, data.limited(config.train_per_class, config.test_per_class))


def make_tasks(config: Config, data: Dataset) -> list[Task]:
    """The stream: one task per class in turn, or a single one with all classes mixed.

    >>> config = Config(dataset="digits", classes=(4, 2))
    >>> [task.name for task in make_tasks(config, load_data(config))]
    ['4', '2']
    """
    if config.order == "interleaved":
        return interleaved(
            data.y_train, classes=config.classes, epochs=config.epochs, seed=config.seed
        )
    tasks = disjoint(data.y_train, classes=config.classes, epochs=config.epochs)
    return [replace(task, name=str(data.name_of(task.classes[0]))) for task in tasks]


class Experiment:
    """One network on its way through its tasks.

    Parameters
    ----------
    config : Config
        What to do, as :meth:`Config.resolved` completed it.
    data : Dataset
        Its data.
    network, history : optional
        From a checkpoint; a new network and a blank history otherwise.

    Examples
    --------
    >>> config = Config.of(dataset="digits", neurons=20, threshold=15.0, classes=(0, 1))
    >>> data = load_data(config)
    >>> experiment = Experiment(config.resolved(data), data)
    >>> [step.task.name for step in experiment.steps() if step.evaluated]
    ['0', '1']
    >>> experiment.done, experiment.samples_done == experiment.samples_total
    (True, True)
    """

    def __init__(
        self,
        config: Config,
        data: Dataset,
        network: Network | None = None,
        history: History | None = None,
    ) -> None:
        from ..model import Network, initial_state

        if config.classes is None:
            raise ValueError("the configuration lacks its classes: use Config.resolved(data).")
        self.config, self.data = config, data
        self.tasks = make_tasks(config, data)
        self.task_ends = np.cumsum([len(task) for task in self.tasks])
        self.samples_total = int(self.task_ends[-1])
        # Numbered in rising order, as in the classifier, so that equal votes go the same way
        self.labels = tuple(sorted(config.classes))
        self.network = network or Network(
            config.parameters, initial_state(config.neurons, data.n_features, config.seed)
        )
        self.history = history or History.blank(self.samples_total, config.neurons)
        self._seen_sizes = np.cumsum(
            [
                np.isin(data.y_train, task.classes).sum() + np.isin(data.y_test, task.classes).sum()
                for task in self.tasks
            ]
        )

    @property
    def samples_done(self) -> int:
        """Samples learned so far."""
        return self.network.state.n_presentations

    @property
    def tasks_done(self) -> int:
        """Tasks learned and evaluated."""
        return len(self.history.evaluations)

    @property
    def done(self) -> bool:
        """Whether all tasks have been learned and evaluated."""
        return self.tasks_done == len(self.tasks)

    @property
    def task_samples_done(self) -> int:
        """Samples of the current task learned so far."""
        return self.samples_done - (
            int(self.task_ends[self.tasks_done - 1]) if self.tasks_done else 0
        )

    @property
    def at_task_end(self) -> bool:
        """Whether the next step is an evaluation."""
        return not self.done and self.samples_done == int(self.task_ends[self.tasks_done])

    @property
    def presentations_total(self) -> int:
        """Samples to learn or to recognise in the whole experiment: how much there is to do."""
        return self.samples_total + int(self._seen_sizes.sum())

    @property
    def presentations_done(self) -> int:
        """Samples learned, or recognised in finished evaluations, so far."""
        return self.samples_done + int(self._seen_sizes[: self.tasks_done].sum())

    def steps(
        self, on_evaluating: Callable[[int, int], None] | None = None
    ) -> Iterator[Step[Task]]:
        """What is left to do, step by step: a few samples learned, or an evaluation, which it returns.

        ``on_evaluating(done, total)`` hears how far an evaluation is; if it raises, nothing has
        changed.
        """
        return task_loop(
            self.tasks,
            self._learn,
            lambda met: self._evaluate(met, on_evaluating or (lambda done, total: None)),
            X=self.data.X_train,
            piece=self._piece,
            tasks_done=self.tasks_done,
            samples_done=self.task_samples_done,
        )

    def _piece(self) -> int:
        """Samples to learn in the next step."""
        most = min(MAX_PIECE, self.config.checkpoint_samples or MAX_PIECE)
        return min(most, self.history.room_in_window(self.samples_done))

    def _learn(self, X: np.ndarray) -> None:
        first, before = self.samples_done, int(self.network.state.imprint_counts.sum())
        learned = self.network.learn(X)
        dopaminergic_spikes = int(self.network.state.imprint_counts.sum()) - before
        self.history.add(learned, first, dopaminergic_spikes)

    def _evaluate(
        self, met: list[Task], on_evaluating: Callable[[int, int], None]
    ) -> dict[str, Any]:
        done, total = 0, int(self._seen_sizes[len(met) - 1])

        def on_samples(n: int) -> None:
            nonlocal done
            done += n
            on_evaluating(done, total)

        cost = Cost()
        assessment = assess_tasks(
            winners_of(self.network, threads(self.config.n_jobs), on_samples, cost),
            self.data,
            met,
            (self.config.neurons, len(self.labels)),
            self.labels,
            readout=self.config.readout,
        )
        evaluation = {
            "task": met[-1].name,
            "tasks_seen": len(met),
            "samples_seen": self.samples_done,
            "classes_seen": [self.data.name_of(c) for task in met for c in task.classes],
            **describe(assessment, self.labels, met, len(self.tasks), self.data.name_of),
            "recognition_operations_per_sample": cost.dense_operations(self.config.neurons),
        }
        self.history.recognised.add(cost)
        # run.json and the arrays have classes in the order in which they came
        order = [self.labels.index(label) for label in self.config.classes or ()]
        return self.history.close(
            evaluation,
            self.network.state,
            np.ascontiguousarray(assessment.confusion[np.ix_(order, order)]),
            np.ascontiguousarray(assessment.label_counts[:, order]),
        )

    def summary(self, twin_accuracy: float | None = None) -> dict[str, Any]:
        """The headline numbers of a finished experiment, as ``run.json`` holds them."""
        last, evaluations = self.history.evaluations[-1], self.history.evaluations
        R = measures.accuracy_matrix([evaluation["task_accuracy"] for evaluation in evaluations])
        n = self.samples_total
        input_spikes = sum(evaluation["input_spikes"] for evaluation in evaluations)
        return {
            "accuracy": last["test_accuracy"],
            "accuracy_histogram": last["test_accuracy_histogram"],
            "train_accuracy": last["train_accuracy"],
            "acc": measures.average_accuracy(R),
            "bwt": measures.backward_transfer(R),
            "forgetting": measures.forgetting(R),
            "sequential_penalty": (
                None if twin_accuracy is None else twin_accuracy - last["test_accuracy"]
            ),
            "dopaminergic_spikes_per_sample": (
                sum(evaluation["dopaminergic_spikes"] for evaluation in evaluations) / n
            ),
            "input_spikes_per_sample": input_spikes / n,
            "synaptic_operations_per_sample": input_spikes * self.config.neurons / n,
            "recognition_operations_per_sample": last["recognition_operations_per_sample"],
        }

    def diagnosis(self) -> list[str]:
        """What is wrong with the threshold of a finished experiment, if anything is."""
        from ..estimators.diagnosis import diagnose

        order = self.config.classes or ()
        frequent = np.array([np.sum(self.data.y_train == label) for label in order])
        return diagnose(self.network, self.history.label_counts[-1], frequent)

    def classifier(self) -> Any:
        """The network, behind its layer, with its read-out from the last evaluation: a classifier."""
        from ..estimators import ControlledForgettingClassifier

        model = ControlledForgettingClassifier(
            n_neurons=self.config.neurons,
            readout=self.config.readout,
            random_state=self.config.seed,
            **{name: getattr(self.config.parameters, name) for name in MODEL_FIELDS},
        )
        order = np.argsort(self.config.classes or ())
        model.network_ = self.network
        model.n_features_in_ = self.network.state.n_features
        model.classes_ = np.array([self.data.name_of(label) for label in self.labels])
        model.label_counts_ = np.ascontiguousarray(self.history.label_counts[-1][:, order])
        model.class_counts_ = np.array([np.sum(self.data.y_train == c) for c in self.labels])
        model.threshold_ = self.config.parameters.threshold
        if not isinstance(self.data, LayeredDataset):
            return model
        from ..estimators import make_pipeline

        return make_pipeline(self.data.layer, model)
