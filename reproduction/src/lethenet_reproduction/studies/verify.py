"""``make verify``: what a correct build shows on the full MNIST data.

Digits 0 to 9 strictly in turn, one epoch, labels assigned on the training set, then the test set. A line
of JSON per run is appended to accuracy.jsonl; running again does what is missing for the network as it
behaves now (:func:`behaviour`). README.md has mean and deviation over the seeds. Also one whole epoch with
and without the certificate, which must agree bit for bit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from lethenet.data import Dataset, Task, disjoint
from lethenet.lifelong import measures, task_loop
from lethenet.lifelong.evaluation import Assessment, assess_tasks, winners_of
from lethenet.model import PAPER, Network, Parameters, initial_state
from lethenet.model.network import CandidateRule
from lethenet.sweeps import NEUTRAL
from lethenet.sweeps.fingerprint import behaviour, sha256

from ..folders import RESULTS, folder_for
from ..texts import write_readme
from .tables import Record, markdown, mean_sd


@dataclass(frozen=True)
class Expectation:
    """Lowest acceptable mean accuracies (percent) of a size over its seeds."""

    neurons: int
    seeds: tuple[int, ...]
    train: float
    test: float | None


EXPECTATIONS = (
    Expectation(400, (0, 1, 2, 3, 4), 87.5, 88.0),
    Expectation(1600, (0, 1, 2, 3, 4), 91.5, None),
    Expectation(6400, (0,), 95.2, None),
)


def train_and_test(
    data: Dataset, parameters: Parameters, neurons: int, seed: int, threads: int = 2
) -> Record:
    """One lifelong run in the paper's protocol; accuracies in percent."""
    network = Network(parameters, initial_state(neurons, data.n_features, seed))
    tasks, shape = disjoint(data.y_train), (neurons, len(data.classes))

    def at_the_end(met: list[Task]) -> Assessment | None:
        if len(met) < len(tasks):
            return None
        return assess_tasks(winners_of(network, threads), data, met, shape, data.classes)

    steps = list(task_loop(tasks, network.learn, at_the_end, X=data.X_train))
    learned, last = [step for step in steps if not step.evaluated], steps[-1].outcome
    imprints = sum(int((step.outcome.imprints >= 0).sum()) for step in learned)
    fired = network.state.spike_counts + network.state.imprint_counts
    confusions = {
        "train": last.train_confusion,
        "test": last.confusion,
        "train_histogram": last.train_confusion_histogram,
        "test_histogram": last.confusion_histogram,
    }
    return {
        "neurons": neurons,
        "seed": seed,
        "dopaminergic_spikes_per_sample": round(imprints / len(data.y_train), 4),
        "unused_neurons": int((fired == 0).sum()),
        "learning_seconds": round(sum(step.seconds for step in learned), 1),
        "weights_sha256": sha256(network.state.weights),
        **{name: round(100 * measures.accuracy(c), 3) for name, c in confusions.items()},
    }


CHECK = "certified equals full simulation"


def certified_equals_full(data: Dataset, neurons: int = 400, seed: int = 0) -> Record:
    """One epoch with the certificate and one with all neurons: are all bits the same?"""
    order = np.concatenate([task.indices for task in disjoint(data.y_train)])
    outcomes = []
    rules: tuple[CandidateRule, ...] = ("certified", "all")
    for candidates in rules:
        state = initial_state(neurons, data.n_features, seed)
        network = Network(PAPER, state, candidates=candidates)
        learned = network.learn(data.X_train[order])
        seen = network.recognise(data.X_test, n_threads=2)
        outcomes.append(
            sha256(
                state.weights,
                state.usage,
                learned.winners,
                learned.durations,
                learned.input_spikes,
                seen.winners,
                seen.durations,
            )
        )
    return {
        "check": CHECK,
        "neurons": neurons,
        "presentations": len(order),
        "equal": outcomes[0] == outcomes[1],
        "sha256": outcomes[0],
    }


def run(folder: Path) -> bool:
    """Run what is missing and write the summary; whether every expectation is met."""
    from lethenet.data import load

    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "accuracy.jsonl"
    data = load("mnist")
    done = list(_read(log))
    key = {"behaviour": behaviour()[:16], "parameters": asdict(PAPER)}

    def add(result: Record) -> None:
        done.append({**result, **key})
        with log.open("a") as file:
            file.write(json.dumps(done[-1]) + "\n")

    for expectation in EXPECTATIONS:
        for seed in expectation.seeds:
            if not _find(done, key, neurons=expectation.neurons, seed=seed):
                add(train_and_test(data, PAPER, expectation.neurons, seed))
                print(_line(done[-1]), flush=True)
    if not _find(done, key, check=CHECK):
        add(certified_equals_full(data))
    results = _find(done, key)
    rows, met = zip(*(_row(expectation, results) for expectation in EXPECTATIONS), strict=True)
    checks = [r for r in results if "check" in r]
    header = ["neurons", "seeds", "train", "test", "test, histogram votes"]
    header += ["dopaminergic spikes per sample", "expected", "met"]
    table = markdown(header, rows)
    write_readme(folder, "verify.md", threshold=PAPER.threshold, table=table, checks=checks)
    return all(met) and all(r["equal"] for r in checks)


def _row(expectation: Expectation, results: list[Record]) -> tuple[list[object], bool]:
    """The line of a size, and whether it is as expected."""
    e = expectation
    mine = [r for r in results if r.get("neurons") == e.neurons and "seed" in r]
    values = {name: [float(r[name]) for r in mine] for name in _COLUMNS}
    met = mean(values["train"]) >= e.train and (e.test is None or mean(values["test"]) >= e.test)
    wanted = f"train ≥ {e.train}" + ("" if e.test is None else f", test ≥ {e.test}")
    numbers = [mean_sd(column) for column in values.values()]
    return [e.neurons, len(mine), *numbers, wanted, "yes" if met else "NO"], met


_COLUMNS = ("train", "test", "test_histogram", "dopaminergic_spikes_per_sample")


def _line(result: Record) -> str:
    return (
        f"{result['neurons']} neurons, seed {result['seed']}: train {result['train']} %, "
        f"test {result['test']} % (histogram votes {result['test_histogram']} %)"
    )


def _find(results: list[Record], key: Record, **more: Any) -> list[Record]:
    wanted = {**key, **more}
    return [r for r in results if all(r.get(name) == value for name, value in wanted.items())]


def _with_neutral_parameters(result: Record) -> Record:
    """A result with the parameters that the model got since, at the values that change nothing."""
    return {**result, "parameters": {**NEUTRAL, **result["parameters"]}}


def _read(log: Path) -> Iterator[Record]:
    if log.exists():
        for line in log.read_text().splitlines():
            yield _with_neutral_parameters(json.loads(line))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, write the summary, and return 1 if an expectation is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder of the results")
    folder = folder_for(parser.parse_args(arguments).out, RESULTS / "verify")
    return 0 if run(folder) else 1


if __name__ == "__main__":
    sys.exit(main())
