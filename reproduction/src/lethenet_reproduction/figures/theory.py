"""Figures of the theory studies: simulation over theory, and the suggested threshold beside sweeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lethenet.report.style import (
    BLUE,
    DASHES,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    VERMILLION,
    new_figure,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TIME = "Time t (time units)"
LINES = (BLUE, VERMILLION, GREEN, ORANGE)
Json = dict[str, Any]


def draw_theory(folder: Path) -> Figure:
    """The figure of what the study of the theory wrote into a folder."""
    return simulation_over_theory(json.loads((folder / "theory.json").read_text()))


def draw_threshold(folder: Path) -> Figure:
    """The figure of what the study of thresholds wrote into a folder."""
    return thresholds(json.loads((folder / "summary.json").read_text()))


@styled
def simulation_over_theory(data: Json) -> Figure:
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


def _moment(ax: Axes, data: Json, name: str, heading: str, label: str) -> None:
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


def _densities(ax: Axes, records: list[Json]) -> None:
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


def _firing(ax: Axes, records: list[Json]) -> None:
    for number, record in enumerate(records):
        middle = np.array(record["simulated"])
        bars = np.abs(np.array([record["low"], record["high"]]) - middle)
        line = (record["curve_degrees"], record["curve"])
        label = f"{record['threshold']:g}"
        _line_and_marks(ax, number, label, line, (record["degrees"], middle), bars)
    ax.set(xlabel="Angle to the input (degrees)", ylabel="P(fires within 200 time units)")
    ax.set_title("D  Firing in time")
    ax.legend(title="threshold", loc="lower left")


def _first_spikes(ax: Axes, records: list[Json], runs: int) -> None:
    for number, record in enumerate(records):
        share = np.array(record["simulated"])
        line = (record["durations"], record["probability"])
        bars = 1.96 * np.sqrt(share * (1 - share) / runs)
        label = f"{record['degrees']}°"
        _line_and_marks(ax, number, label, line, (record["simulated_at"], share), bars)
    ax.set(xlabel=TIME, ylabel="P(has fired)")
    ax.set_title("E  Time to fire, threshold 13.5")
    ax.legend(title="angle to the input", loc="center right", bbox_to_anchor=(1.0, 0.3))


def _variation(ax: Axes, record: Json) -> None:
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
def thresholds(table: list[Json]) -> Figure:
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
