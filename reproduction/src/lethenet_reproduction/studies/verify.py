"""``make verify``: what a correct build shows on the full MNIST data.

Digits 0 to 9 strictly in turn, one epoch, labels assigned on the training set, then the test set. A line
of JSON per run is appended to ``results/verify/accuracy.jsonl``; running again does what is missing for
the network as it behaves now (:func:`behaviour`). A summary with mean and spread goes to
``results/verify/README.md``. Also one whole epoch with and without the certificate, which must agree bit
for bit.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from lethenet.data import Dataset, disjoint
from lethenet.estimators.readout import count_labels, vote
from lethenet.model import PAPER, Network, Parameters, initial_state
from lethenet.model.network import CandidateRule
from lethenet.sweeps import NEUTRAL
from lethenet.sweeps.fingerprint import behaviour, sha256

from .tables import spread

FOLDER = Path("results/verify")


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
) -> dict[str, Any]:
    """One lifelong run in the paper's protocol; accuracies in percent."""
    network = Network(parameters, initial_state(neurons, data.n_features, seed))
    started = time.perf_counter()
    imprints = 0
    for task in disjoint(data.y_train):
        imprints += int((network.learn(data.X_train[task.indices]).imprints >= 0).sum())
    seconds = time.perf_counter() - started
    winners = network.recognise(data.X_train, n_threads=threads).winners
    counts = count_labels(winners, data.y_train, neurons, len(data.classes))
    shown = network.recognise(data.X_test, n_threads=threads).winners
    result: dict[str, Any] = {
        "neurons": neurons,
        "seed": seed,
        "dopaminergic_spikes_per_sample": round(imprints / len(data.y_train), 4),
        "unused_neurons": int(
            (network.state.spike_counts + network.state.imprint_counts == 0).sum()
        ),
        "learning_seconds": round(seconds, 1),
        "weights_sha256": sha256(network.state.weights),
    }
    for name in ("dominant", "histogram"):
        suffix = "" if name == "dominant" else "_histogram"
        for part, spikes, labels in (
            ("train", winners, data.y_train),
            ("test", shown, data.y_test),
        ):
            guess = vote(spikes, counts, name).argmax(axis=1)
            result[part + suffix] = round(100 * float(np.mean(guess == labels)), 3)
    return result


def certified_equals_full(data: Dataset, neurons: int = 400, seed: int = 0) -> dict[str, Any]:
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
        "check": "certified equals full simulation",
        "neurons": neurons,
        "presentations": len(order),
        "equal": outcomes[0] == outcomes[1],
        "sha256": outcomes[0],
    }


def main() -> int:
    """Run what is missing, write the summary, and return 1 if an expectation is not met."""
    from lethenet.data import load

    FOLDER.mkdir(parents=True, exist_ok=True)
    log = FOLDER / "accuracy.jsonl"
    data = load("mnist")
    done = list(_read(log))
    key = {"behaviour": behaviour()[:16], "parameters": asdict(PAPER)}
    for expectation in EXPECTATIONS:
        for seed in expectation.seeds:
            if not _find(done, key, neurons=expectation.neurons, seed=seed):
                result = {**train_and_test(data, PAPER, expectation.neurons, seed), **key}
                _append(log, result)
                done.append(result)
                print(_line(result), flush=True)
    if not _find(done, key, check="certified equals full simulation"):
        result = {**certified_equals_full(data), **key}
        _append(log, result)
        done.append(result)
    current = _find(done, key)
    summary, fine = _summary(current)
    (FOLDER / "README.md").write_text(summary)
    print(summary)
    return 0 if fine else 1


def _summary(results: list[dict[str, Any]]) -> tuple[str, bool]:
    lines = [
        "# Full MNIST, digits 0 to 9 strictly in turn, one epoch",
        "",
        "Made by `make verify` (`python -m lethenet_reproduction.studies.verify`) with the `paper` preset, threshold "
        f"{PAPER.threshold}. Percent, mean ± standard deviation over the seeds.",
        "",
        "| neurons | seeds | train | test | test, histogram votes | dopaminergic spikes per sample "
        "| expected | met |",
        "|---|---|---|---|---|---|---|---|",
    ]
    fine = True
    for e in EXPECTATIONS:
        rows = [r for r in results if r.get("neurons") == e.neurons and "seed" in r]
        columns = {
            name: [float(r[name]) for r in rows]
            for name in ("train", "test", "test_histogram", "dopaminergic_spikes_per_sample")
        }
        met = mean(columns["train"]) >= e.train and (
            e.test is None or mean(columns["test"]) >= e.test
        )
        fine &= met
        cells = [spread(v) for v in columns.values()]
        wanted = f"train ≥ {e.train}" + ("" if e.test is None else f", test ≥ {e.test}")
        lines.append(
            f"| {e.neurons} | {len(rows)} | {' | '.join(cells)} | {wanted} | {'yes' if met else 'NO'} |"
        )
    equal = [r for r in results if "check" in r]
    fine &= all(r["equal"] for r in equal)
    for r in equal:
        lines += [
            "",
            f"Certified and full simulation, {r['neurons']} neurons, {r['presentations']} learning "
            "presentations and the whole test set: "
            + ("equal bit for bit." if r["equal"] else "**DIFFERENT**."),
        ]
    return "\n".join(lines) + "\n", fine


def _line(result: dict[str, Any]) -> str:
    return (
        f"{result['neurons']} neurons, seed {result['seed']}: train {result['train']} %, "
        f"test {result['test']} % (histogram votes {result['test_histogram']} %)"
    )


def _find(results: list[dict[str, Any]], key: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    wanted = {**key, **more}
    return [r for r in results if all(r.get(name) == value for name, value in wanted.items())]


def _with_neutral_parameters(result: dict[str, Any]) -> dict[str, Any]:
    """A result with the parameters that the model got since, at the values that change nothing."""
    return {**result, "parameters": {**NEUTRAL, **result["parameters"]}}


def _read(log: Path) -> Iterator[dict[str, Any]]:
    if log.exists():
        for line in log.read_text().splitlines():
            yield _with_neutral_parameters(json.loads(line))


def _append(log: Path, result: dict[str, Any]) -> None:
    with log.open("a") as file:
        file.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    sys.exit(main())
