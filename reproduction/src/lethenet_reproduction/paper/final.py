"""The best cell of each size at the end and on the way there, in turn and interleaved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ..studies.tables import Record, percents
from .cells import final_cell
from .result_index import ResultIndex
from .scales import Point, Scale
from .table1 import Table

FILE = "final.jsonl"
CLASSES = tuple(str(digit) for digit in range(10))


@dataclass(frozen=True)
class SizeResult:
    """What the best cell of a size came to; each list has a record per seed that is there."""

    point: Point
    sequential: list[Record]
    interleaved: list[Record]

    @property
    def online(self) -> list[float]:
        """Final test accuracies in percent, classes in turn."""
        return percents(self.sequential, "test_accuracy")

    @property
    def offline(self) -> list[float]:
        """Final test accuracies in percent, classes mixed."""
        return percents(self.interleaved, "test_accuracy")

    @property
    def penalty(self) -> float | None:
        """Points lost by learning in turn, mean over the seeds; None if one of both is missing."""
        if not self.online or not self.offline:
            return None
        return mean(self.offline) - mean(self.online)

    def accuracy_over_tasks(self) -> list[float]:
        """Test accuracy in percent on all classes met so far, after each task; mean over seeds."""
        looks = [record["results"]["evaluations"] for record in self.sequential]
        return [100 * mean(e["test_accuracy"] for e in after) for after in zip(*looks, strict=True)]

    def per_class(self, name: str, factor: float = 1.0) -> dict[str, list[float | None]]:
        """A measure of each class after each task, None before it was met; mean over seeds."""
        looks = [record["results"]["evaluations"] for record in self.sequential]
        after_each = list(zip(*looks, strict=True))
        return {
            label: [_mean([e[name].get(label) for e in after], factor) for after in after_each]
            for label in CLASSES
        }

    def at_the_end(self, order: str) -> dict[str, float]:
        """Final test accuracy in percent of each class; empty if it is missing."""
        records = self.sequential if order == "sequential" else self.interleaved
        if not records:
            return {}
        return {
            label: 100 * mean(r["results"]["class_accuracy"][label] for r in records)
            for label in CLASSES
        }


def _mean(values: list[Any], factor: float) -> float | None:
    known = [value for value in values if value is not None]
    return factor * mean(known) if known else None


def read_final(scale: Scale, folder: Path, table: Table) -> list[SizeResult]:
    """The results of each size for its best cell, as far as they are in a folder."""
    index, found = ResultIndex(folder / FILE), []
    for neurons in scale.sizes:
        point = table.best(neurons)
        if point is None:
            continue
        seeds = scale.seeds_of(neurons)
        sequential, interleaved = (
            index.find(final_cell(scale, point, order, seed) for seed in seeds)
            for order in ("sequential", "interleaved")
        )
        if sequential or interleaved:
            found.append(SizeResult(point, sequential, interleaved))
    return found


def mean_penalty(found: list[SizeResult]) -> float | None:
    """The mean over the sizes of what learning in turn costs, in points.

    >>> def record(accuracy):
    ...     return {"results": {"test_accuracy": accuracy}}
    >>> at = SizeResult(Point(400, 13.5, 1), [record(0.88)], [record(0.9)])
    >>> round(mean_penalty([at]), 6)
    2.0
    """
    penalties = [size.penalty for size in found if size.penalty is not None]
    return mean(penalties) if penalties else None
