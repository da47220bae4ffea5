"""The figure of the study of bits: accuracy by how weights are kept."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..studies import bits

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def draw_bits(folder: Path) -> Figure:
    """A panel for each input and size: every seed a dot, the mean a bar, floating point a line."""
    groups = bits.by_way(read_results(folder / "results.jsonl"))
    figure = new_figure(11, 4.8)
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    names = [way.name for way in bits.WAYS][::-1]
    for number, (axes, ((inputs, neurons), values)) in enumerate(
        zip(panels, groups.items(), strict=True)
    ):
        colour = series_style(number).color
        for place, name in enumerate(names):
            here = list(values.get(name, {}).values())
            axes.plot(here, [place] * len(here), "o", color=colour, ms=4, alpha=0.6)
            if here:
                axes.plot([mean(here)] * 2, [place - 0.35, place + 0.35], color=colour, lw=2.5)
        axes.axvline(mean(values[bits.FLOAT.name].values()), color=colour, ls="dashed", lw=1)
        axes.set(xlabel="test accuracy, %", title=f"{inputs}, {neurons} neurons")
        axes.grid(alpha=0.4)
    panels[0].set_yticks(range(len(names)), names)
    return figure
