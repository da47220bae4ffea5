"""Which cells each sweep of the reproduction consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lethenet.sweeps import Experiment

from .scales import PUSHES, SHARES, Point, Scale


def table_cells(scale: Scale) -> list[Experiment]:
    """Table 1: every size, threshold and number of epochs, with all seeds.

    >>> from lethenet_reproduction.paper import SCALES
    >>> len(table_cells(SCALES["paper"]))  # 16 cells per size; two sizes with five seeds
    240
    """
    return [
        table_cell(scale, point, seed)
        for point in scale.points
        for seed in scale.seeds_of(point.neurons)
    ]


def table_round(cell: Experiment) -> tuple[bool, int]:
    """When a cell comes: a whole column of the table before the next one, further seeds last.

    >>> from lethenet_reproduction.paper import SCALES
    >>> cells = sorted(table_cells(SCALES["paper"]), key=table_round)
    >>> [(cells[place].config.epochs, cells[place].config.seed) for place in (0, 28, 112)]
    [(1, 0), (5, 0), (1, 1)]
    """
    seed = cell.config.seed
    return seed > 0, 0 if seed > 0 else cell.config.epochs


def table_cell(scale: Scale, point: Point, seed: int = 0) -> Experiment:
    """One cell of Table 1 with the paper's rule."""
    return _cell(scale, point, seed=seed)


def pairs() -> list[tuple[str, float]]:
    """The pairs of the two open constants that are tried: push, and weight of forced spikes.

    >>> len(pairs())
    10
    """
    return [(push, share) for push in PUSHES for share in SHARES]


def fit_cells(scale: Scale) -> list[Experiment]:
    """Each pair of the open constants on the cells that it is judged by."""
    return [
        fit_cell(scale, point, push, share) for push, share in pairs() for point in scale.fit_points
    ]


def fit_cell(scale: Scale, point: Point, push: str, share: float) -> Experiment:
    """One cell of Table 1 with other values of the open constants."""
    return _cell(scale, point, push=push, forced_depression=share)


FLOOR = 2.0**-149
"""The smallest number of single precision."""


def precision_cells(scale: Scale) -> list[Experiment]:
    """Cells of the small sizes with dopaminergic weights as in single precision."""
    return [precision_cell(scale, point) for point in scale.precision_points]


def precision_cell(scale: Scale, point: Point) -> Experiment:
    """One of them."""
    return _cell(scale, point, dopaminergic_floor=FLOOR)


def final_cells(scale: Scale, best: Mapping[int, Point]) -> list[Experiment]:
    """The best cell of each size: classes in turn, with a test after each, and interleaved."""
    return [
        final_cell(scale, point, order, seed)
        for point in best.values()
        for order in ("sequential", "interleaved")
        for seed in scale.seeds_of(point.neurons)
    ]


def final_cell(scale: Scale, point: Point, order: str, seed: int = 0) -> Experiment:
    """One of them. All classes mixed are one task, so that run is tested once."""
    evaluate = "each task" if order == "sequential" else "end"
    return _cell(scale, point, order=order, seed=seed, evaluate=evaluate)


def _cell(scale: Scale, point: Point, **settings: Any) -> Experiment:
    return Experiment.of(
        dataset=scale.dataset,
        preset="paper",
        neurons=point.neurons,
        threshold=point.threshold,
        epochs=point.epochs,
        train_per_class=scale.train_per_class,
        test_per_class=scale.test_per_class,
        **settings,
    )
