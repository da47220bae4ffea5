"""Controlled forgetting beside the traditional network and k-means, in one protocol.

Every method learns full MNIST once, without labels: digits 0 to 9 strictly in turn, and interleaved. All
are read out alike: prototypes get the class that they answered to most among training samples (of the
classes met so far), then the test samples of these classes are classified.

A line of JSON per run is appended to ``results/comparison/results.jsonl``; running again does what is
missing for the networks as they behave now. The summary goes to README.md beside it; the figure is drawn
from the file by ``python -m lethenet_reproduction.figures.comparison``.

    python -m lethenet_reproduction.studies.comparison                                  # everything
    python -m lethenet_reproduction.studies.comparison --only traditional --neurons 400 # a part of it
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, disjoint, interleaved
from lethenet.estimators.readout import Readout
from lethenet.lifelong import measures

from .compared_methods import METHODS, Method, Order, one_blas_thread
from .comparison_summary import summary
from .learners import Learner
from .remembering import Record, flat_records, remembered

FOLDER = Path("results/comparison")

PLAN: dict[int, tuple[int, ...]] = {400: (0, 1, 2, 3, 4), 1600: (0,)}
"""Sizes and the seeds each is run with."""

LABEL_PER_CLASS = 1000
"""Training samples of each class that labels are assigned with before the end: ten looks at all of them
would take longer than learning. After the last task all of them are used."""


def measure(method: Method, data: Dataset, neurons: int, seed: int, order: Order) -> Record:
    """One run. Accuracies in percent; R as in :mod:`lethenet.lifelong.measures`, in percent too.

    Examples
    --------
    >>> from lethenet.data import load
    >>> line = measure(METHODS["minibatch-kmeans"], load("digits"), 30, seed=0, order="in turn")
    >>> len(line["accuracy_over_tasks"]), line["accuracy_over_tasks"][0], line["test"] > 60
    (10, 100.0, True)
    """
    tasks = disjoint(data.y_train) if order == "in turn" else interleaved(data.y_train, seed=seed)
    learner = method.make(neurons, data.n_features, seed)
    labels = np.array(data.classes)
    fewer = data.limited(train_per_class=LABEL_PER_CLASS)
    seconds = 0.0
    met: list[int] = []
    over_tasks: list[dict[str, float]] = []
    rows: list[list[float | None]] = []
    for task in tasks:
        started = time.process_time()
        with one_blas_thread():
            learner.learn(data.X_train[task.indices])
            seconds += time.process_time() - started
            met += task.classes
            confusions = look(
                learner, data if task is tasks[-1] else fewer, labels, met, method.readouts
            )
        over_tasks.append({name: _percent(c) for name, c in confusions.items()})
        recalls = 100 * measures.class_accuracies(confusions["dominant"])
        row = [round(float(recalls[np.searchsorted(labels, c)]), 3) for c in met]
        rows.append([*row, *[None] * (len(labels) - len(row))])
    line: Record = {
        "test": over_tasks[-1]["dominant"],
        "neurons_per_class": measures.neurons_per_class(learner.label_counts).tolist(),
        "learning_seconds": round(seconds, 1),
        "accuracy_over_tasks": [seen["dominant"] for seen in over_tasks],
    }
    if method.spiking:
        line["test_histogram"] = over_tasks[-1]["histogram"]
        line["accuracy_over_tasks_histogram"] = [seen["histogram"] for seen in over_tasks]
    if order == "in turn":
        R = measures.accuracy_matrix(rows)
        line["forgetting"] = round(measures.forgetting(R), 3)
        line["R"] = rows
    return line


def look(
    learner: Learner,
    data: Dataset,
    labels: np.ndarray,
    met: list[int],
    readouts: Sequence[Readout],
) -> dict[str, np.ndarray]:
    """Assign labels on the training samples of the classes met, then test on them: confusion matrices."""
    train, test = np.isin(data.y_train, met), np.isin(data.y_test, met)
    truth = np.searchsorted(labels, data.y_test[test])
    learner.assign(data.X_train[train], np.searchsorted(labels, data.y_train[train]), len(labels))
    winners = learner.winners(data.X_test[test])
    return {
        readout: measures.confusion_matrix(truth, learner.decide(winners, readout), len(labels))
        for readout in readouts
    }


def _percent(confusion: np.ndarray) -> float:
    return round(100 * measures.accuracy(confusion), 3)


def jobs(
    names: Sequence[str], plan: dict[int, tuple[int, ...]]
) -> list[tuple[Method, int, int, Order]]:
    """All runs of the study: small networks first, and all methods with one seed before the next seed.

    >>> len(jobs(["spherical-kmeans"], {400: (0, 1)}))
    2
    """
    return [
        (METHODS[name], neurons, seed, order)
        for neurons, seeds in plan.items()
        for seed in seeds
        for name in names
        if neurons in METHODS[name].sizes
        for order in METHODS[name].orders
        if seed == seeds[0] or METHODS[name].varies(order)
    ]


def run(
    data: Dataset, names: Sequence[str], plan: dict[int, tuple[int, ...]], folder: Path = FOLDER
) -> list[Record]:
    """Do what is missing of the study; returns all results. The summary is written after each run."""
    log = folder / "results.jsonl"
    behaviours: dict[tuple[str, int], str] = {}
    for method, neurons, seed, order in jobs(names, plan):
        kind = (method.name, neurons)
        if kind not in behaviours:
            behaviours[kind] = method.behaviour(neurons)
        place: dict[str, Any] = {
            "method": method.name,
            "neurons": neurons,
            "seed": seed,
            "order": order,
            "dataset": data.name,
            "behaviour": behaviours[kind],
        }
        remembered(log, place, partial(_titled, method, data, neurons, seed, order))
        write_summary(folder)
    return flat_records(log)


def _titled(method: Method, data: Dataset, neurons: int, seed: int, order: Order) -> Record:
    return {"title": method.title, **measure(method, data, neurons, seed, order)}


def write_summary(folder: Path = FOLDER) -> None:
    """Write README.md beside the results."""
    runs, trials = (flat_records(folder / name) for name in ("results.jsonl", "tuning.jsonl"))
    (folder / "README.md").write_text(summary(runs, trials))


def main(arguments: Sequence[str] = ()) -> int:
    """Run what is missing and write the summary."""
    from lethenet.data import load

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="METHOD",
        help="methods to run: " + ", ".join(METHODS),
    )  # fmt: skip
    parser.add_argument("--neurons", nargs="+", type=int, choices=list(PLAN), default=list(PLAN))
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the results")
    options = parser.parse_args(arguments)
    plan = {neurons: PLAN[neurons] for neurons in options.neurons}
    run(load("mnist"), options.only, plan, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
