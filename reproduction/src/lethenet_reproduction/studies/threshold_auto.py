"""Is ``threshold="auto"`` as good as a sweep? One network per set, threshold and seed, classes in turn.

The annealed preset with 400 neurons learns the training samples, class after class (seed 0: rising, others:
in an order of their own), one epoch, no labels. Up to so many training samples of each class then give
labels, and the test samples are recognised with evidence votes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from lethenet.data import Dataset
from lethenet.estimators.readout import count_labels, decide
from lethenet.model import ANNEALED, Network, initial_state
from lethenet.theory.threshold import Suggestion, explained_threshold

from .remembering import flat_records, remembered
from .tables import Record, grouped, markdown
from .threshold_sets import FURTHER, MADE_WITH

NEURONS, SEEDS, LABELS_PER_CLASS = 400, 5, 500
STEP, REACH = 0.25, 4
"""The sweep: so many steps above and below the suggestion, rounded to a step, and further where the best
would lie at an end."""
FAR, FIRST = 0.015, 2
"""Places that lie so far below the best of the first seeds get no more seeds."""
FILE = "auto.jsonl"


def accuracy(data: Dataset, threshold: float, seed: int, neurons: int) -> dict[str, Any]:
    """What a network reaches, and how novel things were to it."""
    X, y = data.X_train, data.y_train
    classes = np.unique(y)
    order = np.random.default_rng(seed).permutation(classes) if seed else classes
    state = initial_state(neurons, X.shape[1], seed)
    network = Network(replace(ANNEALED, threshold=threshold), state)
    network.learn(X[np.concatenate([np.flatnonzero(y == c) for c in order])])
    rows = np.concatenate([np.flatnonzero(y == c)[:LABELS_PER_CLASS] for c in classes])
    numbers = np.searchsorted(classes, y[rows])
    counts = count_labels(network.recognise(X[rows]).winners, numbers, neurons, len(classes))
    winners = network.recognise(data.X_test).winners
    frequencies = np.bincount(np.searchsorted(classes, y), minlength=len(classes))
    guesses = classes[decide(winners, counts, frequencies, "evidence")]
    imprinted = state.imprint_counts > 0
    owners = np.bincount(counts[counts.any(axis=1)].argmax(axis=1), minlength=len(classes))
    return {
        "test": float(np.mean(guesses == data.y_test)),
        "novel": float(state.imprint_counts.sum() / state.n_presentations),
        "unused": float(np.mean(~imprinted & (state.spike_counts == 0))),
        "idle": float(np.mean(imprinted & (state.spikes_since_imprint == 0))),
        "largest_class": float(owners.max() / max(owners.sum(), 1)),
    }


def measured(path: Path, name: str, data: Dataset, threshold: float, seed: int) -> float:
    """The test accuracy, from the file if it is there."""
    parameters = replace(ANNEALED, threshold=threshold)
    config = {"set": name, "neurons": NEURONS, "threshold": threshold, "seed": seed}
    config |= {"labels_per_class": LABELS_PER_CLASS, "parameters": asdict(parameters)}
    found = remembered(
        path,
        config,
        lambda: accuracy(data, threshold, seed, NEURONS),
        parameters=parameters,
        quiet=True,
    )
    return float(found["results"]["test"])


def sweep(path: Path, name: str, data: Dataset, suggested: float, seeds: Iterable[int]) -> None:
    """Measure at the suggestion, around it, and on until the best is not at an end."""
    near = STEP * round(suggested / STEP)
    around = {near + STEP * step for step in range(-REACH, REACH + 1)}
    # where fewer seeds have led, or another suggestion: the best may lie there
    known = {r["threshold"] for r in flat_records(path) if r["set"] == name}
    places = sorted(around | {at for at in known if at % STEP == 0})
    numbers = list(seeds)
    if len(numbers) > FIRST:
        first = [mean(measured(path, name, data, at, s) for s in numbers[:FIRST]) for at in places]
        places = [at for at, value in zip(places, first, strict=True) if value >= max(first) - FAR]
    for threshold in (suggested, *places):
        for seed in numbers:
            measured(path, name, data, threshold, seed)
    while True:
        means = [mean(measured(path, name, data, at, s) for s in numbers) for at in places]
        best = places[int(np.argmax(means))]
        if best == places[-1]:
            places.append(best + STEP)
        elif best == places[0] > STEP:
            places.insert(0, best - STEP)
        else:
            return


def table(records: Iterable[Record], suggestions: dict[str, Suggestion]) -> str:
    """For each set the suggestion beside the best of its sweep, means over the seeds that both have."""
    by_set = grouped(records, lambda r: r["set"])
    lines = []
    for name, suggestion in suggestions.items():
        points = grouped(by_set.get(name, []), lambda r: r["threshold"])
        runs = {at: {r["seed"]: 100 * r["test"] for r in group} for at, group in points.items()}
        own = runs.get(suggestion.threshold, {})
        swept = {at: r for at, r in runs.items() if at % STEP == 0 and r.keys() >= own.keys()}
        if not own or not swept:
            continue
        means = {at: mean(r[seed] for seed in own) for at, r in swept.items()}
        best = max(means, key=lambda at: means[at])
        there = mean(own.values())
        line = [name, len(own), f"{suggestion.threshold:g}", f"{there:.2f}", f"{best:g}"]
        lines.append([*line, f"{means[best]:.2f}", f"{there - means[best]:+.2f}"])
    header = ["data", "seeds", "auto", "test at auto", "best of the sweep", "test at best"]
    return markdown([*header, "difference"], lines)


def tables(folder: Path) -> dict[str, str]:
    """The tables of the page: for sets that the rule was made with, and for others."""
    records = flat_records(folder / FILE)
    seeds = {
        name: len({r["seed"] for r in rs})
        for name, rs in grouped(records, lambda r: r["set"]).items()
    }
    done = set(seeds)
    left = [name for name in (*MADE_WITH, *FURTHER) if seeds.get(name, 0) < SEEDS]
    return {"left": ", ".join(left)} | {
        part: table(records, {name: suggest(load()) for name, load in sets.items() if name in done})
        for part, sets in (("made_with", MADE_WITH), ("further", FURTHER))
    }


def suggest(data: Dataset) -> Suggestion:
    """What ``threshold="auto"`` takes; no file keeps it, because its rule may change."""
    return explained_threshold(data.X_train, NEURONS, complete=True)


def run(folder: Path, names: Iterable[str] = (), n_seeds: int | None = None) -> None:
    """Measure what is missing, a seed after the other for all sets."""
    sets = {**MADE_WITH, **FURTHER}
    for seed in range(n_seeds or SEEDS):
        for name in names or sets:
            data = sets[name]()
            sweep(folder / FILE, name, data, suggest(data).threshold, range(seed + 1))
