"""Small layers after many epochs, with dopaminergic weights in logarithms and in single precision."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from lethenet.report.style import BLACK, BLUE, VERMILLION, new_figure, styled

from ..paper.precision import BothPrecisions
from .findings import Findings
from .panels import name_panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = (
    ("paper", "the paper's", BLACK, "o", (0, (4, 2))),
    ("ours", "ours: weights in logarithms", BLUE, "s", "solid"),
    ("single", "ours: weights in single precision", VERMILLION, "D", "solid"),
)


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


def _panel(ax: Axes, found: Findings, cells: list[BothPrecisions]) -> None:
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
