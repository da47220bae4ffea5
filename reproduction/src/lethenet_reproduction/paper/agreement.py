"""How far two tables agree, in numbers: differences cell by cell, and the trends along each axis."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from statistics import mean
from typing import NamedTuple

from .scales import Point
from .table1 import PointResult, Table


class Closeness(NamedTuple):
    """Differences, ours minus the paper's, of the cells that are there, in points; and what they cost."""

    cells: int
    within_half: int
    within_one: int
    within_two: int
    above: int
    mean: float
    typical: float
    """Root of the mean square."""
    overwritten: float
    """Dopaminergic spikes per sample, each of which overwrites a neuron; mean over the cells."""
    unused: float
    """Share of the neurons that never fired while learning; mean over the cells."""


def closeness(results: Iterable[PointResult]) -> Closeness | None:
    """How close the cells are to the paper's, None if none is there.

    >>> found = closeness([PointResult(Point(400, 13.5, 1), (88.0,), (88.5,), 87.53)])
    >>> found.within_half, found.above, round(found.mean, 2)
    (1, 1, 0.47)
    """
    there = [result for result in results if result.train]
    if not there:
        return None
    values = [result.difference or 0.0 for result in there]

    def within(limit: float) -> int:
        return sum(abs(value) <= limit for value in values)

    return Closeness(
        len(values),
        within(0.5),
        within(1.0),
        within(2.0),
        sum(value > 0 for value in values),
        mean(values),
        sqrt(mean(value**2 for value in values)),
        mean(result.overwritten or 0.0 for result in there),
        mean(result.unused or 0.0 for result in there),
    )


def groups(table: Table) -> dict[str, list[PointResult]]:
    """The cells by what they have in common: fitted to or not, and each value of each axis.

    >>> from lethenet_reproduction.paper import SCALES
    >>> table = Table(SCALES["paper"], (PointResult(Point(400, 13.5, 1), (88.5,), (88.0,), 87.53),))
    >>> [name for name, results in groups(table).items() if results][:3]
    ['all', 'the open constants were fitted to', '400 neurons']
    """
    fitted = set(table.scale.fit_points)
    found = {
        "all": list(table.results),
        "the open constants were fitted to": [r for r in table.results if r.point in fitted],
        "the others": [r for r in table.results if r.point not in fitted],
    }
    for values, axis, name in (
        (table.scale.sizes, "neurons", "{:g} neurons"),
        (table.scale.thresholds, "threshold", "threshold {:g}"),
        (table.scale.epochs, "epochs", "epochs: {:g}"),
    ):
        for value in values:
            here = [r for r in table.results if getattr(r.point, axis) == value]
            found[name.format(value)] = here
    return found


class Trend(NamedTuple):
    """How accuracy changes from one end of an axis to the other, in so many lines of the table."""

    lines: int
    ours_up: int
    paper_up: int
    same: int
    """Lines in which both go the same way."""
    ours_mean: float
    paper_mean: float
    """Mean change from the first value to the last, in points."""


def trends(table: Table) -> dict[str, Trend]:
    """From the lowest threshold to the highest and from the fewest epochs to the most.

    The latter for all sizes, for the smallest and the largest, and threshold by threshold for all sizes
    but the smallest. What lacks cells is left out.
    """
    scale = table.scale
    low, high = scale.thresholds[0], scale.thresholds[-1]
    few, many = scale.epochs[0], scale.epochs[-1]

    def over_epochs(sizes: Iterable[int], thresholds: Iterable[float]) -> list[tuple[Point, Point]]:
        return [(Point(n, t, few), Point(n, t, many)) for n in sizes for t in thresholds]

    along = f"{few} to {many} epochs"
    lines = {
        f"threshold {low:g} to {high:g}": [
            (Point(n, low, epochs), Point(n, high, epochs))
            for n in scale.sizes
            for epochs in scale.epochs
        ],
        along: over_epochs(scale.sizes, scale.thresholds),
        f"{along}, {scale.sizes[0]} neurons": over_epochs(scale.sizes[:1], scale.thresholds),
        f"{along}, {scale.sizes[-1]} neurons": over_epochs(scale.sizes[-1:], scale.thresholds),
    } | {
        f"{along}, from {scale.sizes[1]} neurons on, threshold {t:g}": over_epochs(
            scale.sizes[1:], [t]
        )
        for t in scale.thresholds
    }
    found = {name: _trend(table, ends) for name, ends in lines.items()}
    return {name: trend for name, trend in found.items() if trend is not None}


def _trend(table: Table, lines: list[tuple[Point, Point]]) -> Trend | None:
    changes = []
    for first, last in lines:
        before, after = table[first], table[last]
        if before.ours is not None and after.ours is not None:
            changes.append((after.ours - before.ours, after.paper - before.paper))
    if not changes:
        return None
    return Trend(
        len(changes),
        sum(ours > 0 for ours, _ in changes),
        sum(paper > 0 for _, paper in changes),
        sum((ours > 0) == (paper > 0) for ours, paper in changes),
        mean(ours for ours, _ in changes),
        mean(paper for _, paper in changes),
    )


class BestOfSize(NamedTuple):
    """The best cell of a size, ours and the paper's."""

    neurons: int
    complete: bool
    ours: PointResult
    paper: PointResult

    @property
    def difference(self) -> float:
        """Our best minus the paper's best, in points."""
        return (self.ours.ours or 0.0) - self.paper.paper


def best_of_sizes(table: Table) -> list[BestOfSize]:
    """For each size that has cells, the best of ours and the cell that the paper highlights."""
    found = []
    for neurons in table.scale.sizes:
        point = table.best(neurons)
        if point is not None:
            paper = table[table.paper_best(neurons)]
            found.append(BestOfSize(neurons, table.complete(neurons), table[point], paper))
    return found
