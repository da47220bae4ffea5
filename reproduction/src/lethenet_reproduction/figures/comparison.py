"""The figure of the comparison study, from its results file alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lethenet.report.figures.axes import accuracy_axis
from lethenet.report.style import HEADING, PALE, SeriesStyle, new_figure, series_style, styled

from ..studies.remembering import flat_records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Run = dict[str, Any]

DOTTED = (0, (1, 1.4))
GAP = 1.2
"""From the last task to the column of the interleaved levels, in tasks."""


def read_runs(path: Path) -> list[Run]:
    """The latest run of each method, size, seed and order in a results file.

    >>> import tempfile
    >>> from lethenet_reproduction.studies.remembering import remembered
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> place = {"method": "m", "neurons": 9, "seed": 0, "order": "in turn"}
    >>> _ = remembered(path, place, lambda: {"test": 88.0})
    >>> read_runs(path)[0]["test"]
    88.0
    """
    if not path.exists():
        raise ValueError(f"{path} does not exist: run `lethenet study comparison` first.")
    runs = flat_records(path)
    latest = {(r["method"], r["neurons"], r["seed"], r["order"]): r for r in runs}
    return list(latest.values())


def draw_comparison(folder: Path) -> Figure:
    """The figure of the results in a folder."""
    return comparison_figure(read_runs(folder / "results.jsonl"))


@styled
def comparison_figure(runs: Sequence[Run], sizes: Sequence[int] = (400, 1600)) -> Figure:
    """Accuracy after each task in turn, and beside it the level with interleaved samples; a panel per size.

    >>> run = {"method": "m", "title": "M", "neurons": 400, "seed": 0, "order": "in turn",
    ...        "test": 80.0, "accuracy_over_tasks": [100.0, 80.0]}
    >>> [ax.get_xlabel() for ax in comparison_figure([run], sizes=[400]).axes]
    ['Digits learned, in turn']
    """
    shown = [size for size in sizes if any(run["neurons"] == size for run in runs)]
    if not shown:
        raise ValueError(f"there are no runs of the sizes {list(sizes)} to draw.")
    titles = list(dict.fromkeys(run["title"] for run in runs))
    looks = {title: series_style(number) for number, title in enumerate(titles)}
    figure = new_figure(5.8 * len(shown) + 0.6, 5.6)
    panels = figure.subplots(1, len(shown), squeeze=False, sharey=True)[0]
    for ax, size in zip(panels, shown, strict=True):
        _draw_size(ax, [run for run in runs if run["neurons"] == size], looks)
        ax.set_title(f"{size} neurons or prototypes").set_gid(HEADING)
    accuracy_axis(panels[0], [value for run in runs for value in run["accuracy_over_tasks"]])
    panels[0].set_ylabel("Test accuracy on the digits met (%)")
    panels[0].legend(*_legend(panels), loc="lower left")
    return figure


def _draw_size(ax: Axes, runs: list[Run], looks: dict[str, SeriesStyle]) -> None:
    """Lines with the range over the seeds; hollow marks on dotted levels for interleaved samples."""
    n_tasks = max(len(run["accuracy_over_tasks"]) for run in runs)
    beside = n_tasks + GAP
    tasks = np.arange(1, n_tasks + 1)
    for title, look in looks.items():
        turn = np.array([r["accuracy_over_tasks"] for r in _runs(runs, title, "in turn")])
        mixed = [r["test"] for r in _runs(runs, title, "interleaved")]
        if len(turn):
            ax.fill_between(
                tasks, turn.min(axis=0), turn.max(axis=0), color=look.color, alpha=0.15, linewidth=0
            )
            ax.plot(tasks, turn.mean(axis=0), label=title, **look._asdict())
        if mixed:
            ends = (beside - 0.45, beside + 0.45) if len(turn) else (1, beside + 0.45)
            level = float(np.mean(mixed))
            ax.plot(ends, [level] * 2, color=look.color, linestyle=DOTTED, linewidth=1.4)
            ax.plot(
                [beside],
                [level],
                label=None if len(turn) else title,
                color=look.color,
                marker=look.marker,
                linestyle=DOTTED,
                markerfacecolor="white",
                markeredgewidth=1.4,
            )
    ax.axvline(n_tasks + GAP / 2, color=PALE, linewidth=1)
    ax.set_xticks([*tasks, beside], [*map(str, tasks), "inter-\nleaved"])
    ax.set_xlim(0.6, beside + 0.8)
    ax.set_xlabel("Digits learned, in turn")
    ax.grid(axis="y")


def _legend(panels: Sequence[Axes]) -> tuple[list[Any], list[str]]:
    """Each method once, whichever panel it is in."""
    named: dict[str, Any] = {}
    for ax in panels:
        handles, labels = ax.get_legend_handles_labels()
        named |= {
            label: handle
            for label, handle in zip(labels, handles, strict=True)
            if label not in named
        }
    return list(named.values()), list(named)


def _runs(runs: Sequence[Run], title: str, order: str) -> list[Run]:
    return [run for run in runs if run["title"] == title and run["order"] == order]
