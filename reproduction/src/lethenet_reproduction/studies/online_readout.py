"""A read-out that never looks back: label histograms that grow while samples come by.

Each neuron counts the labels of the labelled samples it fired for, and starts anew when it is imprinted.
Nothing that was learned is shown again. Compared with the paper's assignment, for which the whole
training set is recognised once more after learning; with all labels, and with few: only 100 or 10 samples
of each class bring theirs, evenly spread over the stream. A neuron without any label then borrows the
histogram of the labelled neuron most like it.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, disjoint, load
from lethenet.estimators.readout import borrow_labels, count_labels, count_labels_online, decide
from lethenet.model import Network, initial_state, preset_parameters

from ..texts import write_readme
from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

PRESET = "annealed"
SIZES = (400, 1600)
SEEDS = (0, 1, 2)
LABELS: dict[str, int | None] = {"all": None, "100 per class": 100, "10 per class": 10}


def labelled(y: np.ndarray, per_class: int | None) -> np.ndarray:
    """Which samples bring their label: a few of each class, evenly spread, or all.

    >>> labelled(np.array([0, 0, 1, 0]), 1)
    array([False,  True,  True, False])
    """
    if per_class is None:
        return np.ones(len(y), bool)
    chosen = np.zeros(len(y), bool)
    for label in np.unique(y):
        samples = np.flatnonzero(y == label)
        places = (np.arange(per_class) + 0.5) * len(samples) / per_class
        chosen[samples[places.astype(np.int64)]] = True
    return chosen


def compare(data: Dataset, preset: str, neurons: int, seed: int) -> dict[str, Any]:
    """Learn classes in turn; test accuracies of both read-outs for each number of labels.

    >>> found = compare(load("digits").limited(30, 10), "paper", neurons=60, seed=0)
    >>> sorted(found)[:2]
    ['assigned, 10 per class, dominant', 'assigned, 10 per class, histogram']
    """
    network = Network(
        preset_parameters(preset, neurons), initial_state(neurons, data.n_features, seed)
    )
    n_classes = len(data.classes)
    labels = np.searchsorted(data.classes, data.y_train)
    online = {name: np.zeros((neurons, n_classes), np.int64) for name in LABELS}
    chosen = {name: labelled(data.y_train, per_class) for name, per_class in LABELS.items()}
    order = np.concatenate([task.indices for task in disjoint(data.y_train)])
    learned = network.learn(data.X_train[order])
    for name, histograms in online.items():
        heard = np.where(chosen[name][order, None], learned.winners, -1)
        count_labels_online(histograms, heard, learned.imprints, labels[order])
    winners = network.recognise(data.X_train).winners
    shown = network.recognise(data.X_test).winners
    truth = np.searchsorted(data.classes, data.y_test)
    results = {}
    for name, part in chosen.items():
        again = count_labels(winners[part], labels[part], neurons, n_classes)
        for way, counts in (("online", online[name]), ("assigned", again)):
            full = borrow_labels(counts, network.state.weights)
            for rule in ("dominant", "histogram"):
                guess = decide(shown, full, np.bincount(labels), rule)
                results[f"{way}, {name}, {rule}"] = float(np.mean(guess == truth))
            results[f"{way}, {name}, labelled neurons"] = int(np.sum(counts.any(axis=1)))
    return results


def records(folder: Path) -> list[Record]:
    """All comparisons, computed where they are missing."""
    data = load("mnist")
    found = []
    for neurons, seed in product(SIZES, SEEDS):
        parameters = preset_parameters(PRESET, neurons)
        config = {
            "preset": PRESET,
            "labelled": "evenly spread",
            "neurons": neurons,
            "seed": seed,
            "parameters": asdict(parameters),
        }
        compute = partial(compare, data, PRESET, neurons, seed)
        path = folder / "results.jsonl"
        found.append(remembered(path, config, compute, parameters=parameters))
    return found


def table(found: list[Record]) -> str:
    """The summary as Markdown."""
    rows = []
    by_network = grouped(found, lambda r: (r["config"]["preset"], r["config"]["neurons"]))
    for (preset, neurons), group in by_network.items():
        for name in LABELS:
            row: list[object] = [preset, neurons, name]
            for rule in ("dominant", "histogram"):
                for way in ("online", "assigned"):
                    row.append(
                        mean_sd([100 * r["results"][f"{way}, {name}, {rule}"] for r in group])
                    )
            rows.append(row)
    header = ["preset", "neurons", "labels"]
    header += [
        "online, hard votes",
        "assigned, hard votes",
        "online, histogram",
        "assigned, histogram",
    ]
    return markdown(header, rows)


def run(folder: Path) -> None:
    """Run what is missing and write the table."""
    seeds = ", ".join(map(str, SEEDS))
    write_readme(folder, "online_readout.md", seeds=seeds, table=table(records(folder)))
