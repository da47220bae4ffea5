"""What single precision does to the dopaminergic weights, and so to small layers after many epochs.

A dopaminergic weight falls by e^(−η) with each spike of its neuron, and all are renormalised. A difference
of 344 spikes to the least used neuron takes it to 2⁻¹⁴⁹ of the largest, below which single precision has no
numbers: from then on it is zero, and dopamine never reaches that neuron again. In a small layer that sees
the same digits many times this is the fate of most neurons, and later digits find few that can learn them.

lethenet keeps weights in logarithms, where nothing of this happens. The paper does not state how it keeps
them, so this stage does some of its cells with ``dopaminergic_floor``, as single precision would.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..studies.tables import percents
from .cells import precision_cell, table_cell
from .result_index import ResultIndex
from .scales import Point, Scale
from .table1 import FILE as TABLE_FILE

FILE = "precision.jsonl"


@dataclass(frozen=True)
class BothPrecisions:
    """Training accuracies in percent of a cell of Table 1: the paper's, ours, and in single precision.

    >>> cell = BothPrecisions(Point(400, 13.5, 20), paper=73.94, ours=80.0, single=75.16)
    >>> round(cell.single - cell.paper, 2)
    1.22
    """

    point: Point
    paper: float
    ours: float
    single: float


def read_precision(scale: Scale, folder: Path) -> list[BothPrecisions]:
    """The cells that are there both ways, with the same seed."""
    plain, floored = ResultIndex(folder / TABLE_FILE), ResultIndex(folder / FILE)
    found = []
    for point in scale.precision_points:
        ours = percents(plain.find([table_cell(scale, point)]), "train_accuracy")
        single = percents(floored.find([precision_cell(scale, point)]), "train_accuracy")
        if ours and single:
            found.append(BothPrecisions(point, scale.published(point), ours[0], single[0]))
    return found
