"""Controlled forgetting beside the traditional network and k-means, in one protocol.

Every method learns full MNIST once, without labels: digits 0 to 9 strictly in turn, and interleaved. All
are read out alike: prototypes get the class that they answered to most among training samples (of the
classes met so far), then the test samples of these classes are classified.

A line of JSON per run is appended to results.jsonl; running again does what is missing for the networks as
they behave now. ``lethenet study comparison`` does everything, and a part of it is done by

    python -m lethenet_reproduction.studies.comparison --only traditional --neurons 400
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

from lethenet.data import Dataset, Task, disjoint, interleaved
from lethenet.lifelong import measures, task_loop
from lethenet.lifelong.evaluation import Assessment, assess_tasks

from ..folders import RESULTS, folder_for
from .compared_methods import METHODS, Method, Order, one_blas_thread
from .comparison_summary import write_summary
from .remembering import flat_records, remembered
from .tables import Record

PLAN: dict[int, tuple[int, ...]] = {400: (0, 1, 2, 3, 4), 1600: (0,)}
"""Sizes and the seeds each is run with."""

LABEL_PER_CLASS = 1000
"""Training samples of each class that labels are assigned with before the end: ten looks at all of them
would take longer than learning. After the last task all of them are used."""


def measure(method: Method, data: Dataset, neurons: int, seed: int, order: Order) -> Record:
    """One run. Accuracies in percent; R as in :mod:`lethenet.lifelong.measures`, in percent too.

    >>> from lethenet.data import load
    >>> line = measure(METHODS["minibatch-kmeans"], load("digits"), 30, seed=0, order="in turn")
    >>> len(line["accuracy_over_tasks"]), line["accuracy_over_tasks"][0], line["test"] > 60
    (10, 100.0, True)
    """
    tasks = disjoint(data.y_train) if order == "in turn" else interleaved(data.y_train, seed=seed)
    learner = method.make(neurons, data.n_features, seed)
    n_classes = len(data.classes)

    def evaluate(met: list[Task]) -> Assessment:
        fewer = LABEL_PER_CLASS if len(met) < len(tasks) else None
        return assess_tasks(
            learner.winners, data, met, (neurons, n_classes), data.classes, label_per_class=fewer
        )

    with one_blas_thread():
        steps = list(
            task_loop(tasks, learner.learn, evaluate, X=data.X_train, clock=time.process_time)
        )
    looks = [step.outcome for step in steps if step.evaluated]
    line: Record = {
        "test": _percent(looks[-1].confusion),
        "neurons_per_class": measures.neurons_per_class(looks[-1].label_counts).tolist(),
        "learning_seconds": round(sum(s.seconds for s in steps if not s.evaluated), 1),
        "accuracy_over_tasks": [_percent(look.confusion) for look in looks],
    }
    if method.spiking:
        line["test_histogram"] = _percent(looks[-1].confusion_histogram)
        over_tasks = [_percent(look.confusion_histogram) for look in looks]
        line["accuracy_over_tasks_histogram"] = over_tasks
    if order == "in turn":
        rows = [_recalls(look.confusion, met) for met, look in enumerate(looks, 1)]
        line["forgetting"] = round(measures.forgetting(measures.accuracy_matrix(rows)), 3)
        line["R"] = rows
    return line


def _recalls(confusion: np.ndarray, met: int) -> list[float | None]:
    """The accuracy on each class met so far in percent; a task in turn is a class, in rising order."""
    recalls = 100 * measures.class_accuracies(confusion)
    known = [round(float(recall), 3) for recall in recalls[:met]]
    return [*known, *[None] * (len(confusion) - met)]


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


def run_part(
    data: Dataset, names: Sequence[str], plan: dict[int, tuple[int, ...]], folder: Path
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


def run(folder: Path) -> None:
    """Do what is missing of the whole study, and write its summary."""
    from lethenet.data import load

    run_part(load("mnist"), list(METHODS), PLAN, folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is missing of a part of the study."""
    from lethenet.data import load

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", choices=list(METHODS), default=list(METHODS), metavar="METHOD",
        help="methods to run: " + ", ".join(METHODS),
    )  # fmt: skip
    parser.add_argument("--neurons", nargs="+", type=int, choices=list(PLAN), default=list(PLAN))
    parser.add_argument("--out", type=Path, help="folder of the results")
    options = parser.parse_args(arguments)
    plan = {neurons: PLAN[neurons] for neurons in options.neurons}
    run_part(load("mnist"), options.only, plan, folder_for(options.out, RESULTS / "comparison"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
