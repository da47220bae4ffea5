"""The comparison as tables: README.md beside its results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from ..texts import discussion, markdown_page
from .compared_methods import METHODS
from .remembering import flat_records
from .tables import Record, grouped, markdown, mean_sd

HEADER = (
    "method",
    "seeds",
    "in turn",
    "interleaved",
    "in turn, histogram",
    "interleaved, histogram",
    "forgetting",
)

LEFT_HEADER = (
    "method",
    "left",
    "early digits",
    "late digits",
    "prototypes of early digits",
    "of late digits",
    "of the last digit",
    "worst digit",
)


def write_summary(folder: Path) -> None:
    """Write README.md beside the results."""
    runs, trials = (flat_records(folder / name) for name in ("results.jsonl", "tuning.jsonl"))
    (folder / "README.md").write_text(summary(runs, trials, discussion(folder)), "utf-8")


def summary(results: Sequence[Record], trials: Sequence[Record] = (), discussion: str = "") -> str:
    """The page; ``trials`` are those of the search for settings.

    >>> line = {"method": "m", "title": "M", "neurons": 9, "seed": 0, "order": "in turn", "test": 88.0}
    >>> "| M | 1 | 88.00 | – | – | – | – |" in summary([line])
    True
    """
    latest = {(r["method"], r["neurons"], r["seed"], r["order"]): r for r in results}
    known = [method.title for method in METHODS.values()]
    titles = dict.fromkeys([*known, *(str(r["title"]) for r in latest.values())])
    places = {title: place for place, title in enumerate(titles)}
    in_order = sorted(latest.values(), key=lambda r: places[r["title"]])
    sizes = []
    for neurons, runs in sorted(grouped(in_order, lambda r: int(r["neurons"])).items()):
        by_method = grouped(runs, lambda r: str(r["title"]))
        left = [[title, *_left(group)] for title, group in by_method.items() if _left(group)]
        accuracies = [[title, *_accuracies(group)] for title, group in by_method.items()]
        sizes.append(
            {
                "neurons": neurons,
                "accuracies": markdown(HEADER, accuracies),
                "left": markdown(LEFT_HEADER, left) if left else "",
            }
        )
    batches = {int(t["batch_size"]): float(t["held_out"]) for t in trials if "batch_size" in t}
    return markdown_page(
        "comparison.md",
        sizes=sizes,
        discussion=discussion,
        tuning=tuning_table(trials) if trials else "",
        batch_sizes=", ".join(f"{size}: {found:.2f} %" for size, found in sorted(batches.items())),
    )


def _accuracies(runs: list[Record]) -> list[str]:
    turn, mixed = _by_order(runs)
    return [
        str(len({r["seed"] for r in runs})),
        mean_sd(_values(turn, "test")),
        mean_sd(_values(mixed, "test")),
        mean_sd(_values(turn, "test_histogram")),
        mean_sd(_values(mixed, "test_histogram")),
        mean_sd(_values(turn, "forgetting")),
    ]


def _left(runs: list[Record]) -> list[str]:
    """What is left of a method after its tasks in turn; nothing if it was not run both ways."""
    turn, mixed = _by_order(runs)
    if not (turn and mixed) or any("R" not in r for r in turn):
        return []
    share = mean(_values(turn, "test")) / mean(_values(mixed, "test"))
    last = np.array([r["R"][-1] for r in turn], float)
    owned = np.array([r["neurons_per_class"] for r in turn], float)
    half = last.shape[1] // 2
    worst, recall = _worst(turn)
    return [
        f"{100 * share:.0f} %",
        f"{last[:, :half].mean():.1f}",
        f"{last[:, half:].mean():.1f}",
        f"{owned[:, :half].sum(axis=1).mean():.0f}",
        f"{owned[:, half:].sum(axis=1).mean():.0f}",
        f"{owned[:, -1].mean():.0f}",
        f"{worst}: {recall:.1f}",
    ]


def _worst(turn: list[Record]) -> tuple[int, float]:
    """The digit that is recognised least after the last task, and how often it is."""
    recalls = np.array([r["R"][-1] for r in turn], float).mean(axis=0)
    return int(recalls.argmin()), float(recalls.min())


def tuning_table(trials: Sequence[Record]) -> str:
    """How many settings each stage of the search tried, and the best of them.

    >>> trial = {"stage": "near", "neurons": 9, "held_out": 90.0, "parameters": {"theta_plus": 0.1}}
    >>> "| near | 9 | 1 | 90.00 |" in tuning_table([trial])
    True
    """
    spiking = [t for t in trials if "parameters" in t]
    stages = grouped(spiking, lambda t: (str(t["stage"]), int(t["neurons"])))
    rows = [
        [stage, neurons, len(group), f"{max(_values(group, 'held_out')):.2f}"]
        for (stage, neurons), group in stages.items()
    ]
    return markdown(["stage", "neurons", "settings tried", "best, held out"], rows)


def _by_order(runs: list[Record]) -> tuple[list[Record], list[Record]]:
    turn, mixed = ([r for r in runs if r["order"] == o] for o in ("in turn", "interleaved"))
    return turn, mixed


def _values(of: list[Record], name: str) -> list[float]:
    return [float(r[name]) for r in of if name in r]
