"""Does an Avalanche benchmark give the same R as our own split of the same samples? `make avalanche`.

Benchmarks with two classes in each experience are made by Avalanche from local arrays (digits, and MNIST's
first 1,000 samples of each class), and go through `lethenet.lifelong.run` beside `lethenet.data.split`.
Writes results/avalanche, and fails if an entry of R differs.
"""

import json
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import stubs

MISSING = stubs.install()

import torch  # noqa: E402
from avalanche.benchmarks import (  # noqa: E402
    benchmark_from_datasets,
    class_incremental_benchmark,
)
from avalanche.benchmarks.utils import as_classification_dataset  # noqa: E402

from lethenet import ControlledForgettingNetwork  # noqa: E402
from lethenet.baselines import OnlineKMeans, StreamingLDA  # noqa: E402
from lethenet.data import disjoint, load, split  # noqa: E402
from lethenet.lifelong import run  # noqa: E402

RESULTS = Path(__file__).resolve().parents[2] / "results" / "avalanche"
LEARNERS = {
    "network, 100 neurons": lambda threshold: ControlledForgettingNetwork.from_preset(
        "annealed", n_neurons=100, threshold=threshold, random_state=0
    ),
    "online k-means, 100 prototypes": lambda threshold: OnlineKMeans(100),
    "streaming LDA": lambda threshold: StreamingLDA(),
}
CASES = {"digits": (None, 15.5), "mnist": (1000, 13.0)}
"""Training samples of each class that are taken, and the network's threshold."""


class Arrays(torch.utils.data.Dataset):
    def __init__(self, X, y):
        self.X, self.targets = torch.from_numpy(X), y.tolist()

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, row):
        return self.X[row], self.targets[row]


def as_avalanche(X, y):
    return as_classification_dataset(Arrays(X, y))


def from_datasets(data, tasks):
    """Avalanche's benchmark of ready-made parts, each task's samples in the order in which we show them."""
    tested = [np.isin(data.y_test, task.classes) for task in tasks]
    return benchmark_from_datasets(
        train=[as_avalanche(data.X_train[t.indices], data.y_train[t.indices]) for t in tasks],
        test=[as_avalanche(data.X_test[own], data.y_test[own]) for own in tested],
    )


def class_incremental(data, tasks):
    """Avalanche's own split of whole data sets: within an experience, class after class."""
    parts = {
        "train": as_avalanche(data.X_train, data.y_train),
        "test": as_avalanche(data.X_test, data.y_test),
    }
    order = [label for task in tasks for label in task.classes]
    return class_incremental_benchmark(parts, class_order=order, num_experiences=len(tasks))


def class_after_class(y):
    """Our split with each task's samples class after class, too, the last class first as there."""
    rows = {task.classes[0]: task.indices for task in disjoint(y)}
    return [
        replace(task, indices=np.concatenate([rows[c] for c in reversed(task.classes)]))
        for task in split(y)
    ]


BENCHMARKS = {
    "benchmark_from_datasets": (from_datasets, split),
    "class_incremental_benchmark": (class_incremental, class_after_class),
}


def main():
    found = []
    for name, (per_class, threshold) in CASES.items():
        data = load(name).limited(train_per_class=per_class)
        for kind, (theirs, tasks) in BENCHMARKS.items():
            made = tasks(data.y_train)
            benchmark = theirs(data, made)
            for title, make in LEARNERS.items():
                ours = run((data, made), make(threshold), name=name)
                avalanche = run(benchmark, make(threshold), name=name)
                same = bool(np.array_equal(ours.R, avalanche.R, equal_nan=True))
                line = {"data": name, "benchmark": kind, "learner": title, "same": same}
                for key, result in (("ours", ours), ("avalanche", avalanche)):
                    line[key] = {
                        "R": [e["task_accuracy"] for e in result.evaluations],
                        "acc": result.average_accuracy,
                        "bwt": result.backward_transfer,
                        "forgetting": result.forgetting,
                    }
                found.append(line)
                print(name, kind, title, "same R" if same else "R DIFFERS")
    versions = {package: version(package) for package in ("avalanche-lib", "torch", "lethenet")}
    RESULTS.mkdir(parents=True, exist_ok=True)
    document = {"versions": versions, "stand_ins": list(MISSING), "results": found}
    (RESULTS / "results.json").write_text(json.dumps(document, indent=1) + "\n")
    (RESULTS / "README.md").write_text(page(document))
    return 0 if all(line["same"] for line in found) else 1


def page(document):
    rows = [
        f"| {r['data']} | `{r['benchmark']}` | {r['learner']} | {'yes' if r['same'] else '**no**'} | "
        + " | ".join(f"{100 * r['ours'][name]:.2f}" for name in ("acc", "bwt", "forgetting"))
        + " |"
        for r in document["results"]
    ]
    versions = ", ".join(f"{name} {number}" for name, number in document["versions"].items())
    return PAGE.format(
        rows="\n".join(rows),
        versions=versions,
        stand_ins=", ".join(document["stand_ins"]) or "nothing",
    )


PAGE = """# Avalanche benchmarks, and our own split

Made by `make avalanche`. Benchmarks that Avalanche makes from local arrays (digits; MNIST, 1,000 training
samples of each class), two classes in each of five experiences, go through `lethenet.lifelong.run` beside
`lethenet.data.split` of the same samples. Avalanche's own `class_incremental_benchmark` shows an experience
class after class, its last class first; there our tasks do so, too. All entries of R are compared for
equality; they are in `results.json`. In percent and points:

| data | benchmark | learner | same R | ACC | BWT | forgetting |
|---|---|---|---|---|---|---|
{rows}

{versions}. avalanche-lib is installed without its dependencies; stand-ins for {stand_ins}
let it be imported, and fail if they are called (`benchmarks/avalanche/stubs.py`).
"""


if __name__ == "__main__":
    sys.exit(main())
