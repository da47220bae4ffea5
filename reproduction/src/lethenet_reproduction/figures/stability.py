"""The figure of the STDP rules' stability (the paper's figure oja)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lethenet.report.style import BLACK, BLUE, DASHES, GREY, PALE, VERMILLION, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Json = dict[str, Any]


def draw_stdp_stability(folder: Path) -> Figure:
    """The figure of what the study wrote into a folder."""
    return stdp_stability(json.loads((folder / "stdp_stability.json").read_text()))


@styled
def stdp_stability(data: Json) -> Figure:
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


def _example(ax: Axes, data: Json, rule: str, name: str) -> None:
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


def _changes(ax: Axes, records: list[Json], rule: str, name: str) -> None:
    _quarter(ax)
    for record in records[::2]:
        start = np.array([np.cos(np.radians(record["start"])), np.sin(np.radians(record["start"]))])
        ax.plot(*start, marker="o", color=BLACK, markersize=4)
        change = 4 * np.array(record[rule]["change"])
        if np.linalg.norm(change) > 0.01:
            _arrow(ax, start, start + change, VERMILLION)
    title = "changes, times 40" if rule == "static" else "nothing moves"
    ax.set_title(f"B  Starts that are their own targets,\n{name}: {title}")


def _settled(ax: Axes, records: list[Json]) -> None:
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


def _images(ax: Axes, data: Json) -> None:
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
