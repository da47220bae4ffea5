"""The paper's protocol: task after task, with no hint of a change, and a look at each task's end.

An :class:`Experiment` goes forward one step at a time: a few samples learned, or one evaluation.
Where it stands follows from the network (samples presented) and the record (evaluations made)
alone, so these two are all a checkpoint has to hold, and a run may be cut between any two steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset, Task, disjoint, interleaved, load
from . import measures
from .config import Config
from .evaluation import Assessment, assess, describe, threads
from .record import Record

if TYPE_CHECKING:
    from ..model import Network

STEP = 256
"""Samples learned in one step at most: so often can a run be watched, saved or stopped."""


def load_data(config: Config, *, progress: bool = False) -> Dataset:
    """The data set of an experiment, with as many samples per class as it takes.

    >>> load_data(Config(dataset="digits", train_per_class=3, test_per_class=2))
    Dataset('digits', train=30, test=20, features=64, classes=10)
    """
    data = load(config.dataset, progress=progress)
    return data.limited(config.train_per_class, config.test_per_class)


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
    return disjoint(data.y_train, classes=config.classes, epochs=config.epochs)


class Experiment:
    """One network on its way through its tasks.

    Parameters
    ----------
    config : Config
        What to do, as :meth:`Config.resolved` completed it.
    data : Dataset
        Its data.
    network, record : optional
        From a checkpoint; a new network and a blank record otherwise.

    Examples
    --------
    >>> config = Config.of(dataset="digits", neurons=20, threshold=15.0, classes=(0, 1))
    >>> data = load_data(config)
    >>> experiment = Experiment(config.resolved(data), data)
    >>> while not experiment.done:
    ...     _ = experiment.step()
    >>> len(experiment.record.evaluations), experiment.samples_done == experiment.samples_total
    (2, True)
    """

    def __init__(
        self,
        config: Config,
        data: Dataset,
        network: Network | None = None,
        record: Record | None = None,
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
        self.record = record or Record.blank(self.samples_total, config.neurons)
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
        return len(self.record.evaluations)

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
        """Samples to learn or to recognise in the whole experiment: a measure of the work."""
        return self.samples_total + int(self._seen_sizes.sum())

    @property
    def presentations_done(self) -> int:
        """Samples learned, or recognised in finished evaluations, so far."""
        return self.samples_done + int(self._seen_sizes[: self.tasks_done].sum())

    def step(
        self, on_evaluating: Callable[[int, int], None] | None = None
    ) -> dict[str, Any] | None:
        """Learn a few samples, or evaluate if a task is at its end and return the evaluation.

        ``on_evaluating(done, total)`` hears how far an evaluation is; if it raises, nothing has
        changed.
        """
        if self.done:
            raise ValueError("the experiment is over: there is no step left.")
        if self.at_task_end:
            return self._evaluate(on_evaluating or (lambda done, total: None))
        self._learn()
        return None

    def _learn(self) -> None:
        task, at, first = self.tasks[self.tasks_done], self.task_samples_done, self.samples_done
        n = min(STEP, self.config.checkpoint_samples or STEP, self.record.room_in_window(first))
        before = int(self.network.state.imprint_counts.sum())
        learned = self.network.learn(self.data.X_train[task.indices[at : at + n]])
        dopaminergic_spikes = int(self.network.state.imprint_counts.sum()) - before
        self.record.add(learned, first, dopaminergic_spikes)

    def _evaluate(self, on_evaluating: Callable[[int, int], None]) -> dict[str, Any]:
        seen = self.tasks[: self.tasks_done + 1]
        classes = [label for task in seen for label in task.classes]
        train = self._samples(self.data.X_train, self.data.y_train, classes)
        test = self._samples(self.data.X_test, self.data.y_test, classes)
        done, total = 0, len(train[1]) + len(test[1])

        def on_samples(n: int) -> None:
            nonlocal done
            done += n
            on_evaluating(done, total)

        assessment = assess(
            self.network,
            train,
            test,
            len(self.labels),
            readout=self.config.readout,
            n_threads=threads(self.config.n_jobs),
            on_samples=on_samples,
        )
        evaluation = {
            "task": seen[-1].name,
            "tasks_seen": len(seen),
            "samples_seen": self.samples_done,
            "classes_seen": classes,
            **self._describe(assessment, seen),
        }
        # run.json and the arrays have classes in the order in which they came
        order = [self.labels.index(label) for label in self.config.classes or ()]
        return self.record.close(
            evaluation,
            self.network.state,
            np.ascontiguousarray(assessment.confusion[np.ix_(order, order)]),
            np.ascontiguousarray(assessment.label_counts[:, order]),
        )

    def _describe(self, assessment: Assessment, seen: list[Task]) -> dict[str, Any]:
        numbers = [[self.labels.index(label) for label in task.classes] for task in seen]
        return describe(assessment, self.labels, numbers, len(self.tasks))

    def _samples(
        self, X: np.ndarray, y: np.ndarray, classes: list[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The samples of these classes, and their class numbers."""
        chosen = np.isin(y, classes)
        return X[chosen], np.searchsorted(np.array(self.labels), y[chosen])

    def summary(self, twin_accuracy: float | None = None) -> dict[str, Any]:
        """The headline numbers of a finished experiment, as ``run.json`` holds them."""
        last, evaluations = self.record.evaluations[-1], self.record.evaluations
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
        }

    def classifier(self) -> Any:
        """The network with its read-out from the last evaluation, as a scikit-learn classifier."""
        from dataclasses import asdict

        from ..estimators import ControlledForgettingClassifier

        model = ControlledForgettingClassifier(
            n_neurons=self.config.neurons,
            readout=self.config.readout,
            random_state=self.config.seed,
            **asdict(self.config.parameters),
        )
        order = np.argsort(self.config.classes or ())
        model.network_ = self.network
        model.n_features_in_ = self.network.state.n_features
        model.classes_ = np.array(self.labels, np.int64)
        model.label_counts_ = np.ascontiguousarray(self.record.label_counts[-1][:, order])
        model.class_counts_ = np.array([np.sum(self.data.y_train == c) for c in self.labels])
        return model
