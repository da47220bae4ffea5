"""The figure of the study of novelty: AUROC by learner."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..studies import novelty

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def draw_novelty(folder: Path) -> Figure:
    """A row for each kind of features and split: every seed a dot, the mean a bar."""
    found = read_results(folder / "results.jsonl")
    tested = [r["config"] | r["results"] for r in found if r["config"]["seed"] != novelty.CHOICE]
    places = list(dict.fromkeys((r["features"], r["known"]) for r in tested))[::-1]
    figure = new_figure(9, 1.2 + 0.9 * len(places))
    axes = figure.subplots()
    for number, learner in enumerate((novelty.NETWORK, novelty.FOREST, novelty.SVM)):
        colour = series_style(number).color
        for place, (features, known) in enumerate(places):
            here = [
                r["auroc"]
                for r in tested
                if (r["features"], r["known"], r["learner"]) == (features, known, learner)
            ]
            height = place + 0.22 * (1 - number)
            label = learner if place == 0 else None
            axes.plot(here, [height] * len(here), "o", color=colour, ms=4, alpha=0.6, label=label)
            if here:
                axes.plot([mean(here)] * 2, [height - 0.1, height + 0.1], color=colour, lw=2.5)
    names = [f"{features}, {known} digits known" for features, known in places]
    axes.set_yticks(range(len(places)), names)
    axes.set(xlabel="AUROC on test samples (0.5: chance)")
    axes.grid(alpha=0.4)
    figure.legend(loc="outside upper center", ncols=3)
    return figure
