"""Several runs in one figure; each is named by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import Results
from ..style import DASHES, name_figure, name_ticks, new_axes, plain, series_style, styled
from .axes import accuracy_axis, class_axis, percentages

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def compared_accuracy_over_tasks(runs: Mapping[str, Results]) -> Figure:
    """Test accuracy on all tasks seen so far, one line per run.

    >>> from lethenet.report.example import example_results
    >>> run = example_results()
    >>> len(compared_accuracy_over_tasks({"in turn": run, "mixed": run.twin}).axes[0].lines)
    2
    """
    figure, ax = new_axes(7.6, 4.6)
    drawn: list[float] = []
    longest = max(len(run.evaluations) for run in runs.values())
    for number, (name, run) in enumerate(runs.items()):
        values = [100 * evaluation["test_accuracy"] for evaluation in run.evaluations]
        drawn += values
        look = series_style(number)
        if len(run.task_names) == 1 and longest > 1:  # all at once: a level to compare with
            label = f"{plain(name, 40)} (a single task)"
            ax.axhline(values[-1], label=label, color=look.color, linestyle=DASHES[2])
        else:
            places = np.arange(1, len(values) + 1)
            ax.plot(places, values, label=plain(name, 40), **look._asdict())
    accuracy_axis(ax, drawn)
    names = {tuple(run.task_names) for run in runs.values() if len(run.task_names) > 1}
    same, numbers = len(names) == 1, [str(number + 1) for number in range(longest)]
    name_ticks(ax, names.pop()[:longest] if same else numbers)
    ax.set_xlabel("After task" if same else "Tasks learned")
    figure.legend(loc="outside lower center", ncols=min(len(runs), 2))
    return name_figure(figure, "Test accuracy on all tasks seen so far", f"{len(runs)} runs")


@styled
def compared_accuracy_per_class(runs: Mapping[str, Results]) -> Figure:
    """Final test accuracy of each class, one mark per run.

    >>> from lethenet.report.example import example_results
    >>> run = example_results()
    >>> compared_accuracy_per_class({"in turn": run, "mixed": run.twin}).axes[0].get_xlabel()
    'Class'
    """
    measured = {name: run for name, run in runs.items() if run.evaluations}
    classes = list(dict.fromkeys(c for run in measured.values() for c in run.classes_seen))
    figure, ax = new_axes(min(max(7.6, 2.2 + 0.6 * len(classes)), 11.0), 4.6)
    width = 0.7 / len(measured)
    drawn: list[float] = []
    for number, (name, run) in enumerate(measured.items()):
        values = percentages(run.last["class_accuracy"], classes)
        drawn += list(values)
        shift = (number - (len(measured) - 1) / 2) * width
        color, marker, _ = series_style(number)
        look: dict[str, Any] = {"linestyle": "none", "marker": marker, "markersize": 7}
        ax.plot(np.arange(len(classes)) + shift, values, color=color, label=plain(name, 40), **look)
    for edge in range(1, len(classes)):
        ax.axvline(edge - 0.5, color="#eceef0", linewidth=0.8, zorder=0)
    accuracy_axis(ax, drawn)
    class_axis(ax, classes)
    figure.legend(loc="outside lower center", ncols=min(len(measured), 2))
    return name_figure(figure, "Test accuracy of each class at the end", f"{len(runs)} runs")
