"""The paper's protocol: task after task, with no hint of a change, and a look at each task's end.

An :class:`Experiment` goes through the :mod:`task loop <lethenet.lifelong.loop>` one step at a time.
Where it stands follows from the network (samples presented) and the history (evaluations made)
alone, so these two are all a checkpoint has to hold, and a run may be cut between any two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset, Task, load
from . import measures
from .checkpoint import read_checkpoint, stacks, write_checkpoint
from .config import MODEL_FIELDS, Config
from .energy import Cost
from .evaluation import (
    LOOKED_AT,
    Assessment,
    Threads,
    assess_tasks,
    describe,
    met_rows,
    threads,
    winners_of,
)
from .first_layer import LayeredDataset, layer_arrays, with_layer
from .history import History
from .loop import Step, task_loop
from .open_streams import Stream, make_stream

if TYPE_CHECKING:
    pass

MAX_PIECE = 256
"""Samples learned in one step at most: so often can a run be watched, saved or stopped."""


def load_data(config: Config, *, progress: bool = False) -> Dataset:
    """The data set of an experiment, with as many samples per class as it takes, as its layer sees it."""
    data = load(config.dataset, progress=progress, label_column=config.label_column)
    return with_layer(config, data.limited(config.train_per_class, config.test_per_class))


class Experiment:
    """One network on its way through its tasks; :class:`.LearnerExperiment` is one of another learner.

    The configuration is one that :meth:`Config.resolved` completed.

    >>> config = Config.of(dataset="digits", neurons=20, threshold=15.0, classes=(0, 1))
    >>> data = load_data(config)
    >>> experiment = Experiment(config.resolved(data), data)
    >>> [step.task.name for step in experiment.steps() if step.evaluated]
    ['0', '1']
    >>> experiment.samples_done == experiment.samples_total
    True
    """

    by_network = True
    """Whether a finished one leaves a model file, and a copy can be evaluated while this one learns on."""
    supervised = False
    """Whether the learner is told labels."""

    def __init__(self, config: Config, data: Dataset) -> None:
        from ..model import Network, initial_state

        self._set_out(config, make_stream(config, data))
        state = initial_state(config.neurons, data.n_features, config.seed)
        self.network = Network(config.parameters, state)
        self.history = self.blank_history()

    def _set_out(self, config: Config, stream: Stream) -> None:
        """What follows from the stream alone."""
        if config.classes is None:
            raise ValueError("the configuration lacks its classes: use Config.resolved(data).")
        self.config = config
        self.data, self.tasks = stream
        self.task_ends = np.cumsum([len(task) for task in self.tasks])
        self.samples_total = int(self.task_ends[-1])
        # Numbered in rising order, as in the classifier, so that equal votes go the same way
        self.labels = tuple(sorted(config.classes))
        self._rows = np.arange(len(self.data.y_train))
        met = [self.tasks[:n] for n in range(1, len(self.tasks) + 1)]
        rows = [met_rows(self.data, tasks, self._looked_at(tasks)) for tasks in met]
        self._seen_sizes = np.array([len(known) + len(tested) for known, tested in rows])
        self.presentations_total = self.samples_total + int(self._seen_sizes.sum())

    def blank_history(self) -> History:
        """The history of an experiment that has not begun."""
        online = self.config.interim_labels == "online"
        n_classes = len(self.labels) if online else 0
        return History.blank(self.samples_total, self.config.neurons, n_classes)

    def _looked_at(self, met: Sequence[Task]) -> int | None:
        """How many training samples of each class an evaluation recognises; None for all."""
        interim = len(met) < len(self.tasks)
        return LOOKED_AT if interim and self.config.interim_labels == "online" else None

    @property
    def samples_done(self) -> int:
        """Samples learned so far."""
        return self.network.state.n_presentations

    @property
    def tasks_done(self) -> int:
        """Tasks learned and evaluated."""
        return len(self.history.evaluations)

    @property
    def presentations_done(self) -> int:
        """Samples learned, or recognised in finished evaluations, so far."""
        return self.samples_done + int(self._seen_sizes[: self.tasks_done].sum())

    def steps(
        self, evaluate: Callable[[Experiment, list[Task]], Any] | None = None
    ) -> Iterator[Step[Task]]:
        """What is left to do, step by step: a few samples learned, or an evaluation, which it returns.

        ``evaluate`` gets a frozen copy, and may go on with it while this one learns.
        """
        evaluate = evaluate or _evaluate_now
        began = self.task_ends[self.tasks_done - 1] if self.tasks_done else 0
        return task_loop(
            self.tasks,
            self.learn,
            lambda met: evaluate(self.frozen(), met),
            X=self._rows,
            piece=self._piece,
            tasks_done=self.tasks_done,
            samples_done=self.samples_done - int(began),
        )

    def _piece(self) -> int:
        """Samples to learn in the next step."""
        most = min(MAX_PIECE, self.config.checkpoint_samples or MAX_PIECE)
        return min(most, self.history.room_in_window(self.samples_done))

    def learn(self, rows: np.ndarray) -> None:
        """Learn these training samples."""
        first, before = self.samples_done, int(self.network.state.imprint_counts.sum())
        learned = self.network.learn(self.data.X_train[rows])
        dopaminergic_spikes = int(self.network.state.imprint_counts.sum()) - before
        labels = np.searchsorted(self.labels, self.data.y_train[rows])
        self.history.add(learned, first, dopaminergic_spikes, labels)

    def frozen(self) -> Experiment:
        """A copy at the end of a task, to be evaluated while this one learns on; they share the outcome."""
        from ..model import Network

        still = copy(self)
        still.network = Network(self.config.parameters, self.network.state.copy())
        still.history = self.history.part(self.network.state)
        return still

    def to_recognise(self, met: list[Task]) -> int:
        """How many samples the evaluation after these tasks recognises."""
        return int(self._seen_sizes[len(met) - 1])

    def assessed(
        self, met: list[Task], n_threads: Threads, on_samples: Callable[[int], None]
    ) -> tuple[Assessment, Cost]:
        """How the network does on the tasks met so far, and what it took. Nothing is changed."""
        cost, looked_at = Cost(), self._looked_at(met)
        assessment = assess_tasks(
            winners_of(self.network, n_threads, on_samples, cost),
            self.data,
            met,
            (self.config.neurons, len(self.labels)),
            self.labels,
            readout=self.config.readout,
            label_per_class=looked_at,
            counts=None if looked_at is None else self.history.online_counts,
        )
        return assessment, cost

    def close(self, met: list[Task], assessment: Assessment, cost: Cost) -> dict[str, Any]:
        """Add an evaluation to the history, and return it."""
        evaluation = self._described(assessment, met)
        evaluation["recognition_operations_per_sample"] = cost.dense_operations(self.config.neurons)
        self.history.recognised.add(cost)
        return self.history.close(
            evaluation,
            self.network.state,
            self._in_order(assessment.confusion),
            np.ascontiguousarray(assessment.label_counts[:, self._order]),
        )

    @property
    def _order(self) -> list[int]:
        """run.json and the arrays have classes in the order in which they came."""
        return [self.labels.index(label) for label in self.config.classes or ()]

    def _in_order(self, confusion: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(confusion[np.ix_(self._order, self._order)])

    def _described(self, assessment: Assessment, met: list[Task]) -> dict[str, Any]:
        name_of = self.data.name_of
        return {
            "task": met[-1].name,
            "tasks_seen": len(met),
            "samples_seen": self.samples_done,
            "classes_seen": list(dict.fromkeys(name_of(c) for task in met for c in task.classes)),
            **describe(assessment, self.labels, met, len(self.tasks), name_of),
        }

    def arrays(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """What ``arrays.safetensors`` holds, and its metadata."""
        arrays = stacks(self)
        arrays["imprinted_in_task"] = arrays.pop("imprinted")
        dopamine, input_spikes = self.history.windows(self.samples_done)
        arrays |= {"dopamine_windows": dopamine, "input_spike_windows": input_spikes}
        arrays["task_ends"] = self.task_ends.astype(np.int64)
        arrays |= layer_arrays(self.data)
        state = self.network.state
        if state.link_partners.size:
            arrays |= {"link_partners": state.link_partners, "link_counts": state.link_counts}
            arrays["link_spikes"] = state.spikes_since_imprint
        return arrays, {"window": self.history.window}

    def summary(self, twin_accuracy: float | None = None) -> dict[str, Any]:
        """The headline numbers of a finished experiment, as ``run.json`` holds them."""
        evaluations, n = self.history.evaluations, self.samples_total
        last = evaluations[-1]
        headlines = {
            "accuracy": last["test_accuracy"],
            "accuracy_histogram": last.get("test_accuracy_histogram"),
            "train_accuracy": last["train_accuracy"],
            **measures.derived([evaluation["task_accuracy"] for evaluation in evaluations]),
            "sequential_penalty": (
                None if twin_accuracy is None else twin_accuracy - last["test_accuracy"]
            ),
        }
        if not self.by_network:
            return headlines
        input_spikes = sum(evaluation["input_spikes"] for evaluation in evaluations)
        dopaminergic = sum(evaluation["dopaminergic_spikes"] for evaluation in evaluations)
        return headlines | {
            "dopaminergic_spikes_per_sample": dopaminergic / n,
            "input_spikes_per_sample": input_spikes / n,
            "synaptic_operations_per_sample": input_spikes * self.config.neurons / n,
            "recognition_operations_per_sample": last["recognition_operations_per_sample"],
        }

    def diagnosis(self) -> list[str]:
        """What is wrong with the threshold of a finished experiment, if anything is."""
        if not self.by_network:
            return []
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

    def write_checkpoint(self, path: Path, seconds: dict[str, float]) -> None:
        """Save where it stands, after so many seconds."""
        write_checkpoint(path, self, seconds)

    def read_checkpoint(self, path: Path) -> dict[str, float]:
        """Stand where a checkpoint says; the seconds it took. ValueError if it is not this run's."""
        return read_checkpoint(path, self)


def _evaluate_now(frozen: Experiment, met: list[Task]) -> dict[str, Any]:
    n_threads = threads(frozen.config.n_jobs)
    return frozen.close(met, *frozen.assessed(met, n_threads, lambda n: None))
