"""The figure of the study of few labels: accuracy over the number of labels."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import BLACK, GREY, new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..studies import labels, labels_baselines
from ..studies.tables import Record, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def draw_labels(folder: Path) -> Figure:
    """Ways to label one kind of network, beside what a user would try; then kinds of networks."""
    found = read_results(folder / "results.jsonl")
    kinds = grouped(found, lambda r: tuple(r["config"][k] for k in ("dataset", "layer", "neurons")))
    figure = new_figure(12, 5.4)
    left, right = figure.subplots(1, 2)
    main = kinds["mnist", "edges", 400]
    _ways(left, main)
    beside = folder / "baselines.jsonl"
    if beside.exists():
        edges = [r for r in read_results(beside) if r["config"]["layer"] == "edges"]
        _baselines(left, [r for r in edges if r["config"]["dataset"] == "mnist"])
    left.set_title("MNIST, edges, 400 neurons")
    for number, ((dataset, layer, neurons), group) in enumerate(kinds.items()):
        name = f"{dataset}, {layer}, {neurons}"
        _line(right, group, "random", number, name)
    right.set_title("Random draws")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="labels in all", ylabel="test accuracy, %")
        axes.set_xticks([10, 30, 100, 300, 1000], ["10", "30", "100", "300", "1000"])
        axes.minorticks_off()
        axes.grid(alpha=0.5)
        axes.legend(loc="lower right", fontsize=8)
    left.set_ylim(bottom=55)
    return figure


def _ways(axes: Axes, group: list[Record]) -> None:
    n = [float(count) for count in labels.ASKED]
    heights = [mean(labels.values(group, f"asked, {count}")) for count in labels.ASKED]
    axes.plot(n, heights, "*-", color=BLACK, ms=9, label="asked, links")
    for number, (way, name) in enumerate(
        {"random": "links", "frozen links": "frozen links", "borrowed": "borrowed"}.items()
    ):
        _line(axes, group, way, number, f"random, {name}")
    axes.axhline(mean(labels.values(group, "all")), color=GREY, ls="dotted", label="all labels")


def _line(axes: Axes, group: list[Record], way: str, number: int, name: str) -> None:
    look = series_style(number)
    heights = [mean(labels.values(group, f"{way}, {n}")) for n in labels.PER_CLASS]
    x = [10.0 * n for n in labels.PER_CLASS]
    axes.plot(x, heights, color=look.color, marker=look.marker, ls=look.linestyle, label=name)


def _baselines(axes: Axes, found: list[Record]) -> None:
    for record in found:
        for number, method in enumerate(labels_baselines.METHODS):
            look = series_style(number + 3)
            sizes = record["config"]["per_class"]
            heights = [100 * mean(record["results"][f"{method}, {n}"]) for n in sizes]
            x = [10.0 * n for n in sizes]
            axes.plot(x, heights, color=look.color, marker=look.marker, ls="dashed", label=method)
