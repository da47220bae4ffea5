"""Table 1 as a picture: one panel per size, ours and the paper's over the number of epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lethenet.report.style import BLACK, GREY, series_style, styled

from ..paper.scales import Point
from .findings import Findings
from .panels import name_panel, panels, spare_panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4


@styled
def table_1(found: Findings) -> Figure:
    """Training accuracy over epochs, a line per threshold; ours solid, the paper's dashed."""
    scale = found.scale
    figure, axes = panels(12.4, 3.2, len(scale.sizes), COLUMNS)
    for number, (ax, neurons) in enumerate(zip(axes, scale.sizes, strict=False)):
        _panel(ax, found, neurons)
        name_panel(ax, number, f"{neurons} neurons")
    for place in range(0, len(scale.sizes), COLUMNS):
        axes[place].set_ylabel("Training accuracy (%)")
    _legend(spare_panel(axes, len(scale.sizes)), found)
    return figure


def _panel(ax: Axes, found: Findings, neurons: int) -> None:
    scale, table = found.scale, found.table
    places = np.arange(len(scale.epochs))
    for number, threshold in enumerate(scale.thresholds):
        color, marker, _ = series_style(number)
        line = [table[Point(neurons, threshold, epochs)] for epochs in scale.epochs]
        theirs = [entry.paper for entry in line]
        ours = [np.nan if entry.ours is None else entry.ours for entry in line]
        ax.plot(places, theirs, color=color, linestyle=(0, (4, 2)), linewidth=1, alpha=0.75)
        ax.plot(
            places,
            theirs,
            linestyle="none",
            marker=marker,
            markerfacecolor="white",
            color=color,
            markersize=4,
        )
        ax.plot(places, ours, color=color, marker=marker, markersize=5)
    theirs_best = table.paper_best(neurons)
    _ring(ax, scale.epochs.index(theirs_best.epochs), table[theirs_best].paper, 10, 0.55)
    best = table.best(neurons)
    if best is not None:
        _ring(ax, scale.epochs.index(best.epochs), table[best].ours or 0.0, 13, 1.0)
    ax.set_xticks(places, [str(epochs) for epochs in scale.epochs])
    ax.set_xlim(-0.3, len(places) - 0.7)
    ax.set_xlabel("Epochs per task")
    ax.margins(y=0.12)
    ax.grid(axis="y")


def _ring(ax: Axes, x: float, y: float, size: float, alpha: float) -> None:
    ax.plot(
        [x],
        [y],
        linestyle="none",
        marker="o",
        markersize=size,
        markerfacecolor="none",
        markeredgewidth=1.1,
        color=BLACK,
        alpha=alpha,
    )


def _legend(ax: Axes, found: Findings) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for number, threshold in enumerate(found.scale.thresholds):
        color, marker, _ = series_style(number)
        handles.append(Line2D([], [], color=color, marker=marker, label=f"threshold {threshold:g}"))
    handles += [
        Line2D([], [], color=GREY, marker="o", label="ours"),
        Line2D(
            [],
            [],
            color=GREY,
            linestyle=(0, (4, 2)),
            linewidth=1,
            marker="o",
            markersize=4,
            markerfacecolor="white",
            label="the paper's",
        ),
        Line2D(
            [],
            [],
            color=BLACK,
            linestyle="none",
            marker="o",
            markersize=11,
            markerfacecolor="none",
            label="best cell of the size",
        ),
    ]
    ax.legend(handles=handles, loc="center left", fontsize=10)
