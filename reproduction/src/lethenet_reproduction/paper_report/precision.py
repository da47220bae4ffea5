"""Small layers after many epochs, with dopaminergic weights in logarithms and in single precision."""

from __future__ import annotations

from math import sqrt
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from lethenet.report.html import Html, table
from lethenet.report.style import BLACK, BLUE, VERMILLION, new_figure, styled

from ..paper.cells import precision_cell
from ..paper.commands import cell_command
from ..paper.precision import Beside
from .findings import Findings
from .panels import name_panel
from .words import cell, listed, of, pct, plain, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = (
    ("paper", "the paper's", BLACK, "o", (0, (4, 2))),
    ("ours", "ours: weights in logarithms", BLUE, "s", "solid"),
    ("single", "ours: weights in single precision", VERMILLION, "D", "solid"),
)


CLEARLY = 0.8
"""Below this share of the other, a typical difference is called smaller."""


@styled
def precision(found: Findings) -> Figure:
    """Training accuracy over epochs, mean over the thresholds, a panel per size."""
    sizes = found.scale.precision_sizes
    figure = new_figure(max(3.9 * len(sizes), 6.4), 4.0)
    axes = figure.subplots(1, len(sizes), squeeze=False)[0]
    for number, (ax, neurons) in enumerate(zip(axes, sizes, strict=True)):
        _panel(ax, found, [b for b in found.precision if b.point.neurons == neurons])
        name_panel(ax, number, f"{neurons} neurons")
    axes[0].set_ylabel("Training accuracy (%)")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(LINES) if len(sizes) > 1 else 1
    )
    return figure


def _panel(ax: Axes, found: Findings, cells: list[Beside]) -> None:
    epochs = found.scale.epochs
    for name, label, color, marker, dash in LINES:
        line = [[getattr(b, name) for b in cells if b.point.epochs == n] for n in epochs]
        heights = [mean(values) if values else np.nan for values in line]
        ax.plot(
            range(len(epochs)), heights, color=color, marker=marker, linestyle=dash, label=label
        )
    ax.set_xticks(range(len(epochs)), [str(n) for n in epochs])
    ax.set_xlabel("Epochs per task")
    ax.margins(y=0.12)
    ax.grid(axis="y")


def on_precision(found: Findings) -> list[str]:
    """Whether single precision brings us closer to the paper, and where."""
    cells = found.precision
    if not cells:
        return []
    about = _losses(found) + (
        "One reason why small layers lose with many epochs may be the numbers that dopaminergic "
        "weights are kept in, of which the paper says nothing. They fall exponentially with the "
        "spikes of their neurons and are renormalised; in single precision one that falls below "
        "2⁻¹⁴⁹ of the largest becomes zero for good, so that its neuron is never overwritten again, "
        "and later digits find few that can learn them. We keep their logarithms. With such a floor "
        "(dopaminergic_floor = 2⁻¹⁴⁹), everything else as it was:"
    )
    last = max(b.point.epochs for b in cells)
    parts = []
    for neurons in found.scale.precision_sizes:
        here = [b for b in cells if b.point.neurons == neurons and b.point.epochs == last]
        if here:
            single, ours, paper = (
                mean(getattr(b, n) for b in here) for n in ("single", "ours", "paper")
            )
            parts.append(
                f"{neurons} neurons {pct(single)} instead of {pct(ours)}, the paper {pct(paper)}"
            )
    without, with_floor = (
        sqrt(mean((getattr(b, name) - b.paper) ** 2 for b in cells)) for name in ("ours", "single")
    )
    closer = sum(abs(b.single - b.paper) < abs(b.ours - b.paper) for b in cells)
    worst = max(cells, key=lambda b: abs(b.single - b.paper))
    if with_floor < CLEARLY * without:
        verdict = "That speaks for it, but is no proof: only the paper's own program could tell."
    elif without < CLEARLY * with_floor:
        verdict = "That speaks against it."
    else:
        verdict = "That decides nothing."
    return [
        about,
        f"After {last} epochs (mean over thresholds): {'; '.join(parts)}. Over the {len(cells)} cells that "
        f"were done both ways, the typical difference to the paper is {plain(with_floor)} points with "
        f"the floor and {plain(without)} without; {of(closer, len(cells))} are closer with it. Farthest "
        f"with it: {cell(worst.point)} ({signed(worst.single - worst.paper)}). {verdict}",
    ]


def _losses(found: Findings) -> str:
    """What is lost from the fewest epochs to the most, in the paper and with us."""
    few, many = found.scale.epochs[0], found.scale.epochs[-1]
    by_point = {b.point: b for b in found.precision}
    ends = [
        (by_point[point], by_point[last])
        for point in by_point
        if point.epochs == few and (last := point._replace(epochs=many)) in by_point
    ]
    if not ends:
        return ""
    paper, ours = (mean(getattr(a, n) - getattr(b, n) for a, b in ends) for n in ("paper", "ours"))
    sizes = listed(sorted({first.point.neurons for first, _ in ends}))
    return (
        f"From {few} to {many} epochs layers of {sizes} neurons lose {plain(paper)} points on average "
        f"in the paper and {plain(ours)} with us. "
    )


def precision_table(found: Findings) -> Html:
    """The cells both ways, beside the paper's."""
    rows = [
        [
            str(b.point.neurons),
            f"{b.point.threshold:g}",
            str(b.point.epochs),
            f"{b.paper:.2f}",
            f"{b.ours:.2f}",
            f"{b.single:.2f}",
            signed(b.ours - b.paper),
            signed(b.single - b.paper),
        ]
        for b in found.precision
    ]
    header = ["Neurons", "Threshold", "Epochs", "The paper's", "Logarithms", "Single precision"]
    header += ["Difference, logarithms", "Difference, single precision"]
    return table("Training accuracy in percent, one seed; differences in points.", header, rows)


def precision_rows(found: Findings) -> list[tuple[object, ...]]:
    """The same for a CSV file, with the command of each cell."""
    return [
        (*b.point, b.paper, b.ours, b.single, cell_command(precision_cell(found.scale, b.point)))
        for b in found.precision
    ]
