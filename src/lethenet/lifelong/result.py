"""A run as it lies in its folder, with the numbers people ask for."""

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
from .reading import MODEL, TWIN, read_run, read_run_arrays


class Result:
    """What came out of a run, finished or not. Everything is read from the folder.

    Attributes
    ----------
    folder : Path
    document : dict
        ``run.json``; its schema is in ``docs/run-directory.md``.

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

    @cached_property
    def config(self) -> Config:
        """What was run."""
        return Config.from_json(self.document["config"])

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """One evaluation per finished task."""
        return list(self.document["evaluations"])

    @property
    def summary(self) -> dict[str, Any] | None:
        """The headline numbers, None until the run has finished."""
        summary: dict[str, Any] | None = self.document["summary"]
        return summary

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
        return measures.accuracy_matrix([e["task_accuracy"] for e in self.evaluations])

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays behind the measures, see ``docs/run-directory.md``."""
        arrays, _ = read_run_arrays(self.folder, self.document)
        if not arrays:
            raise ValueError(f"{self.folder} has no arrays yet: no task has been finished.")
        return arrays

    @cached_property
    def model(self) -> Any:
        """The finished network with its read-out, a scikit-learn classifier."""
        from ..saving import load

        self._finished()
        return load(self.folder / MODEL)

    @cached_property
    def twin(self) -> Result | None:
        """The interleaved twin's result, if there is one."""
        folder = self.folder / TWIN
        return Result.load(folder) if folder.exists() else None

    def headlines(self) -> Iterator[tuple[str, float, str]]:
        """Name, value and definition of each headline number that this run has."""
        for name, meaning in measures.DEFINITIONS.items():
            value = self._finished()[name]
            if value is not None:
                yield name, float(value), meaning

    def _headline(self, name: str) -> float:
        return float(self._finished()[name])

    def _finished(self) -> dict[str, Any]:
        if self.summary is None:
            raise ValueError(
                f"{self.folder} holds a run that is {self.status}, not finished: "
                f"go on with lethenet.lifelong.resume({str(self.folder)!r})."
            )
        return self.summary

    def __repr__(self) -> str:
        """Say what was run and how it went."""
        config = self.document["config"]
        what = f"{config['dataset']}, {config['neurons']} neurons, {config['order']}"
        how = self.status if self.summary is None else f"accuracy {self.accuracy:.4f}"
        return f"<Result {str(self.folder)!r}: {what}, {how}>"

    def _repr_html_(self) -> str:
        """A table for notebooks; ``lethenet.report`` has the figures."""
        title = escape(repr(self).strip("<>"))
        if self.summary is None:
            progress = self.document["progress"]
            done, total = progress["samples_done"], progress["samples_total"]
            return f"<p>{title}: {done} of {total} samples learned.</p>"
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name.replace('_', ' '))}</th>"
            f"<td>{value:.6g}</td><td style='text-align:left'>{escape(meaning)}</td></tr>"
            for name, value, meaning in self.headlines()
        )
        return f"<table><caption>{title}</caption><tbody>{rows}</tbody></table>"
