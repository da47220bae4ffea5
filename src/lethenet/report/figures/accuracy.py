"""Accuracy, and what goes wrong, as tasks are added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import HARD_VOTES, Results
from .. import style
from ..style import name_figure, name_ticks, new_figure, plain, series_style, styled
from .axes import accuracy_axis, percentages

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHED, DOTTED = style.DASHES[1:3]
MAX_END_LABELS = 20
"""More lines than this are named in a legend instead of at their ends."""


@styled
def accuracy_over_tasks(results: Results) -> Figure:
    """Accuracy on all tasks seen so far, after each task (the paper's figure acc_deg_test).

    >>> from lethenet.report.example import example_results
    >>> figure = accuracy_over_tasks(example_results())
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['test, evidence votes', 'training, evidence votes', 'interleaved twin, at its end']
    """
    results.require_evaluations()
    evaluations, twin = results.evaluations, results.twin
    places = np.arange(1, len(evaluations) + 1)
    figure = new_figure(7.2, 4.2)
    ax = figure.add_subplot()
    votes = results.votes
    lines = [
        ("test_accuracy", f"test, {votes}", style.BLUE, "o", "solid"),
        ("train_accuracy", f"training, {votes}", style.BLACK, "^", DOTTED),
    ]
    if votes == HARD_VOTES:
        histogram = ("test_accuracy_histogram", "test, histogram votes", style.ORANGE, "s", DASHED)
        lines.insert(0, histogram)
    drawn: list[float] = []
    for key, label, color, marker, dashes in lines:
        values = [100 * evaluation[key] for evaluation in evaluations]
        drawn += values
        ax.plot(places, values, color=color, marker=marker, linestyle=dashes, label=label)
    if twin is not None and twin.evaluations:
        level = 100 * twin.last["test_accuracy"]
        drawn.append(level)
        ax.axhline(
            level, color=style.VERMILLION, linestyle=style.DASHES[3], label=_twin_label(twin)
        )
    accuracy_axis(ax, drawn)
    _task_axis(ax, results)
    ax.legend(loc="lower left")
    name_figure(figure, "Accuracy on all tasks seen so far", results.label)
    return figure


@styled
def accuracy_per_class(results: Results) -> Figure:
    """Final test accuracy of each class, beside the interleaved twin (the paper's per_digit_final).

    >>> from lethenet.report.example import example_results
    >>> figure = accuracy_per_class(example_results())
    >>> [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    ['0', '1']
    """
    classes, twin = results.classes_seen, results.twin
    places = np.arange(len(classes))
    mine = percentages(results.last["class_accuracy"], classes)
    figure = new_figure(min(max(6.0, 2.2 + 0.48 * len(classes)), 10.0), 4.2)
    ax = figure.add_subplot()
    in_turn = results.settings["order"] != "interleaved"
    label = "this run, tasks in turn" if in_turn else "this run"
    look: dict[str, Any] = {"linestyle": "none", "markersize": 7}
    ax.plot(places, mine, marker="o", color=style.BLUE, label=label, zorder=3, **look)
    level = 100 * results.last["test_accuracy"]
    ax.axhline(
        level, color=style.BLUE, linewidth=1, linestyle=DOTTED, label="this run, all classes"
    )
    drawn = list(mine)
    if twin is not None and twin.evaluations:
        other = percentages(twin.last["class_accuracy"], classes)
        drawn += list(other)
        ax.vlines(
            places, np.fmin(mine, other), np.fmax(mine, other), color=style.GREY, linewidth=1.2
        )
        look |= {"markerfacecolor": "white", "markeredgewidth": 1.6}
        ax.plot(places, other, marker="D", color=style.VERMILLION, label=_twin_label(twin), **look)
    accuracy_axis(ax, drawn)
    ax.set_xlabel("Class")
    name_ticks(ax, classes, start=0)
    ax.set_xlim(-0.6, len(classes) - 0.4)
    figure.legend(loc="outside lower center", ncols=3)
    name_figure(figure, "Test accuracy of each class at the end", results.label)
    return figure


@styled
def accuracy_per_task(results: Results) -> Figure:
    """Test accuracy on each task, from when it was learned to the end (supplement).

    >>> from lethenet.report.example import example_results
    >>> figure = accuracy_per_task(example_results())
    >>> [line.get_label() for line in figure.axes[0].lines][:2]
    ['0', '1']
    """
    R = 100 * results.accuracy_matrix
    lines = {
        name: R[:, number]
        for number, name in enumerate(results.task_names)
        if np.isfinite(R[:, number]).any()
    }
    figure, ax = _lines_over_tasks(results, lines)
    accuracy_axis(ax, [value for line in lines.values() for value in line])
    _name_line_ends(ax, lines, "task")
    name_figure(figure, "Test accuracy on each task as tasks are added", results.label)
    return figure


@styled
def false_positives(results: Results) -> Figure:
    """Test samples wrongly taken for each class, after each task (supplement).

    >>> from lethenet.report.example import example_results
    >>> figure = false_positives(example_results())
    >>> figure.axes[0].get_ylabel()
    'False positives (test samples)'
    """
    lines = {
        label: np.array(
            [e["false_positives"].get(label, np.nan) for e in results.evaluations], float
        )
        for label in results.classes_seen
    }
    figure, ax = _lines_over_tasks(results, lines)
    ax.set_ylabel("False positives (test samples)")
    ax.grid(axis="y")
    ax.set_ylim(bottom=0)
    _name_line_ends(ax, lines, "class")
    name_figure(figure, "False positives per class as tasks are added", results.label)
    return figure


def _lines_over_tasks(results: Results, lines: Mapping[str, np.ndarray]) -> tuple[Figure, Axes]:
    results.require_evaluations()
    figure = new_figure(7.6, 4.8)
    ax = figure.add_subplot()
    for number, (name, line) in enumerate(lines.items()):
        look = series_style(number)
        ax.plot(np.arange(1, len(line) + 1), line, label=plain(name, 16), **look._asdict())
    _task_axis(ax, results)
    return figure, ax


def _name_line_ends(ax: Axes, lines: Mapping[str, np.ndarray], kind: str) -> None:
    """Write each line's name at its end, moved apart where ends are close, with its own marker."""
    last = max(len(line) for line in lines.values())
    if len(lines) > MAX_END_LABELS or last == 1:
        columns = -(-len(lines) // 20)
        ax.legend(ncols=columns, bbox_to_anchor=(1.01, 1), loc="upper left", title=kind)
        return
    low, high = ax.get_ylim()
    ends = [float(line[np.isfinite(line)][-1]) for line in lines.values()]
    places = style.moved_apart(ends, 0.048 * (high - low), high)
    step = 0.05 * (last - 1)
    look: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False}
    for number, (name, end, place) in enumerate(zip(lines, ends, places, strict=True)):
        color, marker, _ = series_style(number)
        ax.plot(
            [last, last + step, last + 1.4 * step, last + 2 * step],
            [end, place, place, place],
            color=color,
            linewidth=0.7,
            marker=marker,
            markevery=[3],
            clip_on=False,
            label="_end",
        )
        at = (last + 2.1 * step, place)
        ax.annotate(plain(name, 16), at, (8, 0), va="center", fontsize=9.5, **look)
    at = (last + 2 * step, max(places))
    ax.annotate(kind, at, (0, 10), ha="center", fontsize=9, color=style.GREY, **look)
    ax.set_xlim(1 - 0.04 * (last - 1), last + step)


def _task_axis(ax: Axes, results: Results) -> None:
    names = [evaluation["task"] for evaluation in results.evaluations]
    name_ticks(ax, names)
    ax.set_xlabel("After task" if len(names) > 1 else "After the task")
    ax.set_xlim(0.7, len(names) + 0.3)


def _twin_label(twin: Results) -> str:
    return f"{plain(twin.settings['order'])} twin, at its end"
