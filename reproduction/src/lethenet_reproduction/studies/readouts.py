"""Read-outs compared: how many output spikes, which votes, and what a recognition costs.

One network per size (annealed rule, digits in turn, one epoch). A sample is recognised until n output
spikes, n from 1 to 20; votes are hard (a spike votes for its neuron's dominant class) or by histogram.
Beside them the read-out without noise: the neuron with the highest expected potential τ (w·λ) decides.
Cost is counted in synaptic operations: input spikes times neurons; for the expected potential, active
inputs times neurons (multiplications, which a spiking network does not have).
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, disjoint, load
from lethenet.estimators.readout import count_labels, decide
from lethenet.model import Network, initial_state, preset_parameters

from ..texts import write_readme
from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

SEEDS = {400: (0, 1, 2), 1600: (0,)}
"""Seeds for each size."""
OUTPUT_SPIKES = (1, 2, 3, 5, 8, 12, 20)
EXPECTED = "expected potential"


def compare(data: Dataset, preset: str, neurons: int, seed: int) -> dict[str, Any]:
    """Test accuracies and synaptic operations of each read-out.

    >>> found = compare(load("digits").limited(30, 10), "paper", neurons=60, seed=0)
    >>> sorted(found["expected potential"])
    ['accuracy', 'operations']
    """
    parameters = preset_parameters(preset, neurons)
    network = Network(parameters, initial_state(neurons, data.n_features, seed))
    network.learn(data.X_train[np.concatenate([t.indices for t in disjoint(data.y_train)])])
    labels = np.searchsorted(data.classes, data.y_train)
    truth = np.searchsorted(data.classes, data.y_test)
    shape = (neurons, len(data.classes))
    # A recognition with fewer output spikes is the beginning of one with more
    longest = replace(parameters, n_readout_spikes=max(OUTPUT_SPIKES))
    winners = Network(longest, network.state).recognise(data.X_train).winners
    results: dict[str, Any] = {}
    for n in OUTPUT_SPIKES:
        counts = count_labels(winners[:, :n], labels, *shape)
        brief = Network(replace(parameters, n_readout_spikes=n), network.state)
        shown = brief.recognise(data.X_test)
        for rule in ("dominant", "histogram"):
            guess = decide(shown.winners, counts, np.bincount(labels), rule)
            results[f"{n} spikes, {rule}"] = {
                "accuracy": float(np.mean(guess == truth)),
                "operations": float(shown.input_spikes.mean()) * neurons,
            }
    nearest = _highest_potential(data.X_train, network.state.weights)
    counts = count_labels(nearest[:, None], labels, *shape)
    chosen = _highest_potential(data.X_test, network.state.weights)
    guess = decide(chosen[:, None], counts, np.bincount(labels), "dominant")
    results[EXPECTED] = {
        "accuracy": float(np.mean(guess == truth)),
        "operations": float((data.X_test > 0).sum(axis=1).mean()) * neurons,
    }
    return results


def _highest_potential(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The neuron with the highest w·λ for each sample, a piece at a time."""
    pieces = [X[start : start + 4096] for start in range(0, len(X), 4096)]
    return np.concatenate(
        [np.argmax(piece.astype(np.float32) @ weights.T, axis=1) for piece in pieces]
    )


def records(folder: Path) -> list[Record]:
    """All comparisons, computed where they are missing."""
    data = load("mnist")
    found = []
    for neurons, seed in [(n, seed) for n, seeds in SEEDS.items() for seed in seeds]:
        parameters = preset_parameters("annealed", neurons)
        config = {"neurons": neurons, "seed": seed, "parameters": asdict(parameters)}
        compute = partial(compare, data, "annealed", neurons, seed)
        path = folder / "results.jsonl"
        found.append(remembered(path, config, compute, parameters=parameters))
    return found


def table(found: list[Record]) -> str:
    """The summary as Markdown."""
    rows = []
    for neurons, group in grouped(found, lambda r: int(r["config"]["neurons"])).items():
        for name in group[0]["results"]:
            measured = [r["results"][name] for r in group]
            rows.append(
                [
                    neurons,
                    name.replace("dominant", "hard votes").replace("histogram", "histogram votes"),
                    mean_sd([100 * one["accuracy"] for one in measured]),
                    f"{np.mean([one['operations'] for one in measured]):,.0f}",
                ]
            )
    return markdown(["neurons", "read-out", "test", "synaptic operations per sample"], rows)


def run(folder: Path) -> None:
    """Run what is missing and write the table."""
    write_readme(folder, "readouts.md", table=table(records(folder)))
