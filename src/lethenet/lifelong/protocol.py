"""The paper's protocol: task after task, with no hint of a change, and a look at each task's end.

An :class:`Experiment` goes through the :mod:`task loop <lethenet.lifelong.loop>` one step at a time.
Where it stands follows from the network (samples presented) and the history (evaluations made)
alone, so these two are all a checkpoint has to hold, and a run may be cut between any two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset, Task, load
from . import measures
from .checkpoint import read_checkpoint, stacks, write_checkpoint
from .config import MODEL_FIELDS, Config
from .energy import Cost
from .evaluation import Assessment, assess_tasks, describe, met_rows, threads, winners_of
from .first_layer import LayeredDataset, layer_arrays, with_layer
from .history import History
from .loop import Step, task_loop
from .open_streams import Stream, make_stream

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


class Experiment:
    """One network on its way through its tasks; :class:`.LearnerExperiment` is one of another learner.

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

    has_model = True
    """Whether a finished one leaves a model file."""
    supervised = False
    """Whether the learner is told labels."""

    def __init__(
        self,
        config: Config,
        data: Dataset,
        network: Network | None = None,
        history: History | None = None,
    ) -> None:
        from ..model import Network, initial_state

        self._set_out(config, make_stream(config, data))
        self.network = network or Network(
            config.parameters, initial_state(config.neurons, data.n_features, config.seed)
        )
        self.history = history or History.blank(self.samples_total, config.neurons)
        self._rows: np.ndarray = self.data.X_train

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
        met = [met_rows(self.data, self.tasks[:n]) for n in range(1, len(self.tasks) + 1)]
        self._seen_sizes = np.array([len(known) + len(tested) for known, tested in met])

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
            X=self._rows,
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

    def _headlines(self, twin_accuracy: float | None) -> dict[str, Any]:
        """The numbers that every learner has."""
        last, evaluations = self.history.evaluations[-1], self.history.evaluations
        R = measures.accuracy_matrix([evaluation["task_accuracy"] for evaluation in evaluations])
        return {
            "accuracy": last["test_accuracy"],
            "accuracy_histogram": last.get("test_accuracy_histogram"),
            "train_accuracy": last["train_accuracy"],
            "acc": measures.average_accuracy(R),
            "bwt": measures.backward_transfer(R),
            "forgetting": measures.forgetting(R),
            "sequential_penalty": (
                None if twin_accuracy is None else twin_accuracy - last["test_accuracy"]
            ),
        }

    def summary(self, twin_accuracy: float | None = None) -> dict[str, Any]:
        """The headline numbers of a finished experiment, as ``run.json`` holds them."""
        evaluations, n = self.history.evaluations, self.samples_total
        input_spikes = sum(evaluation["input_spikes"] for evaluation in evaluations)
        return self._headlines(twin_accuracy) | {
            "dopaminergic_spikes_per_sample": (
                sum(evaluation["dopaminergic_spikes"] for evaluation in evaluations) / n
            ),
            "input_spikes_per_sample": input_spikes / n,
            "synaptic_operations_per_sample": input_spikes * self.config.neurons / n,
            "recognition_operations_per_sample": evaluations[-1][
                "recognition_operations_per_sample"
            ],
        }

    def diagnosis(self) -> list[str]:
        """What is wrong with the threshold of a finished experiment, if anything is."""
        from ..estimators.diagnosis import diagnose

        order = self.config.classes or ()
        frequent = np.array([np.sum(self.data.y_train == label) for label in order])
        return diagnose(self.network, self.history.label_counts[-1], frequent)

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

    def write_checkpoint(self, path: Path, **more: Any) -> None:
        """Save where it stands; ``more`` goes along and comes back from reading."""
        write_checkpoint(path, self, **more)

    def read_checkpoint(self, path: Path) -> dict[str, Any]:
        """Stand where a checkpoint says. ValueError if it is not this run's."""
        return read_checkpoint(path, self)

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
