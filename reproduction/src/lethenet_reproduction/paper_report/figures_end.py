"""How it ends: final accuracy of each size, and of each digit."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np

from lethenet.report.figures.axes import accuracy_axis
from lethenet.report.style import BLACK, BLUE, GREY, PALE, VERMILLION, new_figure, styled

from .. import published
from ..paper.final import CLASSES, mean_penalty
from .findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def final_total_comparison(found: Findings) -> Figure:
    """Final test accuracy over the size, in turn and interleaved, and what the turn costs."""
    figure = new_figure(10.6, 4.4)
    left, right = figure.subplots(1, 2, width_ratios=(1.55, 1))
    _accuracies(left, found)
    _penalties(right, found)
    return figure


def _accuracies(ax: Axes, found: Findings) -> None:
    sizes = found.scale.sizes
    places = {neurons: place for place, neurons in enumerate(sizes)}
    drawn: list[float] = []
    for order, color, marker, label in (
        ("offline", VERMILLION, "D", "ours, interleaved (offline)"),
        ("online", BLUE, "o", "ours, digits in turn (online)"),
    ):
        values = {size.point.neurons: getattr(size, order) for size in found.final}
        there = [neurons for neurons in sizes if values.get(neurons)]
        heights = [mean(values[neurons]) for neurons in there]
        bars = [stdev(v) if len(v := values[neurons]) > 1 else 0.0 for neurons in there]
        drawn += [height + bar for height, bar in zip(heights, bars, strict=True)]
        drawn += [height - bar for height, bar in zip(heights, bars, strict=True)]
        ax.errorbar(
            [places[neurons] for neurons in there],
            heights,
            bars,
            color=color,
            marker=marker,
            markerfacecolor="white" if order == "offline" else color,
            markersize=6.5,
            capsize=2.5,
            label=label,
        )
    if found.scale.paper_size(sizes[-1]) == published.SIZES[-1]:
        drawn.append(published.TEST_ACCURACY_6400)
        ax.plot(
            [places[sizes[-1]]],
            [published.TEST_ACCURACY_6400],
            marker="*",
            markersize=13,
            color=BLACK,
            markerfacecolor="none",
            linestyle="none",
            label=f"the paper, in turn: {published.TEST_ACCURACY_6400} %",
        )
    accuracy_axis(ax, drawn)
    ax.set_ylabel("Test accuracy (%)")
    ax.set_xticks(range(len(sizes)), [str(neurons) for neurons in sizes])
    ax.set_xlabel("Neurons")
    ax.legend(loc="lower right")


def _penalties(ax: Axes, found: Findings) -> None:
    sizes = found.scale.sizes
    penalties = {size.point.neurons: size.penalty for size in found.final}
    for place, neurons in enumerate(sizes):
        value = penalties.get(neurons)
        if value is None:
            ax.annotate("missing", (place, 0), ha="center", va="bottom", color=GREY, fontsize=8)
            continue
        ax.bar(place, value, color=PALE, edgecolor=GREY, width=0.66)
        ax.annotate(
            f"{value:.2f}".replace("-", "−"),
            (place, value),
            xytext=(0, 3 if value >= 0 else -3),
            textcoords="offset points",
            ha="center",
            va="bottom" if value >= 0 else "top",
            fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},  # the lines run behind
            zorder=3,
        )
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.axhline(
        published.MEAN_PENALTY,
        color=BLACK,
        linestyle=(0, (1, 1.4)),
        linewidth=1.4,
        label=f"the paper's mean: {published.MEAN_PENALTY}",
    )
    ours = mean_penalty(found.final)
    if ours is not None:
        label = f"our mean: {ours:.2f}".replace("-", "−")
        ax.axhline(ours, color=BLUE, linewidth=1.4, linestyle=(0, (5, 2)), label=label)
    ax.set_xticks(range(len(sizes)), [str(neurons) for neurons in sizes])
    ax.set_xlabel("Neurons")
    ax.set_ylabel("Penalty of learning in turn (points)")
    ax.margins(y=0.25)
    ax.legend(loc="upper right")


@styled
def per_digit_final(found: Findings) -> Figure:
    """Final test accuracy of each digit at the largest size, in turn and interleaved."""
    size = found.largest
    if size is None:
        raise ValueError("the largest size has no final results yet.")
    figure = new_figure(7.4, 4.2)
    ax = figure.add_subplot()
    places = np.arange(len(CLASSES))
    marks = {}
    for order in ("sequential", "interleaved"):
        values = size.at_the_end(order)
        marks[order] = np.array([values.get(label, np.nan) for label in CLASSES])
    low, high = np.fmin(*marks.values()), np.fmax(*marks.values())
    ax.vlines(places, low, high, color=GREY, linewidth=1.2)
    ax.plot(
        places,
        marks["interleaved"],
        linestyle="none",
        marker="D",
        markersize=7,
        markerfacecolor="white",
        markeredgewidth=1.6,
        color=VERMILLION,
        label="digits interleaved",
    )
    ax.plot(
        places,
        marks["sequential"],
        linestyle="none",
        marker="o",
        markersize=7.5,
        color=BLUE,
        label="digits in turn",
    )
    drawn = [float(value) for each in marks.values() for value in each]
    accuracy_axis(ax, drawn)
    ax.set_ylabel("Test accuracy (%)")
    ax.set_xticks(places, list(CLASSES))
    ax.set_xlabel(f"Digit ({size.point.neurons} neurons)")
    figure.legend(loc="outside lower center", ncols=2)
    return figure
