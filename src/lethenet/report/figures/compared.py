"""Several runs in one figure; each is named by its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...lifelong.results import Results
from ..style import name_figure, name_ticks, new_figure, plain, series_style, styled
from .axes import accuracy_axis, percentages

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def compared_accuracy_over_tasks(runs: Mapping[str, Results]) -> Figure:
    """Test accuracy on all tasks seen so far, one line per run.

    >>> from lethenet.report.example import example_results
    >>> results = example_results()
    >>> figure = compared_accuracy_over_tasks({"in turn": results, "mixed": results.twin})
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['in turn', 'mixed (a single task)']
    """
    figure = new_figure(7.6, 4.6)
    ax = figure.add_subplot()
    drawn: list[float] = []
    longest = max(len(run.evaluations) for run in runs.values())
    for number, (name, run) in enumerate(runs.items()):
        values = [100 * evaluation["test_accuracy"] for evaluation in run.evaluations]
        drawn += values
        look = series_style(number)
        if len(run.task_names) == 1 and longest > 1:  # all at once: a level to compare with
            dots = (0, (1, 1.4))
            label = f"{plain(name, 40)} (a single task)"
            ax.axhline(values[-1], label=label, color=look.color, linestyle=dots)
            continue
        ax.plot(np.arange(1, len(values) + 1), values, label=plain(name, 40), **look._asdict())
    accuracy_axis(ax, drawn)
    names = {tuple(run.task_names) for run in runs.values() if len(run.task_names) > 1}
    if len(names) == 1:
        name_ticks(ax, names.pop()[:longest])
        ax.set_xlabel("After task")
    else:
        name_ticks(ax, [str(number + 1) for number in range(longest)])
        ax.set_xlabel("Tasks learned")
    figure.legend(loc="outside lower center", ncols=min(len(runs), 2))
    name_figure(figure, "Test accuracy on all tasks seen so far", f"{len(runs)} runs")
    return figure


@styled
def compared_accuracy_per_class(runs: Mapping[str, Results]) -> Figure:
    """Final test accuracy of each class, one mark per run.

    >>> from lethenet.report.example import example_results
    >>> results = example_results()
    >>> figure = compared_accuracy_per_class({"in turn": results, "mixed": results.twin})
    >>> [line.get_label() for line in figure.axes[0].lines][:2]
    ['in turn', 'mixed']
    """
    measured = {name: run for name, run in runs.items() if run.evaluations}
    classes = list(dict.fromkeys(c for run in measured.values() for c in run.classes_seen))
    figure = new_figure(min(max(7.6, 2.2 + 0.6 * len(classes)), 11.0), 4.6)
    ax = figure.add_subplot()
    width = 0.7 / len(measured)
    drawn: list[float] = []
    for number, (name, run) in enumerate(measured.items()):
        values = percentages(run.last["class_accuracy"], classes)
        drawn += list(values)
        shift = (number - (len(measured) - 1) / 2) * width
        color, marker, _ = series_style(number)
        ax.plot(
            np.arange(len(classes)) + shift,
            values,
            linestyle="none",
            marker=marker,
            color=color,
            markersize=7,
            label=plain(name, 40),
        )
    for edge in range(1, len(classes)):
        ax.axvline(edge - 0.5, color="#eceef0", linewidth=0.8, zorder=0)
    accuracy_axis(ax, drawn)
    ax.set_xlabel("Class")
    name_ticks(ax, classes, start=0)
    ax.set_xlim(-0.6, len(classes) - 0.4)
    figure.legend(loc="outside lower center", ncols=min(len(measured), 2))
    name_figure(figure, "Test accuracy of each class at the end", f"{len(runs)} runs")
    return figure
