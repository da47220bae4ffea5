"""The comparison in words and tables: README.md beside its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

import numpy as np

from .remembering import Record
from .tables import grouped, markdown, spread

INTRODUCTION = """\
# Controlled forgetting beside the traditional network and k-means

Full MNIST, one epoch, no labels while learning. *In turn*: digits 0 to 9 strictly one after the other.
*Interleaved*: the same samples in random order. Test accuracy in percent, mean ± standard deviation over
the seeds; [results.jsonl](results.jsonl) has every run, with the accuracy after each task and the whole
matrix R. Made by `lethenet study comparison`; the figure alone by
`python -m lethenet_reproduction.figures.comparison`.

![Accuracy over tasks and at the end](comparison.png)

All methods see samples of length one, and all are read out alike: each prototype takes the class it
answered to most among the training samples (1000 of each class met before the end, all of them at the
end); a sample takes the class of the prototype that answers (networks: the majority of their output
spikes; *histogram*: each spike's vote split as its neuron's labels are).
"""

LEFT = """\
## What is left after ten tasks

*Left* is the accuracy in turn as a share of the accuracy with interleaved samples. *Early* and *late*
digits are those of the first and the last five tasks: percent recognised at the end, and how many
prototypes are labelled with one of them. The *worst* digit is the one recognised least, mean over the
seeds.

The traditional network does not just lose the early digits: the late ones, learned by neurons that
answered to something else before, are recognised no better, and the last digit holds far more prototypes
than its share. Interleaved, it is within a point or two of the others with 400 neurons, and two to three
points below them with 1600.
"""

NOTES = """\
## The methods and their settings

* **CFN**: the presets `annealed` and `paper` as they are; a network with the annealed rule is asked for
  ten output spikes, the others for five.
* **traditional network**: a layer in the manner of Diehl & Cook (adaptive thresholds, static-offset STDP
  with a soft bound, normalised weights, no dopamine) with the neurons and inputs of the CFN.
* **online k-means**: MacQueen's; prototypes start as the first samples of the stream, so in turn all of
  them start as zeros. The order of a stream in turn is fixed, so there is no spread.
* **MiniBatchKMeans.partial_fit**: scikit-learn's, batches in the order of the stream. It puts prototypes
  with few samples onto new ones, a controlled forgetting of its own kind.
* **spherical k-means, offline**: all samples at once, ten passes: a bound, not a competitor.

To keep the study within an hour of one core, 1600 has one seed.
"""

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


def summary(results: Sequence[Record], trials: Sequence[Record] = ()) -> str:
    """The page; ``trials`` are those of the search for settings.

    >>> line = {"method": "m", "title": "M", "neurons": 9, "seed": 0, "order": "in turn", "test": 88.0}
    >>> "| M | 1 | 88.00 | – | – | – | – |" in summary([line])
    True
    """
    latest = {(r["method"], r["neurons"], r["seed"], r["order"]): r for r in results}
    places = {title: place for place, title in enumerate(_titles(latest.values()))}
    in_order = sorted(latest.values(), key=lambda r: places[r["title"]])
    by_size = grouped(in_order, lambda r: int(r["neurons"]))
    parts = [INTRODUCTION]
    for neurons in sorted(by_size):
        by_method = grouped(by_size[neurons], lambda r: str(r["title"]))
        rows = [[title, *_cells(runs)] for title, runs in by_method.items()]
        parts += [f"## {neurons} neurons or prototypes\n", markdown(HEADER, rows) + "\n"]
    parts.append(
        "*Forgetting* is the mean loss of a class's accuracy since its best (Chaudhry 2018), in turn.\n"
    )
    parts += [LEFT, *[in_words(by_size[neurons]) for neurons in sorted(by_size)[:1]]]
    for neurons in sorted(by_size):
        by_method = grouped(by_size[neurons], lambda r: str(r["title"]))
        rows = [[title, *_left(runs)] for title, runs in by_method.items() if _left(runs)]
        if rows:
            parts += [f"{neurons} neurons or prototypes:\n", markdown(LEFT_HEADER, rows) + "\n"]
    parts.append(NOTES)
    if trials:
        parts.append(tuning_in_words(trials))
    return "\n".join(parts)


def _titles(runs: Iterable[Record]) -> list[str]:
    """All methods in the order in which they first come: the same in every table."""
    return list(dict.fromkeys(str(r["title"]) for r in runs))


def _cells(runs: list[Record]) -> list[str]:
    turn, mixed = _by_order(runs)
    return [
        str(len({r["seed"] for r in runs})),
        spread(_values(turn, "test")),
        spread(_values(mixed, "test")),
        spread(_values(turn, "test_histogram")),
        spread(_values(mixed, "test_histogram")),
        spread(_values(turn, "forgetting")),
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


def in_words(runs: Sequence[Record]) -> str:
    """What is left of each method of one size, a sentence each.

    >>> both = {"title": "M", "neurons": 9, "seed": 0, "neurons_per_class": [4, 5]}
    >>> turn = {**both, "order": "in turn", "test": 45.0, "R": [[100.0, None], [10.0, 80.0]]}
    >>> print(in_words([turn, {**both, "order": "interleaved", "test": 90.0}]))
    With 9 neurons or prototypes:
    <BLANKLINE>
    * M: 90.0 % interleaved, 45.0 % in turn, so 50 % is left; its worst digit is 0 with 10 %.
    <BLANKLINE>
    """
    sentences = []
    for title, group in grouped(runs, lambda r: str(r["title"])).items():
        turn, mixed = _by_order(group)
        if not _left(group):
            continue
        worst, recall = _worst(turn)
        sentences.append(
            f"* {title}: {mean(_values(mixed, 'test')):.1f} % interleaved, "
            f"{mean(_values(turn, 'test')):.1f} % in turn, so {_left(group)[0]} is left; "
            f"its worst digit is {worst} with {recall:.0f} %."
        )
    size = f"With {runs[0]['neurons']} neurons or prototypes:\n"
    return "\n".join([size, *sentences, ""])


def tuning_in_words(trials: Sequence[Record]) -> str:
    """How the settings were found, from the lines of the search.

    >>> trial = {"stage": "near", "neurons": 9, "held_out": 90.0, "parameters": {"theta_plus": 0.1}}
    >>> "| near | 9 | 1 | 90.00 |" in tuning_in_words([trial])
    True
    """
    spiking = [t for t in trials if "parameters" in t]
    stages = grouped(spiking, lambda t: (str(t["stage"]), int(t["neurons"])))
    rows = [
        [stage, neurons, len(group), f"{max(_values(group, 'held_out')):.2f}"]
        for (stage, neurons), group in stages.items()
    ]
    batches = {int(t["batch_size"]): float(t["held_out"]) for t in trials if "batch_size" in t}
    said = ", ".join(f"{size}: {accuracy:.2f} %" for size, accuracy in sorted(batches.items()))
    return "\n".join(
        [
            TUNING,
            markdown(["stage", "neurons", "settings tried", "best, held out"], rows),
            *([f"\nBatch sizes of MiniBatchKMeans, held out, in turn: {said}."] if batches else []),
            "",
        ]
    )


TUNING = """\
## How the settings were found

By `python -m lethenet_reproduction.studies.comparison_tuning`, on the training samples alone: the last 500 of each class
are held out and play the test set; all trials are in [tuning.jsonl](tuning.jsonl). The traditional network
was tuned where it is at its best, on *interleaved* data: random settings of all constants learn 12,000
samples (*broad*); the best of those whose thresholds do not run away learn the whole stream (*whole*); then
come random steps from the best so far (*near*). The winner is the setting `TRADITIONAL`, used in both
orders. In a layer four times as large a neuron fires four times less often; of six ways to make up for it
(*larger*) the best is to let each spike count four times as much, for the threshold and for the weights,
and that is used at 1600. MiniBatchKMeans got the batch size that is best *in turn*. The presets of the CFN
were tuned in turn, each in its own study, and online k-means has nothing to tune.
"""


def _by_order(runs: list[Record]) -> tuple[list[Record], list[Record]]:
    turn, mixed = ([r for r in runs if r["order"] == o] for o in ("in turn", "interleaved"))
    return turn, mixed


def _values(of: list[Record], name: str) -> list[float]:
    return [float(r[name]) for r in of if name in r]
