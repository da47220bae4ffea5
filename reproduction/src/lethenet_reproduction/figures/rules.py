"""Figures of the studies of learning rules: ablations, the annealed rule, changing worlds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING

from lethenet.model.presets import annealed_threshold, preset_parameters
from lethenet.report.style import (
    BLUE,
    GREY,
    ORANGE,
    PALE,
    VERMILLION,
    new_figure,
    series_style,
    styled,
)
from lethenet.sweeps import NEUTRAL, read_results

from ..published import SIZES, TEST_ACCURACY_6400
from ..studies import changing_world
from ..studies.tables import Record, grouped, percents

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def of_todays_presets(records: list[Record]) -> list[Record]:
    """Without the records of presets that had other values then; thresholds are free."""
    kept = []
    for record in records:
        config = record["config"]
        today = asdict(preset_parameters(record["preset"], config["neurons"]))
        then = {**NEUTRAL, **config["parameters"]}
        if {**then, "threshold": today["threshold"]} == today:
            kept.append(record)
    return kept


@styled
def draw_ablations(folder: Path) -> Figure:
    """Final accuracy, forgetting and neurons per class of each ablation."""
    from matplotlib.colors import to_rgb

    groups = grouped(
        of_todays_presets(read_results(folder / "results.jsonl")), lambda r: str(r["preset"])
    )
    names = sorted(
        groups, key=lambda n: (n != "paper", -mean(percents(groups[n], "test_accuracy")))
    )
    figure = new_figure(11, 0.42 * len(names) + 1.6)
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=(1, 1, 1.15))
    for axes, result, colour, label in (
        (left, "test_accuracy", BLUE, "test accuracy, %"),
        (middle, "forgetting", VERMILLION, "forgetting, points"),
    ):
        for place, name in enumerate(names):
            values = percents(groups[name], result)
            axes.barh(place, mean(values), color=colour if name == "paper" else PALE, height=0.7)
            axes.plot(values, [place] * len(values), "o", color=GREY, ms=3.5)
            axes.annotate(
                f"{mean(values):.1f}",
                (max(*values, 0.0), place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        axes.set_xlabel(label)
        axes.margins(x=0.15)
    for place, name in enumerate(names):
        owned = [list(r["results"]["neurons_per_class"].values()) for r in groups[name]]
        start = 0.0
        for number in range(len(owned[0])):
            width = mean(float(row[number]) for row in owned)
            colour = series_style(number).color
            right.barh(place, width, left=start, color=colour, alpha=0.85, height=0.7, lw=0)
            if width >= 14:
                middle = start + width / 2
                ink = "white" if sum(to_rgb(colour)) < 1.2 else "black"
                right.text(
                    middle, place, str(number), ha="center", va="center", fontsize=7.5, color=ink
                )
            start += width
    right.set_xlabel("neurons per class (0 to 9)")
    left.set_yticks(
        range(len(names)), [f"{name} (whole rule)" if name == "paper" else name for name in names]
    )
    left.invert_yaxis()
    return figure


@styled
def draw_annealed(folder: Path) -> Figure:
    """Test accuracy over size for the paper's rule, the annealed one and offline k-means."""
    figure = new_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2)
    groups = grouped(
        of_todays_presets(read_results(folder / "sizes.jsonl")),
        lambda r: (str(r["preset"]), int(r["config"]["neurons"])),
    )
    for number, (preset, label) in enumerate(
        (("annealed", "annealed rule"), ("paper", "paper's rule"))
    ):
        sizes = sorted(n for p, n in groups if p == preset)
        for result, votes, dash in (
            ("test_accuracy_histogram", "histogram votes", "solid"),
            ("test_accuracy", "hard votes", "dashed"),
        ):
            values = [percents(groups[preset, n], result) for n in sizes]
            left.errorbar(
                sizes,
                [mean(v) for v in values],
                [stdev(v) if len(v) > 1 else 0.0 for v in values],
                color=series_style(number).color,
                marker=series_style(number).marker,
                linestyle=dash,
                label=f"{label}, {votes}",
                capsize=2,
            )
    offline = {
        int(r["config"]["neurons"]): 100 * float(r["results"]["test_accuracy"])
        for r in (
            read_results(folder / "offline.jsonl") if (folder / "offline.jsonl").exists() else []
        )
    }
    if offline:
        left.plot(
            list(offline),
            list(offline.values()),
            "*",
            color=ORANGE,
            ms=9,
            label="spherical k-means, offline",
        )
    left.axhline(TEST_ACCURACY_6400, color=GREY, lw=1, ls=":")
    left.annotate(f"the paper, 6400: {TEST_ACCURACY_6400}", (395, 95.43), fontsize=8.5, color=GREY)
    left.set(xscale="log", xlabel="neurons", ylabel="test accuracy, % (one epoch, digits in turn)")
    left.set_xticks(SIZES, [str(n) for n in SIZES])
    left.minorticks_off()
    left.legend(loc="lower right")
    by_size = grouped(
        read_results(folder / "thresholds.jsonl"), lambda r: int(r["config"]["neurons"])
    )
    for number, (neurons, records) in enumerate(sorted(by_size.items())):
        points = grouped(records, lambda r: float(r["config"]["parameters"]["threshold"]))
        thresholds = sorted(points)
        heights = [mean(percents(points[t], "test_accuracy_histogram")) for t in thresholds]
        right.plot(thresholds, heights, **series_style(number)._asdict(), label=f"{neurons}")
        chosen = annealed_threshold(neurons)
        right.axvline(chosen, color=series_style(number).color, lw=0.8, alpha=0.35)
    right.set(xlabel="threshold (thin lines: chosen by the formula)", ylabel="held-out accuracy, %")
    right.legend(title="neurons", ncols=2, loc="lower right")
    return figure


@styled
def draw_changing_world(folder: Path) -> Figure:
    """Accuracy phase after phase in each world, for each rule."""
    groups = grouped(
        read_results(folder / "results.jsonl"),
        lambda r: (r["config"]["world"], r["config"]["rule"]),
    )
    figure = new_figure(13, 4.6)
    for axes, world in zip(figure.subplots(1, 3), changing_world.WORLDS, strict=True):
        for number, rule in enumerate(changing_world.RULES):
            lives = [r["results"] for r in groups.get((world, rule), [])]
            if lives:
                course = [
                    100 * mean(step)
                    for step in zip(*(life["accuracies"] for life in lives), strict=True)
                ]
                style = series_style(number)._asdict() | {"markersize": 3.5, "linewidth": 1.4}
                axes.plot(range(1, len(course) + 1), course, label=rule, **style)
        axes.set(title=world, xlabel="phase", ylabel="accuracy on all that is true now, %")
        if world == "looks change":
            axes.set_xticks([1, 2, 3], ["as they are", "turned", "inverted"])
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure
