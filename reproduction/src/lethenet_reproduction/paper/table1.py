"""Table 1, ours beside the paper's: training accuracy by size, threshold and number of epochs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from ..studies.tables import Record, percents
from .cells import table_cell
from .result_index import ResultIndex
from .scales import Point, Scale

FILE = "table1.jsonl"


@dataclass(frozen=True)
class PointResult:
    """A cell of Table 1: training and test accuracies in percent, one per seed, and the paper's."""

    point: Point
    train: tuple[float, ...]
    test: tuple[float, ...]
    paper: float
    overwritten: float | None = None
    """Dopaminergic spikes per sample learned, each of which overwrites a neuron; mean over seeds."""
    unused: float | None = None
    """Share of the neurons that never fired while learning; mean over seeds."""

    @property
    def ours(self) -> float | None:
        """Mean training accuracy over the seeds, None if the cell is missing."""
        return mean(self.train) if self.train else None

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, in points."""
        return None if self.ours is None else self.ours - self.paper

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation over the seeds, None if there are fewer than two."""
        return stdev(self.train) if len(self.train) > 1 else None


@dataclass(frozen=True)
class Table:
    """All cells of a scale, those that are missing among them.

    >>> from lethenet_reproduction.paper import SCALES
    >>> scale = SCALES["paper"]
    >>> table = Table(scale, tuple(PointResult(p, (), (), scale.published(p)) for p in scale.points))
    >>> len(table.missing), table.paper_best(6400)
    (112, Point(neurons=6400, threshold=14.25, epochs=20))
    >>> table.best(400) is None
    True
    """

    scale: Scale
    results: tuple[PointResult, ...]

    def __getitem__(self, point: Point) -> PointResult:
        return next(result for result in self.results if result.point == point)

    def of_size(self, neurons: int) -> list[PointResult]:
        """The cells of a size."""
        return [result for result in self.results if result.point.neurons == neurons]

    @property
    def there(self) -> list[PointResult]:
        """The cells that have been measured with at least one seed."""
        return [result for result in self.results if result.train]

    @property
    def missing(self) -> list[PointResult]:
        """The cells that have not."""
        return [result for result in self.results if not result.train]

    def complete(self, neurons: int) -> bool:
        """Whether all cells of a size are there, with all their seeds."""
        return set(self.seeds_there(neurons)) == {len(self.scale.seeds_of(neurons))}

    def seeds_there(self, neurons: int) -> list[int]:
        """How many seeds each cell of a size has."""
        return [len(result.train) for result in self.of_size(neurons)]

    def best(self, neurons: int) -> Point | None:
        """The cell with the highest training accuracy that is there; of equals, the first."""
        found = [result for result in self.of_size(neurons) if result.train]
        return max(found, key=lambda result: result.ours or 0.0).point if found else None

    def paper_best(self, neurons: int) -> Point:
        """The cell that the paper highlights."""
        return max(self.of_size(neurons), key=lambda result: result.paper).point


def read_table(scale: Scale, folder: Path, *, only_todays: bool = False) -> Table:
    """Table 1 from the results in a folder.

    With ``only_todays``, results of a network that behaved otherwise than today's count as missing.
    """
    index = ResultIndex(folder / FILE, only_todays=only_todays)
    return Table(scale, tuple(_result(scale, point, index) for point in scale.points))


def _result(scale: Scale, point: Point, index: ResultIndex) -> PointResult:
    seeds = scale.seeds_of(point.neurons)
    records = index.find(table_cell(scale, point, seed) for seed in seeds)
    results = [record["results"] for record in records]
    return PointResult(
        point,
        tuple(percents(records, "train_accuracy")),
        tuple(percents(records, "test_accuracy")),
        scale.published(point),
        mean(r["dopaminergic_spikes_per_sample"] for r in results) if results else None,
        mean(r["unused_neurons"] / point.neurons for r in results) if results else None,
    )


def chosen(table: Table) -> dict[int, Point]:
    """The best cell of each size whose cells are all there: what is missing might be better."""
    best = {n: table.best(n) for n in table.scale.sizes if table.complete(n)}
    return {neurons: point for neurons, point in best.items() if point is not None}


def core_seconds(records: Iterable[Record]) -> float:
    """How long these cells took one core, all together.

    >>> core_seconds([{"cost": {"learning_seconds": 3.0, "evaluation_seconds": 1.5}}])
    4.5
    """
    costs = [record["cost"] for record in records]
    return sum(float(c["learning_seconds"]) + float(c["evaluation_seconds"]) for c in costs)
