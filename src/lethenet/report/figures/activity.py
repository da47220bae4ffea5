"""Dopaminergic activity over time, and who owns the neurons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import Results
from .. import style
from ..style import ink, name_figure, name_ticks, new_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_LETTERS = 110
"""Names of tasks along the top that are longer than this together would run into each other."""


@styled
def dopaminergic_activity(results: Results) -> Figure:
    """Dopaminergic spikes per sample in windows of the stream, with the task changes marked.

    >>> from lethenet.report.example import example_results
    >>> dopaminergic_activity(example_results()).axes[0].get_ylabel()
    'Dopaminergic spikes\\nper sample'
    """
    rates = results.arrays.get("dopamine_windows", np.zeros(0))
    if not rates.size:
        raise ValueError(f"{results.folder}: no window of samples has been recorded yet.")
    presented = (np.arange(rates.size) + 0.5) * results.window
    figure, ax = new_axes(9.0, 3.9)
    ax.fill_between(presented, rates, step="mid", color=style.BLUE, alpha=0.18, linewidth=0)
    ax.plot(presented, rates, drawstyle="steps-mid", color=style.BLUE, linewidth=1.3)
    ax.set_ylim(0, max(1.12 * float(rates.max()), 0.1))
    end = min(rates.size * results.window, max(results.samples_done, 1))
    ends = [int(e) for e in results.arrays.get("task_ends", np.zeros(0)) if 0 < e <= end]
    for change in ends[:-1]:
        ax.axvline(change, color=style.GREY, linewidth=0.9, linestyle=(0, (4, 3)))
    names = [plain(name, 16) for name in results.task_names]
    named = sum(len(name) + 3 for name in names) <= MAX_LETTERS
    if named:
        starts = [0, *ends]
        stops = [*ends, end] if len(ends) < len(results.task_names) else ends
        at: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        at |= {"ha": "center", "va": "top", "fontsize": 9, "color": style.GREY}
        for name, start, stop in zip(names, starts, stops, strict=False):
            ax.annotate(name, ((start + stop) / 2, 1), (0, -3), **at)
    ax.set_xlim(0, end)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.grid(axis="y")
    marks = "task names along the top, dashed: task changes" if named else "dashed: task changes"
    ax.set_xlabel(f"Training samples presented ({marks})")
    ax.set_ylabel("Dopaminergic spikes\nper sample")
    heading = f"Dopaminergic activity, windows of {results.window:,} samples"
    return name_figure(figure, heading, results.label)


@styled
def neurons_per_class(results: Results) -> Figure:
    """How many neurons answer mostly to each class, after each task.

    >>> from lethenet.report.example import example_results
    >>> [bars.get_label() for bars in neurons_per_class(example_results()).axes[0].containers]
    ['0', '1', 'no label']
    """
    from matplotlib.colors import to_rgb

    results.require_evaluations()
    evaluations, neurons = results.evaluations, results.settings["neurons"]
    figure, ax = new_axes(min(max(7.2, 2.2 + 0.42 * len(evaluations)), 10.0), 4.8)
    places = np.arange(1, len(evaluations) + 1)
    base = np.zeros(len(evaluations))
    for number, label in enumerate(results.classes_seen):
        counts = np.array([e["neurons_per_class"].get(label, 0) for e in evaluations])
        color = style.COLOURS[number % len(style.COLOURS)]
        hatch = style.HATCHES[number // len(style.COLOURS) % len(style.HATCHES)]
        look: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.8, "hatch": hatch}
        ax.bar(places, counts, 0.86, base, color=color, label=plain(label), **look)
        patch = {"boxstyle": "round,pad=0.15", "facecolor": color, "edgecolor": "none"}
        inside: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "in_layout": False}
        inside |= {"color": ink(*to_rgb(color))}
        inside |= {"bbox": patch if hatch else None}  # a plain ground for the name
        for place in np.flatnonzero(counts >= 0.034 * neurons):
            middle = base[place] + counts[place] / 2
            ax.text(float(places[place]), middle, plain(label, 6), **inside)
        base = base + counts
    silent = np.array([evaluation["neurons_unlabelled"] for evaluation in evaluations])
    look = {"edgecolor": style.PALE, "linewidth": 0.8, "hatch": "////"}
    ax.bar(places, silent, 0.86, base, color="white", label="no label", **look)
    ax.set_ylim(0, neurons)
    ax.set_xlim(0.4, len(evaluations) + 0.6)
    name_ticks(ax, [evaluation["task"] for evaluation in evaluations])
    ax.set_xlabel("After task")
    ax.set_ylabel(f"{results.unit.capitalize()}s")
    handles, labels = ax.get_legend_handles_labels()
    look = {"title": "Class", "ncols": -(-len(labels) // 20)}
    figure.legend(handles[::-1], labels[::-1], loc="outside right center", **look)
    heading = f"{results.unit.capitalize()}s owned by each class as tasks are added"
    return name_figure(figure, heading, results.label)
