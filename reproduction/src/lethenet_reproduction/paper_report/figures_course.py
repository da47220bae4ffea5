"""How it goes on the way: accuracy and false positives as digits are added, for all sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lethenet.report.figures.axes import accuracy_axis
from lethenet.report.style import GREY, new_figure, series_style, styled

from ..paper.final import CLASSES
from .findings import Findings
from .panels import legend_of_classes, name_panel, panels, spare_panel, task_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4


@styled
def acc_deg_test(found: Findings) -> Figure:
    """Test accuracy on all digits met so far, after each digit, a line per size."""
    figure = new_figure(8.6, 4.8)
    ax = figure.add_subplot()
    drawn: list[float] = []
    for number, neurons in enumerate(found.scale.sizes):
        course = next(
            (s.accuracy_over_tasks() for s in found.final if s.point.neurons == neurons), []
        )
        if not course:
            continue
        drawn += course
        places = range(1, len(course) + 1)
        ax.plot(places, course, label=str(neurons), **series_style(number)._asdict())
    accuracy_axis(ax, drawn)
    ax.set_ylabel("Test accuracy, all digits so far (%)")
    task_ticks(ax, CLASSES)
    handles, labels = ax.get_legend_handles_labels()  # the largest on top, as the lines mostly lie
    figure.legend(handles[::-1], labels[::-1], loc="outside right center", title="neurons")
    return figure


@styled
def acc_per_digit(found: Findings) -> Figure:
    """Test accuracy of each digit from when it was learned to the end, a panel per size."""
    figure, axes = _panels(found)
    lines = {s.point.neurons: s.per_class("class_accuracy", 100) for s in found.final}
    drawn = [v for each in lines.values() for line in each.values() for v in line if v is not None]
    for number, neurons in enumerate(found.scale.sizes):
        if _draw(axes[number], lines.get(neurons)):
            accuracy_axis(axes[number], drawn)
        axes[number].set_ylabel("Test accuracy (%)" if number % COLUMNS == 0 else "")
    return figure


@styled
def fals_pos_per_digit(found: Findings) -> Figure:
    """Test samples taken for each digit that are another one, after each digit, a panel per size."""
    figure, axes = _panels(found)
    lines = {s.point.neurons: s.per_class("false_positives") for s in found.final}
    drawn = [v for each in lines.values() for line in each.values() for v in line if v is not None]
    for number, neurons in enumerate(found.scale.sizes):
        ax = axes[number]
        if _draw(ax, lines.get(neurons)):
            ax.set_ylim(0, 1.05 * max(*drawn, 1.0))
            ax.grid(axis="y")
        ax.set_ylabel("False positives (test samples)" if number % COLUMNS == 0 else "")
    return figure


def _panels(found: Findings) -> tuple[Figure, list[Axes]]:
    sizes = found.scale.sizes
    figure, axes = panels(13.2, 3.6, len(sizes), COLUMNS)
    for number, neurons in enumerate(sizes):
        name_panel(axes[number], number, f"{neurons} neurons")
    legend_of_classes(spare_panel(axes, len(sizes)), CLASSES)
    return figure, axes


def _draw(ax: Axes, lines: dict[str, list[float | None]] | None) -> bool:
    """A line per digit; whether there was anything to draw."""
    if not lines or not any(lines.values()):
        ax.annotate("missing", (0.5, 0.5), xycoords="axes fraction", ha="center", color=GREY)
        ax.set_xticks([])
        ax.set_yticks([])
        return False
    for number, line in enumerate(lines.values()):
        look = series_style(number)._asdict() | {"markersize": 4, "linewidth": 1.3}
        values = [np.nan if value is None else value for value in line]
        ax.plot(range(1, len(values) + 1), values, **look)
    task_ticks(ax, CLASSES)
    return True
