"""The figure of the study of first layers: accuracy over the size, behind each layer."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..studies.tables import grouped, percents

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = {"none": "raw pixels", "edges": "edges", "patches": "patches learned from zeros"}


@styled
def draw_first_layer(folder: Path) -> Figure:
    """Test accuracy with evidence votes over the number of neurons; dots are single seeds."""
    records = read_results(folder / "sizes.jsonl")
    figure = new_figure(10, 4.4)
    panels = figure.subplots(1, 2)
    for axes, dataset in zip(panels, ("mnist", "fashion-mnist"), strict=True):
        own = [r for r in records if r["config"]["dataset"] == dataset]
        for number, (layer, name) in enumerate(LAYERS.items()):
            found = [r for r in own if r["config"].get("layer", "none") == layer]
            sizes = sorted(grouped(found, lambda r: int(r["config"]["neurons"])).items())
            if not sizes:
                continue
            look = series_style(number)
            points = [(n, percents(group, "test_accuracy_evidence")) for n, group in sizes]
            axes.plot(
                [n for n, _ in points],
                [mean(values) for _, values in points],
                color=look.color,
                marker=look.marker,
                label=name,
            )
            for n, values in points:
                axes.plot([n] * len(values), values, ".", color=look.color, ms=3)
        axes.set(xscale="log", xlabel="neurons", ylabel="test accuracy, %", title=dataset)
        axes.set_xticks([400, 1600, 6400], ["400", "1600", "6400"])
        axes.set_xticks([], minor=True)
        axes.grid(alpha=0.5)
        axes.legend()
    return figure
