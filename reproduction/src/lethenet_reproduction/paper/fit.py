"""The two constants that the paper does not state, fitted to its Table 1 on the small sizes.

A pair (push, forced_depression) is judged by Σ (ours − paper's)², training accuracy in percent, over the
cells of ``Scale.fit_points``. The sum only grows with each cell, so a pair whose sum over some cells is
above another one's over all of them cannot win: its other cells need not be measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path
from statistics import mean

from lethenet.model import PAPER
from lethenet.sweeps import Experiment

from ..studies.tables import percents
from .cells import fit_cell, pairs
from .result_index import ResultIndex
from .scales import Point, Scale

FILE = "fit.jsonl"


@dataclass(frozen=True)
class Pair:
    """A pair of the open constants: where it was measured, and what came out beside the paper's.

    >>> pair = Pair("usage", 0.1, {Point(400, 13.5, 1): (88.53, 87.53), Point(400, 14.0, 1): None})
    >>> pair.squares, pair.complete, pair.lacking
    (1.0, False, [Point(neurons=400, threshold=14.0, epochs=1)])
    """

    push: str
    forced_depression: float
    accuracies: dict[Point, tuple[float, float] | None]

    @property
    def differences(self) -> list[float]:
        """Ours minus the paper's in points, where there is ours."""
        return [both[0] - both[1] for both in self.accuracies.values() if both is not None]

    @property
    def lacking(self) -> list[Point]:
        """The cells that have not been measured."""
        return [point for point, both in self.accuracies.items() if both is None]

    @property
    def complete(self) -> bool:
        """Whether all its cells are there."""
        return not self.lacking

    @property
    def squares(self) -> float:
        """The sum of squared differences, in points²."""
        return self.squares_over(self.accuracies)

    def squares_over(self, points: Iterable[Point]) -> float:
        """The same over some cells, as far as they are there."""
        there = [both for point in points if (both := self.accuracies[point]) is not None]
        return round(sum((ours - paper) ** 2 for ours, paper in there), 6)

    @property
    def typical(self) -> float | None:
        """The root of the mean squared difference, in points."""
        found = self.differences
        return sqrt(mean(difference**2 for difference in found)) if found else None

    @property
    def is_the_presets(self) -> bool:
        """Whether the ``paper`` preset has these values."""
        return (self.push, self.forced_depression) == (PAPER.push, PAPER.forced_depression)


def read_fit(scale: Scale, folder: Path, *, only_todays: bool = False) -> list[Pair]:
    """All pairs with what the results in a folder say of them.

    With ``only_todays``, results of a network that behaved otherwise than today's count as missing.
    """
    index, found = ResultIndex(folder / FILE, only_todays=only_todays), []
    for push, share in pairs():
        accuracies: dict[Point, tuple[float, float] | None] = {}
        for point in scale.fit_points:
            cell = fit_cell(scale, point, push, share)
            ours = percents(index.find([cell]), "train_accuracy")
            accuracies[point] = (ours[0], scale.published(point)) if ours else None
        found.append(Pair(push, share, accuracies))
    return found


def winner(found: list[Pair]) -> Pair | None:
    """The pair with the smallest sum of squares among those whose cells are all there.

    >>> near, far = (Pair("usage", s, {Point(400, 13.5, 1): (87 + s, 87.53)}) for s in (0.5, 1.0))
    >>> winner([far, near]) is near
    True
    """
    complete = [pair for pair in found if pair.complete]
    return min(complete, key=lambda pair: pair.squares) if complete else None


CLOSE = 1.25
"""A sum of squares up to so many times the smallest is too close for one seed to tell them apart."""


def close_to(best: Pair, found: list[Pair]) -> list[Pair]:
    """The other pairs whose sum is not much larger than that of ``best`` over the same cells.

    >>> point = Point(400, 13.5, 1)
    >>> best, near, far = (Pair("usage", 0.1, {point: (ours, 87.0)}) for ours in (88, 88.1, 89))
    >>> close_to(best, [best, near, far]) == [near]
    True
    """
    others = [pair for pair in found if pair is not best and pair.differences]
    return [
        pair
        for pair in others
        if pair.squares <= CLOSE * best.squares_over(set(pair.accuracies) - set(pair.lacking))
    ]


def undecided(found: list[Pair]) -> list[Pair]:
    """The pairs that lack cells and may still win."""
    best = winner(found)
    limit = inf if best is None else best.squares
    return [pair for pair in found if not pair.complete and pair.squares < limit]


def next_cells(scale: Scale, found: list[Pair]) -> list[Experiment]:
    """What to measure next; nothing once it is certain who wins.

    All pairs on the cheapest cells, then all cells of the pair that is closest there, which gives the sum
    to beat, then the other cells of those that still can, cheap ones first.
    """
    first, *others = scale.fit_rounds
    running = undecided(found)
    cells = _lacking(scale, running, first)
    if not cells and winner(found) is None:
        closest = min(found, key=lambda pair: pair.squares_over(first))
        cells = _lacking(scale, [closest], scale.fit_points)
    for points in others:
        cells = cells or _lacking(scale, running, points)
    return cells


def _lacking(scale: Scale, running: list[Pair], points: list[Point]) -> list[Experiment]:
    return [
        fit_cell(scale, point, pair.push, pair.forced_depression)
        for pair in running
        for point in pair.lacking
        if point in points
    ]
