"""An experiment with any learner: the same task loop, measures and run directory as the network's.

Its checkpoint holds what was measured up to the last task. A run that goes on learns again what it had
learned: the same bits for every learner whose randomness has a seed, and no file holds somebody's model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Task
from .config import Config
from .energy import Cost
from .evaluation import Assessment, Threads, assess_tasks
from .history import History
from .learners import Learner, make_learner
from .open_streams import Stream, make_stream
from .protocol import Experiment

if TYPE_CHECKING:
    from ..data import Dataset


class LearnerExperiment(Experiment):
    """A learner that is not the network on its way through its tasks; see :class:`.Experiment`."""

    by_network = False

    def __init__(
        self,
        config: Config,
        stream: Stream,
        model: Any = None,
        *,
        supervised: bool | None = None,
        batch_size: int | None = None,
        label_per_class: int | None = None,
    ) -> None:
        self._set_out(config, stream)
        model = make_learner(config) if model is None else model
        self.learner = Learner(model, self.labels, supervised)
        self.supervised = self.learner.supervised
        self.history = History.blank(self.samples_total, 0)
        self._done, self._size, self._label_per_class = 0, batch_size, label_per_class

    @property
    def samples_done(self) -> int:
        """Samples learned so far."""
        return self._done

    def _piece(self) -> int:
        return self._size or self.samples_total

    def learn(self, rows: np.ndarray) -> None:
        """Learn these training samples."""
        self.learner.learn(self.data.X_train[rows], self.data.y_train[rows])
        self._done += len(rows)

    def frozen(self) -> Experiment:
        """Itself, as nobody knows how to copy it: it must not learn before it is evaluated."""
        return self

    def assessed(
        self, met: list[Task], n_threads: Threads, on_samples: Callable[[int], None]
    ) -> tuple[Assessment, Cost]:
        """How the learner does on the tasks met so far. Nothing is changed."""
        n = 0 if self.supervised else self.config.neurons
        assessment = assess_tasks(
            self.learner.answers,
            self.data,
            met,
            (n, len(self.labels)),
            self.labels,
            label_per_class=self._label_per_class,
            counts=self.learner.label_counts,
        )
        return assessment, Cost()

    def close(self, met: list[Task], assessment: Assessment, cost: Cost) -> dict[str, Any]:
        """Add an evaluation to the history, and return it."""
        evaluation = self._described(assessment, met)
        spikes = ("test_accuracy_histogram", "test_accuracy_evidence")  # one answer has one vote
        owned = ("neurons_per_class", "neurons_unlabelled") if self.supervised else ()
        for name in (*spikes, *owned):
            del evaluation[name]
        self.history.evaluations.append(evaluation)
        self.history.confusion.append(self._in_order(assessment.confusion))
        return evaluation

    def arrays(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """What ``arrays.safetensors`` holds."""
        confusion = np.array(self.history.confusion, np.int64).reshape(-1, *[len(self.labels)] * 2)
        return {"confusion": confusion, "task_ends": self.task_ends.astype(np.int64)}, {}


def experiment_of(config: Config, data: Dataset) -> Experiment:
    """The experiment of a configuration: the network's, or that of another learner."""
    if config.learner == "cfn":
        return Experiment(config, data)
    return LearnerExperiment(config, make_stream(config, data))
