"""A run as it lies in its folder, with the numbers people ask for: figures and reports start here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np

from . import measures
from .config import Config
from .reading import RUN, TWIN, by_network, read_run, read_run_arrays

HARD_VOTES = "hard votes"


class Result:
    """What came out of a run, finished or not. Everything is read from the folder, and checked.

    Attributes
    ----------
    folder, document : Path and dict
        Where it lies; ``run.json``, whose schema is in ``docs/run-directory.md``.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.lifelong import run
    >>> folder = tempfile.mkdtemp()
    >>> config = Config.of(dataset="digits", neurons=40, threshold=15.0, classes=(0, 1))
    >>> _ = run(config, folder)
    >>> result = Result.load(folder)
    >>> result.status, result.accuracy_matrix.shape, result.arrays["confusion"].shape
    ('finished', (2, 2), (2, 2, 2))
    """

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        self.folder, self.document = folder, document

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a run directory; ValueError if the folder is not one."""
        return cls(Path(folder), read_run(folder))

    @property
    def status(self) -> str:
        """``running``, ``interrupted`` or ``finished``."""
        return str(self.document["status"])

    @property
    def finished(self) -> bool:
        """Whether the run went to its end."""
        return self.status == "finished"

    @cached_property
    def config(self) -> Config:
        """What was run."""
        return Config.from_json(self.document["config"])

    @property
    def settings(self) -> dict[str, Any]:
        """The same as ``run.json`` holds it: a version with other settings may have written it."""
        return dict(self.document["config"])

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """One evaluation per finished task, in order."""
        return list(self.document["evaluations"])

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
        """The headline numbers; empty until the run has finished."""
        return self.document.get("summary") or {}

    @property
    def diagnosis(self) -> list[str]:
        """What is wrong with the threshold, and what to do; nothing of a run that is not finished."""
        return list(self.document.get("diagnosis") or ())

    @property
    def accuracy(self) -> float:
        """Test accuracy on all tasks, after the last one."""
        return self._headline("accuracy")

    @property
    def average_accuracy(self) -> float:
        """ACC, see :func:`.measures.average_accuracy`."""
        return self._headline("acc")

    @property
    def backward_transfer(self) -> float:
        """BWT, see :func:`.measures.backward_transfer`."""
        return self._headline("bwt")

    @property
    def forgetting(self) -> float:
        """Forgetting, see :func:`.measures.forgetting`."""
        return self._headline("forgetting")

    @property
    def sequential_penalty(self) -> float | None:
        """The twin's accuracy minus this one's; None without a twin."""
        value = self._finished()["sequential_penalty"]
        return None if value is None else float(value)

    @property
    def accuracy_matrix(self) -> np.ndarray:
        """R[i, j]: test accuracy on task j after task i, NaN where task j had not been met."""
        rows = [evaluation["task_accuracy"] for evaluation in self.evaluations]
        return measures.accuracy_matrix(rows).reshape(len(rows), len(self.task_names))

    R = accuracy_matrix

    @property
    def learner(self) -> str:
        """Who learned; "cfn" is the network."""
        return str(self.settings.get("learner", "cfn"))

    @property
    def by_network(self) -> bool:
        """Whether the network learned."""
        return by_network(self.document)

    @property
    def labels_told(self) -> bool:
        """Whether the learner was told labels."""
        return bool(self.document.get("supervised"))

    @property
    def unit(self) -> str:
        """What answers: a neuron, or a prototype."""
        return "neuron" if self.by_network else "prototype"

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays behind the measures, see ``docs/run-directory.md``; none before the first task."""
        return self._arrays[0]

    @property
    def window(self) -> int:
        """Samples per window of ``dopamine_windows`` and ``input_spike_windows``."""
        return self._arrays[1]

    @cached_property
    def _arrays(self) -> tuple[dict[str, np.ndarray], int]:
        return read_run_arrays(self.folder, self.document)

    @cached_property
    def model(self) -> Any:
        """The finished network with its read-out, a scikit-learn classifier."""
        from ..saving import load

        self._finished()
        return load(self.folder)

    @cached_property
    def twin(self) -> Result | None:
        """The interleaved twin's result, if there is one."""
        folder = self.folder / TWIN
        return Result.load(folder) if (folder / RUN).exists() else None

    @property
    def classes(self) -> list[str]:
        """The classes in the order of the configuration, by name."""
        names, labels = self.document["data"].get("class_names"), self.settings["classes"]
        return [str(label) if names is None else str(names[label]) for label in labels]

    @property
    def classes_seen(self) -> list[str]:
        """The classes that have been learned and tested, in the order of the configuration."""
        seen = set(map(str, self.last["classes_seen"]))
        return [label for label in self.classes if label in seen]

    @property
    def task_names(self) -> list[str]:
        """The names of all tasks, finished or not."""
        return [task["name"] for task in self.document["tasks"]]

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """Height and width (and channels) of a sample, if it is an image."""
        shape = self.document["data"].get("image_shape")
        return tuple(shape) if shape else None

    @cached_property
    def first_layer(self) -> Any:
        """The fitted layer before the network, or None."""
        from .first_layer import layer_of_run

        try:
            return layer_of_run(self.document, self.arrays)
        except ValueError as error:
            raise ValueError(f"{self.folder} is damaged: its first layer: {error}") from error

    def as_samples(self, weights: np.ndarray) -> np.ndarray:
        """Weight vectors as samples of length one: back through the first layer, if there is one."""
        if self.first_layer is None:
            return weights
        seen = np.asarray(self.first_layer.inverse_transform(weights))
        return np.asarray(seen / np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-9))

    @property
    def votes(self) -> str:
        """How the run's own accuracies count: the paper's hard votes, or those of another read-out."""
        if not self.by_network:
            return "one answer per sample"
        name = self.settings.get("readout") or "dominant"
        return HARD_VOTES if name == "dominant" else f"{name} votes"

    @property
    def samples_done(self) -> int:
        """How many training samples have been presented so far."""
        return int(self.document["progress"]["samples_done"])

    @property
    def label(self) -> str:
        """The run in a few words: data set, size, threshold, epochs, order."""
        config, epochs, preset = self.settings, self.settings["epochs"], self.settings.get("preset")
        threshold = config["parameters"].get("threshold")
        return ", ".join([
            str(config["dataset"]),
            *([str(layer)] if (layer := config.get("layer", "none")) != "none" else []),
            *([] if self.by_network else [self.learner]),
            *([f"{config['neurons']} {self.unit}s"] if config["neurons"] else []),
            *([f"threshold {threshold:g}"] if isinstance(threshold, int | float) else []),
            f"{epochs} epoch{'' if epochs == 1 else 's'}",
            str(config["order"] if (s := config.get("stream", "classes")) == "classes" else s),
            *([str(preset)] if self.by_network and preset not in (None, "paper") else []),
        ])  # fmt: skip

    def headlines(self) -> Iterator[tuple[str, float, str]]:
        """Name, value and definition of each headline number that this run has."""
        for name, meaning in measures.DEFINITIONS.items():
            value = self._finished().get(name)  # a run of an older version lacks some
            if value is not None:
                yield name, float(value), meaning

    def _headline(self, name: str) -> float:
        return float(self._finished()[name])

    def _finished(self) -> dict[str, Any]:
        if not self.summary:
            raise ValueError(f"{self.folder} is {self.status}, not finished: go on with resume.")
        return self.summary

    def __repr__(self) -> str:
        """Say what was run and how it went."""
        how = f"accuracy {self.accuracy:.4f}" if self.summary else self.status
        return f"<Result {str(self.folder)!r}: {self.label}, {how}>"

    def _repr_html_(self) -> str:
        """A table for notebooks; ``lethenet.report`` has the figures."""
        title = escape(repr(self).strip("<>"))
        if not self.summary:
            total = self.document["progress"]["samples_total"]
            return f"<p>{title}: {self.samples_done} of {total} samples learned.</p>"
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th>"
            f"<td>{value:.6g}</td><td style='text-align:left'>{escape(meaning)}</td></tr>"
            for name, value, meaning in self.headlines()
        )
        return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"


Results = Result  # what figures and reports call it


def read_results(folder: str | os.PathLike[str] | Result) -> Result:
    """Read and check a run directory with its arrays and its twin, to draw and report.

    Of a run that is going on, only evaluations that all of its files know.

    >>> import tempfile
    >>> read_results(tempfile.gettempdir() + "/nothing")
    Traceback (most recent call last):
    ...
    ValueError: .../nothing does not exist.
    """
    if isinstance(folder, Result):
        return folder
    result = Result.load(folder)
    del result.document["evaluations"][len(result.arrays.get("confusion", ())) :]
    if result.twin is not None:
        result.twin = read_results(result.twin.folder)
    return result
