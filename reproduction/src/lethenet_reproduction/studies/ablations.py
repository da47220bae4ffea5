"""What each part contributes: the paper's rule with one part taken out or changed.

Every ablation is a preset (:data:`lethenet.model.presets.ABLATIONS`). 400 neurons, digits strictly in
turn, one epoch, five seeds, with a look after each task.
"""

from __future__ import annotations

from pathlib import Path
from statistics import pstdev

from lethenet.model.presets import ABLATIONS
from lethenet.sweeps import Experiment, grid

from ..texts import write_readme
from .sweeping import sweep
from .tables import Record, grouped, markdown, mean_sd, percents

NEURONS, SEEDS = 400, 5
LABEL_PER_CLASS = 1000
"""Training samples of each class that labels are assigned with: ten looks at all would take hours."""


def cells() -> list[Experiment]:
    """The paper's rule and each ablation, seed by seed."""
    presets = ["paper", *ABLATIONS]
    return grid(
        neurons=NEURONS,
        seed=range(SEEDS),
        preset=presets,
        evaluate="each task",
        label_per_class=LABEL_PER_CLASS,
    )


def table(records: list[Record]) -> str:
    """The summary as Markdown."""
    rows = []
    for preset, group in grouped(records, lambda r: str(r["preset"])).items():
        owned = [
            pstdev([float(n) for n in r["results"]["neurons_per_class"].values()]) for r in group
        ]
        rows.append(
            [
                preset,
                len(group),
                mean_sd(percents(group, "test_accuracy")),
                mean_sd(percents(group, "test_accuracy_histogram")),
                mean_sd(percents(group, "forgetting")),
                mean_sd(percents(group, "bwt")),
                mean_sd([r["results"]["dopaminergic_spikes_per_sample"] for r in group], 3),
                mean_sd([float(r["results"]["neurons_unlabelled"]) for r in group], 0),
                mean_sd(owned, 1),
            ]
        )
    header = ["preset", "seeds", "test", "test, histogram votes", "forgetting", "BWT"]
    header += ["dopaminergic spikes per sample", "neurons without a class"]
    header += ["spread of neurons per class"]
    return markdown(header, rows)


def run(folder: Path) -> None:
    """Run what is missing and write the table."""
    records = sweep(cells(), folder / "results.jsonl")
    write_readme(
        folder,
        "ablations.md",
        neurons=NEURONS,
        label_per_class=LABEL_PER_CLASS,
        table=table(records),
    )
