"""What one process does for a run, from wherever it stands to its end: save, stop, go on, finish."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Rule
from .beside import Evaluation
from .config import Config
from .evaluation import threads
from .events import Event, Listener
from .learner_experiment import experiment_of
from .protocol import Experiment
from .reading import CHECKPOINT, MODEL, TWIN, read_run
from .results import Result
from .rundir import RunDirectory
from .stopping import Interrupted, Stop, stop_on_signals

if TYPE_CHECKING:
    from ..data import Task


def finished_summary(directory: RunDirectory) -> dict[str, Any] | None:
    """The summary of a run that is finished, by whomever; None if there is work left.

    To be called under the lock: before it, another process may end the run at any moment.
    """
    document = read_run(directory.path)
    rule = directory.config.parameters.stdp
    begun = Config.from_json(document["config"], rule if isinstance(rule, Rule) else None)
    if begun != directory.config:
        raise ValueError(f"{directory.path} was begun anew by another process just now.")
    if document["status"] != "finished":
        return None
    (directory.path / CHECKPOINT).unlink(missing_ok=True)  # killed between the two last strokes
    return dict(document["summary"])


@dataclass
class Session:
    """What one process does for a run, from wherever it stands to its end."""

    directory: RunDirectory
    experiment: Experiment
    listener: Listener | None
    name: str = "main"

    def __post_init__(self) -> None:
        self.config = self.experiment.config
        self._saved_at = time.monotonic()
        self._evaluation: Evaluation | None = None

    def go(self) -> Result:
        """Do what is left, and return the result."""
        with stop_on_signals() as stop:
            self._go(stop)
        return Result.load(self.directory.path)

    def _go(self, stop: Stop) -> dict[str, Any]:
        self._stop = stop
        experiment, directory = self.experiment, self.directory
        with directory.locked():
            summary = finished_summary(directory)
            if summary is not None:
                return summary
            self._seconds = directory.restore(experiment)
            directory.write_run(experiment, "running", self._seconds)
            self._saved_samples = experiment.samples_done
            self._tell(
                "started",
                folder=str(directory.path),
                config=self.config.to_json(),
                tasks=[task.name for task in experiment.tasks],
                samples_done=experiment.samples_done,
                samples_total=experiment.samples_total,
                **self._work(),
            )
            try:
                self._go_through_the_tasks()
                directory.write_arrays(experiment)
                if experiment.by_network:
                    from ..saving import save

                    save(experiment.classifier(), directory.path / MODEL)
                twin_accuracy = self._run_twin() if self.config.twin else None
            except Interrupted:
                self._save("interrupted")
                self._tell(
                    "interrupted",
                    folder=str(directory.path),
                    samples_done=self._saved_samples,
                    samples_total=experiment.samples_total,
                )
                raise
            summary = experiment.summary(twin_accuracy)
            directory.write_run(experiment, "finished", self._seconds, summary)
            (directory.path / CHECKPOINT).unlink(missing_ok=True)
        self._tell("finished", folder=str(directory.path), summary=summary)
        return summary

    def _go_through_the_tasks(self) -> None:
        """Step after step, with what is due after each. Raises Interrupted between two steps."""
        apart = threads(self.config.n_jobs) > 1 and self.experiment.by_network
        if apart:  # nothing is evaluated beside the first task: what is needed later
            Thread(target=import_module, args=("lethenet.estimators",)).start()
        try:
            self._check()
            for step in self.experiment.steps(self._begin_evaluation):
                if step.evaluated:  # or begun: it goes on while this is written
                    self._save(arrays=True)
                    if not apart:
                        self._await_evaluation()
                        self._save(arrays=True)
                else:
                    self._seconds["learning"] += step.seconds
                    self._tell("learning", **self._whereabouts())
                    due = self._save_is_due()
                    if due or (self._evaluation is not None and self._evaluation.ready):
                        self._await_evaluation()
                    if due:
                        self._save()
                self._check()
            if self._evaluation is not None:
                self._await_evaluation()
                self._save()
        finally:
            if self._evaluation is not None:
                self._evaluation.cancel()

    def _begin_evaluation(self, frozen: Experiment, met: list[Task]) -> None:
        """Evaluate beside learning, after the evaluation of the task before."""
        self._await_evaluation()
        self._evaluation = Evaluation(frozen, met, threads(self.config.n_jobs))

    def _await_evaluation(self) -> None:
        """Wait for the evaluation that goes on beside learning, if there is one."""
        evaluation, began = self._evaluation, time.perf_counter()
        if evaluation is None:
            return
        experiment, ready = self.experiment, False
        while not ready:
            ready = evaluation.wait()
            self._tell(
                "evaluating",
                task=experiment.tasks[experiment.tasks_done].name,
                done=evaluation.done,
                total=evaluation.total,
                **self._work(),
            )
            self._check()
        self._evaluation = None
        outcome = evaluation.close()
        self._seconds["evaluation"] += time.perf_counter() - began
        self._tell("task", **outcome)

    def _run_twin(self) -> float:
        """The interleaved twin, begun, resumed or read; its accuracy."""
        path = self.directory.path / TWIN
        config = self.config.interleaved_twin()
        experiment = experiment_of(config, self.experiment.data)
        if not path.exists():
            twin = RunDirectory.create(path, experiment)
        else:
            twin = RunDirectory.open(path)
            if twin.config != config:
                raise ValueError(f"{path} is not the twin of this run. Delete it and resume.")
        session = Session(twin, experiment, self.listener, "twin")
        return float(session._go(self._stop)["accuracy"])

    def _check(self) -> None:
        if self._stop.signal_number is not None:
            # of a twin, the run it belongs to
            folder = self.directory.path.parent if self.name == "twin" else self.directory.path
            raise Interrupted(folder, self._stop.signal_number)

    def _save_is_due(self) -> bool:
        new_samples = self.experiment.samples_done - self._saved_samples
        seconds = time.monotonic() - self._saved_at
        enough = self.config.checkpoint_samples or math.inf
        return seconds >= self.config.checkpoint_seconds or new_samples >= enough

    def _save(self, status: str = "running", *, arrays: bool = False) -> None:
        # with an evaluation under way, where that began: it is made again, and what was learned since
        experiment = self.experiment if self._evaluation is None else self._evaluation.frozen
        experiment.write_checkpoint(self.directory.path / CHECKPOINT, self._seconds)
        self.directory.write_run(experiment, status, self._seconds)
        if arrays:
            self.directory.write_arrays(experiment)
        self._saved_at = time.monotonic()
        self._saved_samples = experiment.samples_done
        self._tell("checkpoint", samples_done=self._saved_samples)

    def _whereabouts(self) -> Event:
        experiment = self.experiment
        number = int(np.searchsorted(experiment.task_ends, experiment.samples_done))
        task = experiment.tasks[number]
        done = experiment.samples_done - int(experiment.task_ends[number]) + len(task)
        per_epoch = len(task) // self.config.epochs
        return {
            "task": task.name,
            "task_number": number + 1,
            "tasks": len(experiment.tasks),
            "epoch": min(max(done - 1, 0) // per_epoch + 1, self.config.epochs),
            "epochs": self.config.epochs,
            "task_samples_done": done,
            "task_samples": len(task),
            "samples_done": experiment.samples_done,
            "samples_total": experiment.samples_total,
            **self._work(),
        }

    def _work(self) -> Event:
        """How much of the work is done."""
        recognised = self._evaluation.done if self._evaluation is not None else 0
        return {
            "presentations_done": self.experiment.presentations_done + recognised,
            "presentations_total": self.experiment.presentations_total,
        }

    def _tell(self, event: str, **values: Any) -> None:
        if self.listener is not None:
            self.listener({"event": event, "run": self.name, **values})
