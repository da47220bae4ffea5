"""How good is :func:`lethenet.theory.suggest_threshold`? A sweep beside its answer.

Networks are trained over a range of thresholds (classes strictly in turn, one epoch, labels from all
training samples, as in the paper) and once more at the suggested one.

The best threshold of a sweep is the one with the highest training accuracy, as in the paper's Table 1. A
sweep cannot tell thresholds apart that differ less than its seeds do. With s² the variance over seeds
(pooled over the thresholds less than three points below the best; it grows beyond), a difference of two
means over n seeds has the standard error s √(2/n). Thresholds within two of these are as good as the best.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from lethenet.data import load
from lethenet.sweeps import Experiment, grid
from lethenet.theory import suggest_threshold

from ..texts import write_readme
from . import threshold_auto, threshold_few, threshold_held_out
from .sweeping import sweep
from .tables import Record, grouped, markdown, percents

PRESETS = ("paper", "annealed")
COST_SIZES = (400, 1600, 6400)
"""Sizes for which the time to suggest is measured, on MNIST."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A data set, a size, the thresholds to try, and with how many seeds."""

    dataset: str
    neurons: int
    thresholds: tuple[float, ...]
    seeds: int = 2


def steps(first: float, last: float, step: float) -> tuple[float, ...]:
    """Thresholds from the first to the last, both included.

    >>> steps(13.0, 14.0, 0.5)
    (13.0, 13.5, 14.0)
    """
    return tuple(first + step * number for number in range(round((last - first) / step) + 1))


CASES = (
    Case("digits", 100, steps(14, 17, 0.5)),
    Case("digits", 150, steps(14, 17, 0.5)),
    Case("mnist", 400, steps(12, 14, 0.25), seeds=1),
    Case("mnist", 1600, steps(13, 14.25, 0.25), seeds=1),
    Case("fashion-mnist", 400, steps(12, 15.5, 0.5), seeds=1),
)


@dataclass(frozen=True)
class Suggestion:
    """A suggested threshold, and the seconds that a processor spent on it."""

    threshold: float
    seconds: float


@cache
def suggest(dataset: str, neurons: int) -> Suggestion:
    """Ask for a threshold; no file keeps it, because its rule may change and it takes seconds."""
    X = load(dataset).X_train
    started = time.process_time()
    threshold = suggest_threshold(X, neurons)
    return Suggestion(threshold, round(time.process_time() - started, 1))


Suggestions = dict[Case, Suggestion]


def cells(suggestions: Suggestions, seeds: Iterable[int]) -> list[Experiment]:
    """The sweep of each case, its suggested threshold among it, with these of its seeds."""
    return [
        cell
        for case, suggestion in suggestions.items()
        for seed in seeds
        if seed < case.seeds
        for cell in grid(
            dataset=case.dataset,
            neurons=case.neurons,
            preset=PRESETS,
            threshold=[*case.thresholds, suggestion.threshold],
            seed=seed,
        )
    ]


def summary(records: Iterable[Record], suggestions: Suggestions) -> list[Row]:
    """One row per case and preset: the sweep, its best threshold, and the suggested one."""
    groups = grouped(
        records, lambda r: (r["config"]["dataset"], r["config"]["neurons"], r["preset"])
    )
    rows = []
    for case, suggestion in suggestions.items():
        for preset in PRESETS:
            runs = grouped(
                groups.get((case.dataset, case.neurons, preset), []),
                lambda r: float(r["config"]["parameters"]["threshold"]),
            )
            points = {threshold: _point(threshold, group) for threshold, group in runs.items()}
            swept = [points[threshold] for threshold in case.thresholds if threshold in points]
            wanted = {*case.thresholds, suggestion.threshold}
            best = max(swept, key=lambda point: point["train"], default=None)
            rows.append(
                {
                    "dataset": case.dataset,
                    "neurons": case.neurons,
                    "preset": preset,
                    "seeds": min((len(point["runs"]) for point in swept), default=0),
                    "missing": case.seeds * len(wanted) - sum(len(runs.get(t, [])) for t in wanted),
                    "sweep": swept,
                    "best": best,
                    "as_good": as_good_as_the_best(swept),
                    "suggested": suggestion.threshold,
                    "at_suggested": points.get(suggestion.threshold),
                }
            )
    return rows


def as_good_as_the_best(swept: list[Row]) -> list[float]:
    """Thresholds of the sweep that its seeds cannot tell from the best (see the top of this file).

    >>> def accuracies(*runs):
    ...     return {"threshold": runs[0], "train": mean(runs[1:]), "runs": runs[1:]}
    >>> as_good_as_the_best([accuracies(13.0, 89.9, 90.1), accuracies(13.5, 90.9, 91.1)])
    [13.5]
    >>> as_good_as_the_best([accuracies(13.0, 89.0, 91.0), accuracies(13.5, 90.0, 92.0)])
    [13.0, 13.5]
    """
    top = max((point["train"] for point in swept), default=0.0)
    near = [p for p in swept if top - p["train"] < 3.0]
    freedom = sum(len(p["runs"]) - 1 for p in near)
    if not freedom:
        return []
    pooled = sum((value - p["train"]) ** 2 for p in near for value in p["runs"]) / freedom
    n = min(len(p["runs"]) for p in near)
    return [p["threshold"] for p in near if top - p["train"] <= 2 * (2 * pooled / n) ** 0.5]


def _point(threshold: float, runs: list[Record]) -> Row:
    """Resources over the seeds, in percent."""
    train, test = (percents(runs, f"{part}_accuracy") for part in ("train", "test"))
    return {
        "threshold": threshold,
        "train": round(mean(train), 3),
        "test": round(mean(test), 3),
        "runs": [round(value, 3) for value in train],
    }


def table(rows: list[Row]) -> str:
    """The summary as Markdown."""
    lines = []
    for row in rows:
        best, at, good = row["best"], row["at_suggested"], row["as_good"]
        line: list[object] = [row["dataset"], row["neurons"], row["preset"], row["seeds"]]
        line += [f"{best['threshold']:g}" if best else "–"]
        line += [", ".join(f"{threshold:g}" for threshold in good) or "–", f"{row['suggested']:g}"]
        for part in ("train", "test"):
            line += [f"{point[part]:.2f}" if point else "–" for point in (best, at)]
        lines.append(line)
    header = ["data", "neurons", "preset", "seeds", "best of the sweep", "as good", "suggested"]
    header += ["train, best", "train, suggested", "test, best", "test, suggested"]
    return markdown(header, lines)


def write(
    folder: Path, records: Iterable[Record], suggestions: Suggestions, costs: dict[int, Suggestion]
) -> str:
    """Write the numbers of the figure, and the page; the page."""
    rows = summary(records, suggestions)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps(rows, indent=1) + "\n")
    times = markdown(
        ["neurons", "suggested", "processor seconds"],
        [[n, f"{cost.threshold:g}", f"{cost.seconds:.0f}"] for n, cost in costs.items()],
    )
    missing = sum(row["missing"] for row in rows)
    auto = threshold_auto.tables(folder)
    auto |= threshold_held_out.tables(folder) | threshold_few.tables(folder)
    return write_readme(
        folder, "threshold.md", missing=missing, table=table(rows), times=times, **auto
    )


def run(folder: Path, *, jobs: int = -1) -> None:
    """Run what is missing, by so many processes, and write the table."""
    suggestions = {case: suggest(case.dataset, case.neurons) for case in CASES}
    records: list[Record] = []
    for seed in range(max(case.seeds for case in CASES)):  # all cases once before the next seed
        records += sweep(cells(suggestions, [seed]), folder / "results.jsonl", jobs=jobs)
    for part in (threshold_held_out, threshold_few, threshold_auto):
        part.run(folder)
    write(folder, records, suggestions, {n: suggest("mnist", n) for n in COST_SIZES})
