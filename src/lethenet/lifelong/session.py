"""What one process does for a run, from wherever it stands to its end: save, stop, go on, finish."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..model import Rule
from .beside import Beside
from .config import Config
from .evaluation import threads
from .events import Event, Listener
from .learner_experiment import experiment_of
from .protocol import Experiment
from .reading import TWIN, read_run
from .results import Result
from .rundir import RunDirectory
from .stopping import Interrupted, Stop, stop_on_signals


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
    directory.remove_checkpoint()  # killed between the two last strokes
    summary: dict[str, Any] = document["summary"]
    return summary


class Session:
    """What one process does for a run, from wherever it stands to its end."""

    def __init__(
        self,
        directory: RunDirectory,
        experiment: Experiment,
        listener: Listener,
        name: str = "main",
    ) -> None:
        self.directory, self.experiment, self.name = directory, experiment, name
        self.config = experiment.config
        self._listener = listener
        self._seconds = {"learning": 0.0, "evaluation": 0.0}
        self._saved_at = time.monotonic()
        self._saved_samples = 0
        self._beside = Beside(1)

    def go(self) -> Result:
        """Do what is left, and return the result."""
        with stop_on_signals() as stop:
            self._go(stop)
        return Result.load(self.directory.path)

    def _go(self, stop: Stop) -> dict[str, Any]:
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
                presentations_done=experiment.presentations_done,
                presentations_total=experiment.presentations_total,
            )
            try:
                self._go_through_the_tasks(stop)
                directory.write_arrays(experiment)
                directory.write_model(experiment)
                twin_accuracy = self._run_twin(stop) if self.config.twin else None
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
            directory.remove_checkpoint()
        self._tell("finished", folder=str(directory.path), summary=summary)
        return summary

    def _go_through_the_tasks(self, stop: Stop) -> None:
        """Step after step, with what is due after each. Raises Interrupted between two steps."""
        experiment, n_threads = self.experiment, threads(self.config.n_jobs)
        with Beside(n_threads) as self._beside:
            self._check(stop)
            apart = n_threads > 1 and experiment.can_freeze
            steps = experiment.steps(
                lambda done, total: self._on_evaluating(stop, done, total),
                self._beside.begin if apart else None,
            )
            for step in steps:
                self._seconds["evaluation" if step.evaluated else "learning"] += step.seconds
                if not step.evaluated:
                    self._tell("learning", **self._whereabouts())
                    self._after_learning(stop, apart=apart)
                else:  # or begun: then it goes on while this is written
                    self._save(arrays=True)
                    if not apart:
                        self._tell("task", **step.outcome)
                self._check(stop)
            if self._beside.evaluation is not None:
                self._await_evaluation(stop)
                self._save()

    def _after_learning(self, stop: Stop, *, apart: bool) -> None:
        """Take the evaluation of the task before when it is ready, or must be; save if that is due."""
        evaluation, due = self._beside.evaluation, self._save_is_due()
        ends = self.experiment.at_task_end
        if evaluation is not None and (evaluation.ready or due or ends):
            self._await_evaluation(stop)
        if due or (ends and not apart):
            self._save()

    def _await_evaluation(self, stop: Stop) -> None:
        """Wait for the evaluation that goes on beside learning."""
        evaluation, began = self._beside.evaluation, time.perf_counter()
        while evaluation is not None and not evaluation.ready and not evaluation.wait():
            self._on_evaluating(stop, evaluation.done, evaluation.total)
        outcome = self._beside.take()
        self._seconds["evaluation"] += time.perf_counter() - began
        self._tell("task", **outcome)

    def _on_evaluating(self, stop: Stop, done: int, total: int) -> None:
        self._check(stop)
        experiment = self.experiment
        self._tell(
            "evaluating",
            task=experiment.tasks[experiment.tasks_done].name,
            done=done,
            total=total,
            presentations_done=experiment.presentations_done + done,
            presentations_total=experiment.presentations_total,
        )

    def _run_twin(self, stop: Stop) -> float:
        """The interleaved twin, begun, resumed or read; its accuracy."""
        path = self.directory.path / TWIN
        config = self.config.interleaved_twin()
        if not path.exists():
            twin = RunDirectory.create(path, experiment_of(config, self.experiment.data))
        else:
            twin = RunDirectory.open(path)
            if twin.config != config:
                raise ValueError(f"{path} is not the twin of this run. Delete it and resume.")
        experiment = experiment_of(config, self.experiment.data)
        session = Session(twin, experiment, self._listener, "twin")
        return float(session._go(stop)["accuracy"])

    def _check(self, stop: Stop) -> None:
        if stop.signal_number is not None:
            # of a twin, the run it belongs to
            folder = self.directory.path.parent if self.name == "twin" else self.directory.path
            raise Interrupted(folder, stop.signal_number)

    def _save_is_due(self) -> bool:
        new_samples = self.experiment.samples_done - self._saved_samples
        return time.monotonic() - self._saved_at >= self.config.checkpoint_seconds or (
            self.config.checkpoint_samples is not None
            and new_samples >= self.config.checkpoint_samples
        )

    def _save(self, status: str = "running", *, arrays: bool = False) -> None:
        # with an evaluation under way, where that began: it is made again, and what was learned since
        evaluation = self._beside.evaluation
        experiment = self.experiment if evaluation is None else evaluation.frozen
        self.directory.write_checkpoint(experiment, self._seconds)
        self.directory.write_run(experiment, status, self._seconds)
        if arrays:
            self.directory.write_arrays(experiment)
        self._saved_at = time.monotonic()
        self._saved_samples = experiment.samples_done
        self._tell("checkpoint", samples_done=self._saved_samples)

    def _whereabouts(self) -> Event:
        experiment, evaluation = self.experiment, self._beside.evaluation
        number = int(np.searchsorted(experiment.task_ends, experiment.samples_done))
        task = experiment.tasks[number]
        done = experiment.samples_done - int(experiment.task_ends[number]) + len(task)
        per_epoch = len(task) // self.config.epochs
        recognised = evaluation.done if evaluation is not None else 0
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
            "presentations_done": experiment.presentations_done + recognised,
            "presentations_total": experiment.presentations_total,
        }

    def _tell(self, event: str, **values: Any) -> None:
        self._listener({"event": event, "run": self.name, **values})
