"""Figures of the studies of read-outs: what they cost, and labels counted while learning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lethenet.report.style import BLUE, GREEN, new_figure, series_style, styled
from lethenet.sweeps import read_results

from ..studies import online_readout, readouts
from ..studies.tables import Record, grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled
def draw_readouts(folder: Path) -> Figure:
    """Accuracy over synaptic operations for each read-out."""
    figure = new_figure(10, 4.6)
    axes = figure.subplots()
    groups = grouped(read_results(folder / "results.jsonl"), lambda r: int(r["config"]["neurons"]))
    for number, (neurons, records) in enumerate(sorted(groups.items())):
        colour = series_style(number).color
        for rule, marker, dash, votes in (
            ("histogram", "o", "solid", "histogram votes"),
            ("dominant", "s", "dashed", "hard votes"),
        ):
            names = [f"{n} spikes, {rule}" for n in readouts.OUTPUT_SPIKES]
            x, y = _costs(records, names)
            axes.plot(
                x, y, color=colour, marker=marker, ls=dash, label=f"{neurons} neurons, {votes}"
            )
            if rule == "histogram":
                for n, cost, height in zip(readouts.OUTPUT_SPIKES, x, y, strict=True):
                    axes.annotate(
                        str(n),
                        (cost, height),
                        xytext=(0, 6),
                        textcoords="offset points",
                        fontsize=8,
                        ha="center",
                    )
        x, y = _costs(records, [readouts.EXPECTED])
        axes.plot(x, y, "*", color=colour, ms=11, label=f"{neurons} neurons, expected potential")
    axes.set(xscale="log", xlabel="synaptic operations per sample", ylabel="test accuracy, %")
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:,.0f}")  # powers would need math
    axes.grid(alpha=0.5)
    figure.legend(loc="outside right upper", title="numbers: output spikes")
    return figure


def _costs(records: list[Record], names: Sequence[str]) -> tuple[list[float], list[float]]:
    found = [[r["results"][name] for r in records] for name in names]
    return (
        [mean(each["operations"] for each in group) for group in found],
        [100 * mean(each["accuracy"] for each in group) for group in found],
    )


@styled
def draw_online_readout(folder: Path) -> Figure:
    """The online read-out beside re-assignment, for all and for few labels."""
    groups = grouped(
        read_results(folder / "results.jsonl"),
        lambda r: (str(r["config"]["preset"]), int(r["config"]["neurons"])),
    )
    figure = new_figure(9, 4)
    panels = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, ((preset, neurons), records) in zip(panels, groups.items(), strict=True):
        _bars(axes, records)
        axes.set_title(f"{preset}, {neurons} neurons", fontsize=10)
    panels[0].set_ylabel("test accuracy, % (histogram votes)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _bars(axes: Axes, records: list[Record]) -> None:
    for offset, way, colour, label in (
        (-0.2, "online", BLUE, "online: counted while learning"),
        (0.2, "assigned", GREEN, "assigned: labelled samples shown again"),
    ):
        for place, name in enumerate(online_readout.LABELS):
            values = [100 * r["results"][f"{way}, {name}, histogram"] for r in records]
            shown = label if place == 0 else None
            axes.bar(place + offset, mean(values), width=0.38, color=colour, label=shown)
            axes.plot([place + offset] * len(values), values, "o", color="black", ms=3)
    axes.set_xticks(range(len(online_readout.LABELS)), ["all", "100", "10"])
    axes.set_xlabel("labels per class")
    axes.set_ylim(bottom=50)
