"""Learning in few bits: the network in integers, as devices have it, beside floating point.

Digits in turn, one epoch, the annealed rule, through the generated C (bit for bit the integer reference).
Weights have 16, 8, 4 or 2 bits *while learning*: rounded stochastically, to nearest, or seen through few
bits with a 16-bit shadow to learn in. Beside it, networks that learned in floating point and were quantised
afterwards. Labels come from every sixth training sample, for all alike; votes are histograms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from lethenet.data import Dataset, disjoint, load
from lethenet.estimators.readout import count_labels, decide
from lethenet.interchange.c.host import HostNetwork
from lethenet.model import (
    Network,
    Parameters,
    as_bytes,
    initial_state,
    preset_parameters,
    quantise,
)

from ..texts import write_readme
from .remembering import remembered
from .tables import Record, markdown, mean_sd

SIZES = (100, 400)
SEEDS = range(5)
LABELLED_EVERY = 6
EDGE_THRESHOLDS = {100: 14.25, 400: 14.75}
"""For edges, from trials; a size without one has the preset's."""


class Way(NamedTuple):
    """How weights are kept: bits, how they are rounded, and whether only after learning."""

    bits: int
    rounding: str
    afterwards: bool = False

    @property
    def name(self) -> str:
        """As tables call it."""
        if self.bits == 32:
            return "float, 32 bits"
        how = "quantised after learning" if self.afterwards else self.rounding
        return f"{self.bits} bits, {how}"


FLOAT, EIGHT, SHADOW = Way(32, "none"), Way(8, "stochastic"), Way(4, "shadow")
AFTERWARDS = tuple(Way(bits, "nearest", True) for bits in (8, 4, 2))
WAYS = (
    FLOAT, Way(16, "nearest"), EIGHT, Way(8, "nearest"), SHADOW,
    Way(4, "stochastic"), Way(4, "nearest"), Way(2, "shadow"), Way(2, "stochastic"), *AFTERWARDS,
)  # fmt: skip
"""As the table has them."""


def jobs() -> Iterator[tuple[str, Way, int, int]]:
    """Input, way, neurons and seed: what decides first, what was tried besides with two seeds."""
    first, then = (FLOAT, EIGHT, SHADOW), (*AFTERWARDS, Way(2, "shadow"), Way(16, "nearest"))
    plan = [("pixels", first, 5), ("edges", first, 5), ("pixels", then, 5), ("edges", then[3:], 5)]
    rest = tuple(way for way in WAYS if way not in first + then)
    for inputs, ways, n_seeds in [*plan, ("edges", AFTERWARDS[1:2], 5), ("pixels", rest, 2)]:
        for way in ways:
            yield from ((inputs, way, n, seed) for n in SIZES for seed in SEEDS[:n_seeds])


@cache
def samples(inputs: str, dataset: str = "mnist") -> Dataset:
    """The data as bytes: pixels, or the edge layer's features."""
    data = load(dataset)
    if inputs == "pixels":
        return replace(data, X_train=as_bytes(data.X_train), X_test=as_bytes(data.X_test))
    from lethenet.layers import Edges

    layer = Edges()
    train, test = (as_bytes(layer.fit_transform(X)) for X in (data.X_train, data.X_test))
    return replace(data, X_train=train, X_test=test, image_shape=None)


def parameters_for(inputs: str, neurons: int) -> Parameters:
    """The annealed rule; edges have a threshold of their own."""
    p = preset_parameters("annealed", neurons)
    return p if inputs == "pixels" else replace(p, threshold=EDGE_THRESHOLDS[neurons])


@cache
def learned_in_float(inputs: str, neurons: int, seed: int, dataset: str = "mnist") -> Network:
    """A network that learned the classes in turn in floating point."""
    data = samples(inputs, dataset)
    state = initial_state(neurons, data.n_features, seed)
    network = Network(parameters_for(inputs, neurons), state)
    network.learn(in_turn(data))
    return network


def in_turn(data: Dataset) -> np.ndarray:
    """All training samples, a class after the other."""
    order = np.concatenate([task.indices for task in disjoint(data.y_train)])
    return np.asarray(data.X_train[order])


def compute(
    inputs: str, way: Way, neurons: int, seed: int, dataset: str = "mnist"
) -> dict[str, Any]:
    """Learn and test; accuracies of both votes.

    >>> found = compute("pixels", EIGHT, 20, 0, dataset="digits")
    >>> sorted(found)
    ['imprints', 'input_spikes', 'test_accuracy', 'test_accuracy_histogram']
    """
    data, cost = samples(inputs, dataset), {}
    recognise: Callable[[np.ndarray], Any]
    if way == FLOAT or way.afterwards:
        network = learned_in_float(inputs, neurons, seed, dataset)
        recognise = network.recognise
        if way.afterwards:
            recognise = HostNetwork(quantise(network, bits=way.bits), learning=False).recognise
    else:
        state = initial_state(neurons, data.n_features, seed)
        fresh = Network(parameters_for(inputs, neurons), state)
        host = HostNetwork(quantise(fresh, bits=way.bits, rounding=way.rounding))
        learned = host.learn(in_turn(data))
        cost = {
            "input_spikes": float(learned.input_spikes.mean()),
            "imprints": float(np.mean(learned.imprints >= 0)),
        }
        recognise = host.recognise
    y = np.searchsorted(data.classes, data.y_train[::LABELLED_EVERY])
    truth = np.searchsorted(data.classes, data.y_test)
    winners = recognise(data.X_train[::LABELLED_EVERY]).winners
    counts = count_labels(winners, y, neurons, len(data.classes))
    shown = recognise(data.X_test).winners
    right = {
        rule: float(np.mean(decide(shown, counts, np.bincount(y), rule) == truth))
        for rule in ("dominant", "histogram")
    }
    return {
        "test_accuracy": right["dominant"],
        "test_accuracy_histogram": right["histogram"],
        **cost,
    }


def records(folder: Path) -> list[Record]:
    """All networks, computed where they are missing."""
    found = []
    for inputs, way, neurons, seed in jobs():
        parameters = parameters_for(inputs, neurons)
        config = {
            "inputs": inputs, **way._asdict(), "neurons": neurons, "seed": seed,
            "labelled_every": LABELLED_EVERY, "parameters": asdict(parameters),
        }  # fmt: skip
        one = partial(compute, inputs, way, neurons, seed)
        found.append(remembered(folder / "results.jsonl", config, one, parameters=parameters))
    return found


def by_way(found: list[Record]) -> dict[tuple[str, int], dict[str, dict[int, float]]]:
    """Percent of test samples for each input and size, by way and seed."""
    groups: dict[tuple[str, int], dict[str, dict[int, float]]] = {}
    for record in sorted(
        found, key=lambda r: (r["config"]["inputs"] != "pixels", r["config"]["neurons"])
    ):
        config = record["config"]
        way = Way(*(config[name] for name in Way._fields))
        here = groups.setdefault((config["inputs"], config["neurons"]), {})
        value = 100 * record["results"]["test_accuracy_histogram"]
        here.setdefault(way.name, {})[config["seed"]] = value
    return groups


def table(found: list[Record]) -> str:
    """The summary as Markdown, with what is lost against floating point on the same seeds."""
    groups, rows = by_way(found), []
    for way in WAYS:
        row: list[object] = [way.name]
        for values in groups.values():
            here, whole = values.get(way.name, {}), values.get(FLOAT.name, {})
            changes = [here[seed] - whole[seed] for seed in here if seed in whole]
            loss = f" ({mean(changes):+.2f})" if changes and way != FLOAT else ""
            few = f", seeds: {len(here)}" if 0 < len(here) < len(SEEDS) else ""
            row.append(f"{mean_sd(list(here.values()))}{loss}{few}".replace("-", "−"))
        rows.append(row)
    header = [f"{inputs}, {neurons} neurons" for inputs, neurons in groups]
    return markdown(["weights", *header], rows)


def run(folder: Path) -> None:
    """Run what is missing and write the table."""
    write_readme(folder, "bits.md", table=table(records(folder)))
