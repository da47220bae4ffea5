"""What a run directory holds, as figures and reports need it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import measures
from .reading import RUN, TWIN, read_run, read_run_arrays

HARD_VOTES = "hard votes"
HISTOGRAM_VOTES = "histogram votes"


@dataclass(frozen=True)
class Results:
    """What one run directory holds, checked: ``run.json`` and the arrays.

    Attributes
    ----------
    folder : Path
        Where it was read from.
    record : dict
        ``run.json`` as it is.
    arrays : dict of str to ndarray
        ``arrays.safetensors``; empty before the first task has been finished.
    window : int
        Samples per window of the arrays ``dopamine_windows`` and ``input_spike_windows``.
    twin : Results or None
        The interleaved twin, if the run has one.

    Examples
    --------
    >>> from lethenet.report.example import example_results
    >>> results = example_results()
    >>> results.finished, results.classes, results.matrix.shape
    (True, ['0', '1'], (2, 2))
    >>> results.last["test_accuracy"] > 0.9
    True
    """

    folder: Path
    record: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    window: int = 1
    twin: Results | None = None

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the run."""
        found: dict[str, Any] = self.record["config"]
        return found

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """One per finished task, in order."""
        found: list[dict[str, Any]] = self.record["evaluations"]
        return found

    @property
    def last(self) -> dict[str, Any]:
        """The last evaluation; ValueError if there is none yet."""
        self.require_evaluations()
        return self.evaluations[-1]

    def require_evaluations(self) -> None:
        """ValueError if no task has been finished yet."""
        if not self.evaluations:
            raise ValueError(f"{self.folder}: no task has been finished yet, nothing is measured.")

    @property
    def summary(self) -> dict[str, Any]:
        """The measures of the finished run; empty while it is unfinished."""
        return self.record.get("summary") or {}

    @property
    def finished(self) -> bool:
        """Whether the run went to its end."""
        return bool(self.record["status"] == "finished")

    @property
    def classes(self) -> list[str]:
        """The classes in the order of the configuration, as text."""
        return [str(label) for label in self.config["classes"]]

    @property
    def classes_seen(self) -> list[str]:
        """The classes that have been learned and tested, in the order of the configuration."""
        seen = {str(label) for label in self.last["classes_seen"]}
        return [label for label in self.classes if label in seen]

    @property
    def task_names(self) -> list[str]:
        """The names of all tasks, finished or not."""
        return [task["name"] for task in self.record["tasks"]]

    @property
    def matrix(self) -> np.ndarray:
        """R: test accuracy on task j (column) after task i (row), NaN where not seen yet."""
        rows = [evaluation["task_accuracy"] for evaluation in self.evaluations]
        return measures.accuracy_matrix(rows).reshape(len(rows), len(self.record["tasks"]))

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """Height and width (and channels) of a sample, if it is an image."""
        shape = self.record["data"].get("image_shape")
        return tuple(shape) if shape else None

    @property
    def votes(self) -> str:
        """How the run's own accuracies count: the paper's hard votes, or histogram votes."""
        return HISTOGRAM_VOTES if self.config.get("readout") == "histogram" else HARD_VOTES

    @property
    def samples_done(self) -> int:
        """How many training samples have been presented so far."""
        done = self.record["progress"].get("samples_done", 0)
        return done if isinstance(done, int) else 0

    @property
    def label(self) -> str:
        """The run in a few words: data set, size, threshold, epochs, order."""
        config = self.config
        epochs, preset = config["epochs"], config.get("preset")
        threshold = config["parameters"].get("threshold")
        parts = [
            str(config["dataset"]),
            f"{config['neurons']} neurons",
            *([f"threshold {threshold:g}"] if isinstance(threshold, int | float) else []),
            f"{epochs} epoch{'' if epochs == 1 else 's'}",
            str(config["order"]),
            *([str(preset)] if preset not in (None, "paper") else []),
        ]
        return ", ".join(parts)


def read_results(folder: str | os.PathLike[str] | Results) -> Results:
    """Read and check a run directory; ValueError if it is foreign, damaged or of another format.

    Examples
    --------
    >>> import tempfile
    >>> read_results(tempfile.gettempdir() + "/nothing")
    Traceback (most recent call last):
    ...
    ValueError: .../nothing does not exist.
    """
    if isinstance(folder, Results):
        return folder
    folder = Path(folder)
    record = read_run(folder)
    arrays, window = read_run_arrays(folder, record)
    del record["evaluations"][len(arrays.get("confusion", ())) :]  # what both files know
    twin = read_results(folder / TWIN) if (folder / TWIN / RUN).exists() else None
    return Results(folder=folder, record=record, arrays=arrays, window=window, twin=twin)
