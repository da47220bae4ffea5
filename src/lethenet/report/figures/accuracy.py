"""Accuracy, and what goes wrong, as tasks are added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import HARD_VOTES, Results
from .. import style
from ..style import name_figure, name_ticks, new_axes, plain, series_style, styled
from .axes import accuracy_axis, class_axis, percentages

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
    >>> [line.get_label() for line in accuracy_over_tasks(example_results()).axes[0].lines]
    ['test, evidence votes', 'training, evidence votes', 'interleaved twin, at its end']
    """
    results.require_evaluations()
    votes, evaluations, twin = results.votes, results.evaluations, results.twin
    figure, ax = new_axes(7.2, 4.2)
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
        look = {"color": color, "marker": marker, "linestyle": dashes, "label": label}
        ax.plot(np.arange(1, len(values) + 1), values, **look)
    if twin is not None and twin.evaluations:
        drawn.append(100 * twin.last["test_accuracy"])
        look = {"color": style.VERMILLION, "linestyle": style.DASHES[3], "label": _twin_label(twin)}
        ax.axhline(drawn[-1], **look)
    accuracy_axis(ax, drawn)
    _task_axis(ax, results)
    ax.legend(loc="lower left")
    return name_figure(figure, "Accuracy on all tasks seen so far", results.label)


@styled
def accuracy_per_class(results: Results) -> Figure:
    """Final test accuracy of each class, beside the interleaved twin (the paper's per_digit_final).

    >>> from lethenet.report.example import example_results
    >>> accuracy_per_class(example_results()).axes[0].get_ylabel()
    'Accuracy (%)'
    """
    classes, twin = results.classes_seen, results.twin
    places = np.arange(len(classes))
    mine = percentages(results.last["class_accuracy"], classes)
    figure, ax = new_axes(min(max(6.0, 2.2 + 0.48 * len(classes)), 10.0), 4.2)
    mixed = results.settings["order"] == "interleaved"
    label = "this run" if mixed else "this run, tasks in turn"
    look: dict[str, Any] = {"linestyle": "none", "markersize": 7}
    ax.plot(places, mine, marker="o", color=style.BLUE, label=label, zorder=3, **look)
    level: dict[str, Any] = {"linewidth": 1, "linestyle": DOTTED, "label": "this run, all classes"}
    ax.axhline(100 * results.last["test_accuracy"], color=style.BLUE, **level)
    drawn = list(mine)
    if twin is not None and twin.evaluations:
        other = percentages(twin.last["class_accuracy"], classes)
        drawn += list(other)
        ends = np.fmin(mine, other), np.fmax(mine, other)
        ax.vlines(places, *ends, color=style.GREY, linewidth=1.2)
        look |= {"markerfacecolor": "white", "markeredgewidth": 1.6}
        ax.plot(places, other, marker="D", color=style.VERMILLION, label=_twin_label(twin), **look)
    accuracy_axis(ax, drawn)
    class_axis(ax, classes)
    figure.legend(loc="outside lower center", ncols=3)
    return name_figure(figure, "Test accuracy of each class at the end", results.label)


@styled
def accuracy_per_task(results: Results) -> Figure:
    """Test accuracy on each task, from when it was learned to the end (supplement).

    >>> from lethenet.report.example import example_results
    >>> [line.get_label() for line in accuracy_per_task(example_results()).axes[0].lines][:2]
    ['0', '1']
    """
    columns = zip(results.task_names, 100 * results.accuracy_matrix.T, strict=True)
    lines = {name: line for name, line in columns if np.isfinite(line).any()}
    figure, ax = _lines_over_tasks(results, lines)
    accuracy_axis(ax, [value for line in lines.values() for value in line])
    _name_line_ends(ax, lines, "task")
    return name_figure(figure, "Test accuracy on each task as tasks are added", results.label)


@styled
def false_positives(results: Results) -> Figure:
    """Test samples wrongly taken for each class, after each task (supplement).

    >>> from lethenet.report.example import example_results
    >>> false_positives(example_results()).axes[0].get_ylabel()
    'False positives (test samples)'
    """
    taken = [found["false_positives"] for found in results.evaluations]
    lines = {
        label: np.array([counts.get(label, np.nan) for counts in taken], float)
        for label in results.classes_seen
    }
    figure, ax = _lines_over_tasks(results, lines)
    ax.set_ylabel("False positives (test samples)")
    ax.grid(axis="y")
    ax.set_ylim(bottom=0)
    _name_line_ends(ax, lines, "class")
    return name_figure(figure, "False positives per class as tasks are added", results.label)


def _lines_over_tasks(results: Results, lines: Mapping[str, np.ndarray]) -> tuple[Figure, Axes]:
    results.require_evaluations()
    figure, ax = new_axes(7.6, 4.8)
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
        own: dict[str, Any] = {"color": color, "marker": marker, "markevery": [3], "label": "_end"}
        to = last + step * np.array([0, 1, 1.4, 2])
        ax.plot(to, [end, place, place, place], linewidth=0.7, clip_on=False, **own)
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
