"""A changing world (the paper's future work): which dopaminergic rule for which world?

Three worlds (:mod:`lethenet.data.worlds`), 400 neurons, the annealed rule with different ways to weigh
what is useful: how often a neuron fired (frequency), when it fired last (age), mixes of the two, and
habituation, usage that fades with time. After each phase labels are assigned with samples of what is
true now, and two things are measured: the accuracy on all that is true now, and the accuracy weighted
by how often each class is met now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean

import numpy as np

from lethenet.data import Dataset, Phase, changing_looks, drifting, load, returning
from lethenet.lifelong import measures, task_loop
from lethenet.lifelong.evaluation import assess, winners_of
from lethenet.model import Network, Parameters, initial_state, preset_parameters

from ..texts import write_readme
from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

NEURONS = 400
SEEDS = (0,)
KNOWN_PER_CLASS, TEST_PER_CLASS = 300, 500
"""Samples of each class with which labels are assigned after a phase, and with which is tested."""

WORLDS: dict[str, Callable[..., Iterator[Phase]]] = {
    "classes come back": returning,
    "shares drift": drifting,
    "looks change": changing_looks,
}
RULES: dict[str, dict[str, float]] = {
    "frequency": {},
    "age 0.01": {"age_weight": 0.01},
    "age 0.1": {"age_weight": 0.1},
    "age": {"age_weight": 1.0},
    "habituation 1/20,000": {"habituation": 5e-5},
    "habituation 1/4,000": {"habituation": 2.5e-4},
}


def live(world: str, data: Dataset, parameters: Parameters, neurons: int, seed: int) -> Record:
    """Let a network live in a world; accuracies after each phase.

    >>> parameters = replace(preset_parameters("annealed", 40), threshold=15.0)
    >>> life = live("looks change", load("digits"), parameters, neurons=40, seed=0)
    >>> life["phases"], len(life["accuracies"])
    (['as they are', 'turned', 'inverted'], 3)
    """
    network = Network(parameters, initial_state(neurons, data.n_features, seed))
    names, imprints, accuracies, weighted = [], [], [], []

    def evaluate(met: list[Phase]) -> dict[int, float]:
        return _class_accuracies(network, met[-1], seed)

    for step in task_loop(WORLDS[world](data, seed=seed), network.learn, evaluate):
        if step.evaluated:
            shares = step.task.shares
            names.append(step.task.name)
            accuracies.append(mean(step.outcome.values()))
            weighted.append(sum(shares.get(c, 0.0) * right for c, right in step.outcome.items()))
        else:
            imprints.append(float(np.mean(step.outcome.imprints >= 0)))
    return {
        "phases": names,
        "accuracies": accuracies,
        "weighted": weighted,
        "dopaminergic_spikes_per_sample": imprints,
        "mean_accuracy": mean(accuracies),
        "mean_weighted": mean(weighted),
        "last_accuracy": accuracies[-1],
    }


def _class_accuracies(network: Network, phase: Phase, seed: int) -> dict[int, float]:
    """Accuracy (histogram votes) on each class that is true now."""
    classes = np.unique(phase.y_known)
    rng = np.random.default_rng(seed)
    places = [
        rng.permutation(np.flatnonzero(phase.y_known == c))[:KNOWN_PER_CLASS] for c in classes
    ]
    known, tested = np.concatenate(places), np.isin(phase.y_test, classes)
    assessment = assess(
        winners_of(network),
        (phase.X_known[known], np.searchsorted(classes, phase.y_known[known])),
        (phase.X_test[tested], np.searchsorted(classes, phase.y_test[tested])),
        (network.state.n_neurons, len(classes)),
    )
    right = measures.class_accuracies(assessment.confusion_histogram)
    return {int(label): float(share) for label, share in zip(classes, right, strict=True)}


def records(folder: Path) -> list[Record]:
    """All lives, computed where they are missing."""
    data = load("mnist").limited(test_per_class=TEST_PER_CLASS)
    base = preset_parameters("annealed", NEURONS)
    found = []
    for seed, world, (rule, changes) in product(SEEDS, WORLDS, RULES.items()):
        parameters = replace(base, **changes)
        config = {
            "world": world,
            "rule": rule,
            "neurons": NEURONS,
            "seed": seed,
            "known_per_class": KNOWN_PER_CLASS,
            "test_per_class": TEST_PER_CLASS,
            "parameters": asdict(parameters),
        }
        compute = partial(live, world, data, parameters, NEURONS, seed)
        path = folder / "results.jsonl"
        found.append(remembered(path, config, compute, parameters=parameters))
    return found


def table(found: list[Record]) -> str:
    """The summary as Markdown: one row per rule, two columns per world."""
    cells = grouped(found, lambda r: (r["config"]["rule"], r["config"]["world"]))
    header = ["rule"] + [f"{world}: {what}" for world in WORLDS for what in ("all", "met now")]
    rows = []
    for rule in RULES:
        row = [rule]
        for world in WORLDS:
            lives = cells.get((rule, world), [])
            for name in ("mean_accuracy", "mean_weighted"):
                row.append(mean_sd([100 * r["results"][name] for r in lives]))
        rows.append(row)
    return markdown(header, rows)


def run(folder: Path) -> None:
    """Run what is missing and write the table."""
    seeds = ", ".join(map(str, SEEDS))
    write_readme(
        folder, "changing_world.md", neurons=NEURONS, seeds=seeds, table=table(records(folder))
    )
