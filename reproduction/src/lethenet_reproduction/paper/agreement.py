"""How far two tables agree, in numbers: differences cell by cell, and the trends along each axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from statistics import mean
from typing import NamedTuple

from .scales import Point
from .table1 import Entry, Table


class Closeness(NamedTuple):
    """Differences, ours minus the paper's, of the cells that are there; all in points."""

    cells: int
    within_half: int
    within_one: int
    within_two: int
    above: int
    mean: float
    typical: float
    """Root of the mean square."""
    lowest: Entry
    highest: Entry


def closeness(entries: Iterable[Entry]) -> Closeness | None:
    """How close the cells are to the paper's, None if none is there.

    Examples
    --------
    >>> cells = [Entry(Point(400, 13.5, 1), (88.0,), (88.5,), 87.53)]
    >>> found = closeness(cells)
    >>> found.within_half, found.above, round(found.mean, 2)
    (1, 1, 0.47)
    """
    there = [(entry.difference, entry) for entry in entries if entry.difference is not None]
    if not there:
        return None
    values = [difference for difference, _ in there]

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
        min(there, key=lambda pair: pair[0])[1],
        max(there, key=lambda pair: pair[0])[1],
    )


class Level(NamedTuple):
    """The cells that share a value of an axis, and are there: their means."""

    value: float
    difference: float
    """Ours minus the paper's, in points."""
    overwritten: float
    """Dopaminergic spikes per sample."""
    unused: float
    """Share of the neurons."""


def levels(table: Table, axis: str) -> list[Level]:
    """The means of the cells by "neurons", "threshold" or "epochs".

    Examples
    --------
    >>> from lethenet_reproduction.paper import SCALES
    >>> cells = (Entry(Point(400, 13.5, 1), (88.53,), (88.0,), 87.53, 0.4, 0.1),)
    >>> [round(level.difference, 2) for level in levels(Table(SCALES["paper"], cells), "epochs")]
    [1.0]
    """
    found = []
    for value in sorted({getattr(entry.point, axis) for entry in table.there}):
        cells = [entry for entry in table.there if getattr(entry.point, axis) == value]
        found.append(
            Level(
                value,
                mean(entry.difference or 0.0 for entry in cells),
                mean(entry.overwritten or 0.0 for entry in cells),
                mean(entry.unused or 0.0 for entry in cells),
            )
        )
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


def over_thresholds(table: Table) -> Trend | None:
    """From the lowest threshold to the highest, for each size and number of epochs."""
    low, high = table.scale.thresholds[0], table.scale.thresholds[-1]
    return _trend(
        table,
        lambda n: [
            (Point(n, low, epochs), Point(n, high, epochs)) for epochs in table.scale.epochs
        ],
    )


def over_epochs(
    table: Table,
    sizes: Iterable[int] | None = None,
    thresholds: Iterable[float] | None = None,
) -> Trend | None:
    """From the fewest epochs to the most, for each size and threshold, or for those that are given."""
    chosen = table.scale.thresholds if thresholds is None else tuple(thresholds)
    few, many = table.scale.epochs[0], table.scale.epochs[-1]
    return _trend(
        table,
        lambda n: [(Point(n, threshold, few), Point(n, threshold, many)) for threshold in chosen],
        sizes,
    )


def _trend(
    table: Table,
    lines_of: Callable[[int], list[tuple[Point, Point]]],
    sizes: Iterable[int] | None = None,
) -> Trend | None:
    changes = []
    for neurons in table.scale.sizes if sizes is None else sizes:
        for first, last in lines_of(neurons):
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
    ours: Entry
    paper: Entry

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
