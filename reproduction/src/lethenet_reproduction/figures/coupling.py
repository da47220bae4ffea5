"""Figure of the study of coupling: rates beside spikes, and the room that a threshold has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lethenet.report.style import BLUE, GREY, VERMILLION, new_figure, styled
from lethenet.sweeps import read_results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHATS = {"accuracy": "accuracy", "first winner": "same first winner", "class": "same class"}


@styled
def draw_coupling(folder: Path) -> Figure:
    """Left: a frozen network seen by rates and by spikes. Right: cosines with the noise of a reading."""
    figure = new_figure(10, 4.2)
    left, right = figure.subplots(1, 2)
    frozen = [r for r in read_results(folder / "results.jsonl") if r["config"]["part"] == "frozen"]
    frozen.sort(key=lambda r: float(r["config"]["pixel_rate"]))
    rates = [r["config"]["pixel_rate"] for r in frozen]
    for (name, label), marker in zip(WHATS.items(), "osD", strict=True):
        spikes = [100 * r["results"][f"{name}, spikes"] for r in frozen]
        left.plot(rates, spikes, color=BLUE, marker=marker, label=f"{label}, by spikes")
        again = 100 * frozen[0]["results"][f"{name}, rates again"]
        left.plot(
            rates,
            [again] * len(rates),
            GREY,
            ls="dashed",
            marker=marker,
            label=f"{label}, by rates again",
        )
    left.set(xscale="log", xlabel="pixel spikes per time unit", ylabel="% of test samples")
    left.set_xticks(rates, [f"{rate:g}" for rate in rates])
    left.set_xticks([], minor=True)
    left.grid(alpha=0.5)
    left.legend(fontsize=8)
    found = [r for r in read_results(folder / "angles.jsonl") if r["config"]["part"] == "angles"]
    for name, colour, marker in (("nearest own", BLUE, "o"), ("nearest other", VERMILLION, "s")):
        for place, record in enumerate(found):
            r, x = record["results"], place + (0.12 if name == "nearest other" else -0.12)
            once = f"{name} prototype, ± noise" if place == 0 else None
            right.errorbar(
                x, r[name], r["noise"], color=colour, marker=marker, capsize=3, label=once
            )
    given = [r["config"]["inhibition"] for r in found]
    names = ["raw pixels" if a is None else f"edges, {a:g}" for a in given]
    right.set_xticks(range(len(names)), names)
    right.set(xlabel="lateral inhibition", ylabel="cosine")
    right.grid(alpha=0.5)
    right.legend(fontsize=8)
    return figure
