"""What each part contributes: the paper's rule with one part taken out or changed.

Every ablation is a preset (:data:`lethenet.model.presets.ABLATIONS`). 400 neurons, digits strictly in
turn, one epoch, five seeds, with a look after each task.

    lethenet study ablations

appends to ``results/ablations/results.jsonl`` and writes a table beside it; ``lethenet study ablations``
draws the figure, too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import pstdev

from lethenet.model.presets import ABLATIONS
from lethenet.sweeps import Experiment as Cell
from lethenet.sweeps import grid

from .sweeping import Record, sweep
from .tables import grouped, markdown, percents, spread

FOLDER = Path("results/ablations")
NEURONS, SEEDS = 400, 5
LABEL_PER_CLASS = 1000
"""Training samples of each class that labels are assigned with: ten looks at all would take hours."""


READING = """
How each one comes about:

- `no-dopamine`: a new input makes nobody fire until the rates have been raised far enough; then the
  few neurons that answer to everything learn it. Most neurons never fire for a class of their own.
- `random-targets`: an imprint hits a neuron that is needed as often as one that is not.
- `no-raised-rate`: a forced spike moves the weights by the small rate only. The novelty is not
  learned in one shot, so nearly every sample is novel again (see the dopaminergic spikes per
  sample).
- `static-offset`: weights settle on what the input has above the offset, not on the input
  (results/theory has the figure).
- `no-normalisation`: weights below length one reach the threshold less and less, so nearly every
  sample is novel.
- `age`: dopamine takes the neuron that has not fired for longest, which while one digit is shown is
  one of another digit. Counting how often a neuron fired is what protects old digits.
- `half-inhibition`, `no-inhibition`: the others keep their potentials, so more than one neuron
  learns a sample.
- `carried-trace`: an imprint contains what is left of the sample before.
"""


def cells() -> list[Cell]:
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
                spread(percents(group, "test_accuracy")),
                spread(percents(group, "test_accuracy_histogram")),
                spread(percents(group, "forgetting")),
                spread(percents(group, "bwt")),
                spread([r["results"]["dopaminergic_spikes_per_sample"] for r in group], 3),
                spread([float(r["results"]["neurons_unlabelled"]) for r in group], 0),
                spread(owned, 1),
            ]
        )
    header = ["preset", "seeds", "test", "test, histogram votes", "forgetting", "BWT"]
    header += ["dopaminergic spikes per sample", "neurons without a class"]
    header += ["spread of neurons per class"]
    return markdown(header, rows)


def main() -> int:
    """Run what is missing and write the table."""
    records = sweep(cells(), FOLDER / "results.jsonl")
    text = (
        "# What each part contributes\n\nMade by `lethenet study ablations`: MNIST, "
        f"{NEURONS} neurons, digits strictly in turn, one epoch. Percent (points for forgetting and BWT), "
        "mean ± standard deviation over the seeds; labels are assigned "
        f"with {LABEL_PER_CLASS} training samples of each class. Forgetting = mean over tasks of the best "
        "accuracy a task ever had minus its last (Chaudhry); BWT = last minus the one right after the task "
        "(GEM). "
        "The last column is the standard deviation of the number of neurons per class over the ten "
        "classes.\n\n" + table(records) + "\n" + READING
    )
    (FOLDER / "README.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
