"""Figures of the theory studies, from the JSON files they wrote.

``python -m lethenet_reproduction.figures.theory`` draws what it finds under ``results/``: simulation over theory,
the stability of STDP (the paper's figure oja), and the suggested threshold beside sweeps.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lethenet.report.pictures import write_figure
from lethenet.report.style import (
    BLACK,
    BLUE,
    DASHES,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    PALE,
    VERMILLION,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESULTS = Path("results")
TIME = "Time t (time units)"
LINES = (BLUE, VERMILLION, GREEN, ORANGE)
Record = dict[str, Any]


@styled
def simulation_over_theory(data: Record) -> Figure:
    """Mean, variance, distribution, firing and variation: lines are theory, marks simulation."""
    figure = new_figure(11.6, 7.4)
    axes = figure.subplots(2, 3).ravel()
    _moment(axes[0], data, "mean", "A  Mean of the potential", "E[V(t)] (potential)")
    _moment(axes[1], data, "variance", "B  Its variance", "Var[V(t)] (potential²)")
    _densities(axes[2], data["distributions"])
    _firing(axes[3], data["firing"])
    _first_spikes(axes[4], data["first_spikes"], data["runs"])
    _variation(axes[5], data["variation"])
    figure.supxlabel(
        f"Lines: theory. Marks: {data['runs']} event simulations each of one MNIST image and one neuron "
        f"(C: {data['runs'] * data['samples']:,}). Bars: 95 % intervals where larger than the mark.",
        fontsize=9,
        color=GREY,
    )
    return figure


def _line_and_marks(
    ax: Axes, number: int, label: str, line: tuple[Any, Any], marks: tuple[Any, Any], bars: Any
) -> None:
    """Theory as a line, simulation as marks with 95 % intervals, in one colour."""
    colour, marker = LINES[number], MARKERS[number]
    ax.plot(*line, color=colour, linestyle=DASHES[number], label=label)
    ax.errorbar(*marks, yerr=bars, color=colour, marker=marker, linestyle="none", elinewidth=1.2)


def _moment(ax: Axes, data: Record, name: str, heading: str, label: str) -> None:
    for number, record in enumerate(data["moments"]):
        t = np.linspace(0.0, max(record["times"]), 200)
        rate = {"mean": 1.0, "variance": 2.0}[name]
        curve = record[f"steady_{name}"] * -np.expm1(-rate * t / data["tau"])
        marks = (record["times"], record[f"simulated_{name}"])
        bars = 1.96 * np.array(record[f"{name}_error"])
        _line_and_marks(ax, number, f"{record['degrees']}°", (t, curve), marks, bars)
    ax.set(xlabel=TIME, ylabel=label, ylim=(0, None))
    ax.set_title(heading)
    ax.legend(title="angle to the input", loc="lower right")


def _densities(ax: Axes, records: list[Record]) -> None:
    for number, record in enumerate(records):
        colour = LINES[number]
        ax.stairs(record["simulated"], record["edges"], fill=True, color=colour, alpha=0.25)
        ax.plot(record["v"], record["density"], color=colour, linestyle=DASHES[number])
        top = int(np.argmax(record["density"]))
        ax.annotate(
            f"t = {record['t']:g}",
            (record["v"][top], record["density"][top]),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            color=colour,
        )
    ax.margins(y=0.12)
    ax.set(xlabel="Potential v", ylabel="Density (1/potential)", ylim=(0, None))
    ax.set_title("C  Its distribution at 30°")


def _firing(ax: Axes, records: list[Record]) -> None:
    for number, record in enumerate(records):
        middle = np.array(record["simulated"])
        bars = np.abs(np.array([record["low"], record["high"]]) - middle)
        line = (record["curve_degrees"], record["curve"])
        label = f"{record['threshold']:g}"
        _line_and_marks(ax, number, label, line, (record["degrees"], middle), bars)
    ax.set(xlabel="Angle to the input (degrees)", ylabel="P(fires within 200 time units)")
    ax.set_title("D  Firing in time")
    ax.legend(title="threshold", loc="lower left")


def _first_spikes(ax: Axes, records: list[Record], runs: int) -> None:
    for number, record in enumerate(records):
        share = np.array(record["simulated"])
        line = (record["durations"], record["probability"])
        bars = 1.96 * np.sqrt(share * (1 - share) / runs)
        label = f"{record['degrees']}°"
        _line_and_marks(ax, number, label, line, (record["simulated_at"], share), bars)
    ax.set(xlabel=TIME, ylabel="P(has fired)")
    ax.set_title("E  Time to fire, threshold 13.5")
    ax.legend(title="angle to the input", loc="center right", bbox_to_anchor=(1.0, 0.3))


def _variation(ax: Axes, record: Record) -> None:
    from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

    tau = record["tau"]
    bars = 1.96 * np.array(record["error"])
    _line_and_marks(ax, 0, "", (tau, record["theory"]), (tau, record["simulated"]), bars)
    ax.set(xscale="log", yscale="log", xlabel="τ (time units)", ylabel="√Var / E, steady state")
    ax.xaxis.set_major_locator(FixedLocator(tau))
    ax.yaxis.set_major_locator(FixedLocator([0.03, 0.05, 0.1, 0.15]))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(ScalarFormatter())
        axis.set_minor_formatter(NullFormatter())
    ax.set_title("F  Relative noise falls as 1/√τ")


@styled
def stdp_stability(data: Record) -> Figure:
    """The paper's figure oja, A and B, and what the two rules do to images."""
    figure = new_figure(11.6, 7.6)
    axes = figure.subplots(2, 3).ravel()
    for ax, rule, name in ((axes[0], "static", "Static offset"), (axes[1], "oja", "Offset = w")):
        _example(ax, data["example"], rule, name)
    _settled(axes[2], data["plane"])
    for ax, rule, name in ((axes[3], "static", "static offset"), (axes[4], "oja", "offset = w")):
        _changes(ax, data["plane"], rule, name)
    _images(axes[5], data["images"])
    return figure


def _example(ax: Axes, data: Record, rule: str, name: str) -> None:
    weights, target = np.array(data["weights"]), np.array(data["target"])
    offset, change = np.array(data["offset"][rule]), np.array(data["change"][rule])
    _quarter(ax)
    _arrow(ax, (0, 0), weights, BLACK)
    _arrow(ax, (0, 0), target, BLUE)
    if rule == "static":
        _arrow(ax, (0, 0), offset, GREY)
        _name(ax, offset, "offset", GREY, (4, 6))
    _arrow(ax, weights, weights + change, VERMILLION)
    _name(ax, weights, "w = offset" if rule == "oja" else "w", BLACK, (7, 2))
    _name(ax, target, "pre/τ", BLUE, (4, 6))
    _name(ax, weights + change / 2, "Δw", VERMILLION, (9, 0))
    ax.set_title(
        f"A  {name}:\n" + ("Δw leads away" if rule == "static" else "Δw leads to the target")
    )


def _changes(ax: Axes, records: list[Record], rule: str, name: str) -> None:
    _quarter(ax)
    for record in records[::2]:
        start = np.array([np.cos(np.radians(record["start"])), np.sin(np.radians(record["start"]))])
        ax.plot(*start, marker="o", color=BLACK, markersize=4)
        change = 4 * np.array(record[rule]["change"])
        if np.linalg.norm(change) > 0.01:
            _arrow(ax, start, start + change, VERMILLION)
    title = "changes, times 40" if rule == "static" else "nothing moves"
    ax.set_title(f"B  Starts that are their own targets,\n{name}: {title}")


def _settled(ax: Axes, records: list[Record]) -> None:
    starts = [record["start"] for record in records]
    looks = (("oja", "offset = w", BLUE, "o"), ("static", "static offset", VERMILLION, "s"))
    ax.plot([0, 90], [0, 90], color=PALE, linewidth=4, zorder=0, label="target")
    for rule, name, colour, marker in looks:
        ends = [record[rule]["settled"] for record in records]
        ax.plot(starts, ends, linestyle="none", color=colour, marker=marker, label=name)
    ax.set(xlabel="Start = target (degrees)", ylabel="After 5000 updates (degrees)")
    ax.set_xticks(range(0, 91, 15))
    ax.set_yticks(range(0, 91, 15))
    ax.set_title("B  Where starts that are their\nown targets settle")
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 0.06))


def _images(ax: Axes, data: Record) -> None:
    updates = np.array(data["updates"])
    for rule, name, colour, dashes in (
        ("oja", "offset = w", BLUE, DASHES[0]),
        ("static", "static offset", VERMILLION, DASHES[1]),
    ):
        record = data[rule]["astray"]
        ax.plot(updates, record["median"], color=colour, linestyle=dashes, marker="o", label=name)
        ax.fill_between(
            updates, record["low"], record["high"], color=colour, alpha=0.2, linewidth=0
        )
    left = f"{100 * data['static']['left']['median'][-1]:.0f} % of the weights are left"
    end = (updates[-1], data["static"]["astray"]["high"][-1])
    ax.annotate(left, end, xytext=(0, 6), textcoords="offset points", ha="right", fontsize=9)
    ax.set_xscale("symlog", linthresh=10)
    ax.set_xticks([0, 10, 100, 1000], ["0", "10", "100", "1000"])
    ax.set(xlabel="Updates, from the target on", ylabel="Degrees from the target", ylim=(-1, 32))
    ax.set_title(f"C  {data['images']} images of digits, each\nits own target (band: 90 %)")
    ax.legend(loc="center left")


def _quarter(ax: Axes) -> None:
    angle = np.linspace(0, np.pi / 2, 100)
    ax.plot(np.cos(angle), np.sin(angle), color=PALE, linewidth=1.2, zorder=0)
    ax.set(xlim=(-0.06, 1.32), ylim=(-0.12, 1.26), aspect="equal", xlabel="w₁", ylabel="w₂")
    ax.set_xticks([0, 0.5, 1])
    ax.set_yticks([0, 0.5, 1])


def _arrow(ax: Axes, start: Any, end: Any, colour: str) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=look)


def _name(ax: Axes, place: np.ndarray, text: str, colour: str, shift: tuple[float, float]) -> None:
    ax.annotate(
        text, tuple(place), xytext=shift, textcoords="offset points", color=colour, fontsize=9.5
    )


@styled
def thresholds(table: list[Record]) -> Figure:
    """Training accuracy over the threshold (dots: single seeds), the suggested one marked."""
    table = [row for row in table if row["sweep"]]
    cases = list(dict.fromkeys((row["dataset"], row["neurons"]) for row in table))
    columns = min(len(cases), 3)
    lines = -(-len(cases) // columns)
    figure = new_figure(3.3 * columns + 0.6, 3.1 * lines + 0.5)
    for place, (dataset, neurons) in enumerate(cases):
        ax = figure.add_subplot(lines, columns, place + 1)
        rows = [row for row in table if (row["dataset"], row["neurons"]) == (dataset, neurons)]
        for number, row in enumerate(rows):
            places = [point["threshold"] for point in row["sweep"]]
            values = [point["train"] for point in row["sweep"]]
            colour, marker = LINES[number], MARKERS[number]
            ax.plot(places, values, color=colour, marker=marker, label=row["preset"])
            for point in row["sweep"]:
                single = [point["threshold"]] * len(point["runs"])
                ax.plot(single, point["runs"], ".", color=colour, alpha=0.45, markersize=4)
        ax.axvline(rows[0]["suggested"], color=GREY, linestyle=DASHES[1], label="suggested")
        ax.set_title(f"{dataset}, {neurons} neurons", fontsize=10.5)
        ax.set_xlabel("Threshold (potential)")
        ax.grid(axis="y")
        if place % columns == 0:
            ax.set_ylabel("Training accuracy (%)")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


FIGURES: dict[str, tuple[str, str, Callable[[Any], Figure]]] = {
    "theory": ("theory/theory.json", "theory/theory", simulation_over_theory),
    "stdp-stability": ("theory/stdp_stability.json", "theory/stdp_stability", stdp_stability),
    "threshold": ("threshold/summary.json", "threshold/threshold", thresholds),
}
"""By study: its data, its figure without the ending, and how to draw it."""


def draw(name: str, folder: Path = RESULTS) -> list[Path]:
    """Draw a study's figure beside its data; the files."""
    source, target, make = FIGURES[name]
    figure = make(json.loads((folder / source).read_text()))
    return write_figure(figure, folder, target)


def main(folder: Path = RESULTS) -> int:
    """Draw every figure whose data are there."""
    for name, (source, _, _) in FIGURES.items():
        if (folder / source).exists():
            print(*draw(name, folder), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
