"""The figure of the study of real streams: novelty by stream and method."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import BLACK, GREY, new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..real_streams.methods import METHODS
from ..studies import real_streams

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def draw_real_streams(folder: Path) -> Figure:
    """A row for each stream: the mean of every method and, for ours, every seed."""
    values = real_streams.by_stream(read_results(folder / "results.jsonl"), "auroc")
    figure = new_figure(10, 5.6)
    axes = figure.subplots()
    names = [name for name in real_streams.NAMES if name in values[real_streams.OURS]][::-1]
    for number, (method, here) in enumerate(values.items()):
        ours, look = method == real_streams.OURS, series_style(number)
        axes.plot(
            [mean(here[name]) for name in names], range(len(names)), ls="none", alpha=0.9,
            marker="*" if ours else look.marker, ms=15 if ours else 7,
            color=BLACK if ours else look.color, label=METHODS[method].title, zorder=3 if ours else 2,
        )  # fmt: skip
        if ours:
            for place, name in enumerate(names):
                axes.plot(here[name], [place] * len(here[name]), "|", color=BLACK, ms=9)
    axes.axvline(0.5, color=GREY, ls="dotted")
    axes.set_yticks(range(len(names)), [real_streams.NAMES[name] for name in names])
    axes.set(xlabel="AUROC of the new class against known ones (a bar: one seed of ours)")
    axes.grid(alpha=0.4)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
    return figure
