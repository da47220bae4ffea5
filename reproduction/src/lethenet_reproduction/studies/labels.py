"""How few labels suffice: links between neurons, labels that spread over them, and asking.

A network learns classes strictly in turn, one epoch, no labels. Then labels come: of samples drawn at
random, so many of each class, or of neurons that it asks for and that are named by their dominant class.
They spread over links made while learning or, to compare, by frozen recognition of every fourth sample; or
a neuron without labels borrows those of the labelled neuron most like it, as before there were links.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import load
from lethenet.estimators.asking import neurons_to_ask
from lethenet.estimators.readout import borrow_labels, count_labels, decide
from lethenet.estimators.spreading import POWER, link_matrix, spread, with_spread_labels
from lethenet.layers import Edges, Patches
from lethenet.model import ANNEALED, Network, Parameters, initial_state, preset_parameters
from lethenet.model.links import link_winners

from ..texts import write_readme
from . import labels_baselines as baselines
from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

PER_CLASS = (1, 2, 3, 5, 10, 30, 100)
ASKED = (10, 15, 20, 30, 50, 100)
DRAWS = 10
WRONG = (0.1, 0.2)
LINKS, ALPHA, READOUT = 16, 0.97, "evidence"
HELD_OUT = 10_000
"""Training samples, the last ones, on which constants are chosen."""
THRESHOLDS = {("edges", 400): 14.75, ("edges", 1600): 15.0, ("patches", 400): 14.2}
THRESHOLDS |= {("patches", 1600): 14.2}
_LAYERS: dict[str, Callable[[], Any]] = {
    "edges": lambda: Edges(image_shape=(28, 28)),
    "patches": lambda: Patches(image_shape=(28, 28)),
}


@dataclass(frozen=True)
class Case:
    """One network that learns; the seed decides on the order of classes, too (0: rising)."""

    dataset: str
    layer: str
    neurons: int
    seed: int
    held_out: bool = False
    links: int = LINKS

    @property
    def parameters(self) -> Parameters:
        """The annealed rule, at the threshold for this layer and size."""
        if self.layer == "pixels":
            return replace(preset_parameters("annealed", self.neurons), links=self.links)
        threshold = THRESHOLDS[self.layer, self.neurons]
        return replace(ANNEALED, threshold=threshold, links=self.links)

    @property
    def config(self) -> dict[str, Any]:
        """What decides its results."""
        constants = {"features": layer_settings(self.layer), "parameters": asdict(self.parameters)}
        return {**asdict(self), **constants}


def layer_settings(layer: str) -> dict[str, Any]:
    """The parameters of a first layer."""
    settings = _LAYERS[layer]().get_params() if layer in _LAYERS else {}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}


CASES = [
    *(Case("mnist", "edges", 400, seed) for seed in range(5)),
    *(Case("mnist", "pixels", 1600, seed) for seed in range(3)),
    *(Case("mnist", "pixels", 400, seed) for seed in range(3)),
    *(Case("fashion-mnist", "edges", 400, seed) for seed in range(3)),
    Case("fashion-mnist", "pixels", 400, 0),
    *(Case("mnist", "edges", 1600, seed) for seed in range(3)),
    *(Case("mnist", "patches", 400, seed) for seed in range(3)),
    Case("mnist", "patches", 1600, 0),
]
CHOICES = [Case("mnist", "edges", 400, seed, True, n) for n in (16, 8, 24) for seed in range(2)]


def features(dataset: str, layer: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training samples and labels, test samples and labels, behind a first layer."""
    data = load(dataset)
    if layer == "pixels":
        return data.X_train, data.y_train, data.X_test, data.y_test
    first = _LAYERS[layer]().fit(data.X_train[data.y_train == 0])  # one class is all it learns from
    return first.transform(data.X_train), data.y_train, first.transform(data.X_test), data.y_test


class Learned:
    """A network that has learned without labels, and how its neurons answer."""

    def __init__(self, case: Case, kept: dict[tuple[str, str], Any]) -> None:
        key = (case.dataset, case.layer)
        if key not in kept:
            kept.clear()  # one set of features at a time fits into memory
            kept[key] = features(*key)
        X, y, X_test, y_test = kept[key]
        if case.held_out:
            X, y, X_test, y_test = X[:-HELD_OUT], y[:-HELD_OUT], X[-HELD_OUT:], y[-HELD_OUT:]
        order = np.unique(y)
        order = np.random.default_rng(case.seed).permutation(order) if case.seed else order
        network = Network(case.parameters, initial_state(case.neurons, X.shape[1], case.seed))
        network.learn(X[np.concatenate([np.flatnonzero(y == c) for c in order])])
        self.state, self.y, self.y_test = network.state, y, y_test
        self.winners = network.recognise(X).winners
        self.shown = network.recognise(X_test).winners
        self.shape = case.neurons, len(order)
        self.truth = count_labels(self.winners, y, *self.shape)

    def links(self, power: float = POWER) -> Any:
        """Links made while learning."""
        return link_matrix(self.state.link_partners, self.state.link_counts, power)

    def frozen_links(self) -> Any:
        """Links that the same rule makes of recognising every fourth sample again."""
        partners = np.full_like(self.state.link_partners, -1)
        counts = np.zeros_like(self.state.link_counts)
        for fired in self.winners[::4]:
            link_winners(partners, counts, fired.tolist(), int((fired >= 0).sum()), -1)
        return link_matrix(partners, counts)

    def accuracy(self, histograms: np.ndarray) -> float:
        """The share of test samples that the read-out decides rightly."""
        guesses = decide(self.shown, histograms, np.ones(self.shape[1]), READOUT)
        return float(np.mean(guesses == self.y_test))

    def spread(self, links: Any, counts: np.ndarray, alpha: float = ALPHA) -> float:
        """Accuracy with these labels, spread."""
        return self.accuracy(with_spread_labels(counts, spread(links, counts, alpha)))

    def drawn(self, per_class: int, wrong: float = 0.0) -> Iterator[np.ndarray]:
        """Label counts of the neurons for each draw of labelled samples."""
        for chosen, labels in draws(self.y, per_class, wrong):
            yield count_labels(self.winners[chosen], labels, *self.shape)

    def asked(self, links: Any, n: int, alpha: float = ALPHA) -> np.ndarray:
        """Label counts after n neurons were named."""
        nobody = np.zeros(self.shape[0], bool)
        spikes = self.state.spikes_since_imprint
        neurons = neurons_to_ask(links, spikes, 0.0 * spikes, nobody, nobody, alpha=alpha, n=n)
        counts = np.zeros(self.shape, np.int64)
        counts[neurons, self.truth[neurons].argmax(axis=1)] = 10
        return counts


def draws(y: np.ndarray, per_class: int, wrong: float = 0.0) -> Iterator[tuple[Any, Any]]:
    """Samples with their labels, so many of each class, some labels wrong; always the same draws.

    >>> y = np.repeat([0, 1, 2], 9)
    >>> [labels.tolist() for chosen, labels in draws(y, 2)][0]
    [0, 0, 1, 1, 2, 2]
    """
    n_classes = int(y.max()) + 1
    for draw in range(DRAWS):
        rng = np.random.default_rng([draw, per_class])
        chosen = np.concatenate(
            [rng.choice(np.flatnonzero(y == c), per_class, replace=False) for c in range(n_classes)]
        )
        shift = rng.integers(1, n_classes, len(chosen)) * (rng.random(len(chosen)) < wrong)
        yield chosen, (y[chosen] + shift) % n_classes


def compare(learned: Learned) -> dict[str, Any]:
    """Accuracies of every way to label, for every number of labels."""
    links, frozen, weights = learned.links(), learned.frozen_links(), learned.state.weights
    found: dict[str, Any] = {}
    for n in PER_CLASS:
        counts = list(learned.drawn(n))
        found[f"random, {n}"] = [learned.spread(links, c) for c in counts]
        found[f"frozen links, {n}"] = [learned.spread(frozen, c) for c in counts]
        found[f"borrowed, {n}"] = [learned.accuracy(borrow_labels(c, weights)) for c in counts]
        for wrong in WRONG:
            name = f"{wrong:.0%} wrong, {n}"
            found[name] = [learned.spread(links, c) for c in learned.drawn(n, wrong)]
    for n in ASKED:
        found[f"asked, {n}"] = learned.spread(links, learned.asked(links, n))
    found["all"] = learned.spread(links, learned.truth)
    found["all, no links"] = learned.accuracy(learned.truth)
    return found


def choose(learned: Learned) -> dict[str, Any]:
    """Accuracies over the constants of spreading, on held-out training samples."""
    found: dict[str, Any] = {}
    for power in (1.0, 1.5, 2.0):
        links = learned.links(power)
        for alpha in (0.9, 0.97, 0.99):
            name = f"power {power}, α {alpha}"
            for n in (1, 3, 10):
                counts = learned.drawn(n)
                found[f"{name}, random {n}"] = [learned.spread(links, c, alpha) for c in counts]
            for n in (10, 15, 30):
                counts_asked = learned.asked(links, n, alpha)
                found[f"{name}, asked {n}"] = learned.spread(links, counts_asked, alpha)
            found[f"{name}, all"] = learned.spread(links, learned.truth, alpha)
    return found


def records(folder: Path) -> tuple[list[Record], list[Record]]:
    """All comparisons and choices, computed where they are missing."""
    kept: dict[tuple[str, str], Any] = {}

    def record(case: Case, file: str, measure: Callable[[Learned], dict[str, Any]]) -> Record:
        def compute() -> dict[str, Any]:
            return measure(Learned(case, kept))

        path = folder / file
        return remembered(path, case.config, compute, parameters=case.parameters, quiet=True)

    chosen = [record(case, "choice.jsonl", choose) for case in CHOICES]
    return [record(case, "results.jsonl", compare) for case in CASES], chosen


def values(group: list[Record], name: str) -> list[float]:
    """A result in percent over networks, and over draws."""
    found = [record["results"][name] for record in group]
    return [100 * v for each in found for v in (each if isinstance(each, list) else [each])]


def table(found: list[Record], names: list[str], title: str) -> str:
    """A row for each kind of network, a column for each result."""
    groups = grouped(
        found, lambda r: tuple(r["config"][k] for k in ("dataset", "layer", "neurons"))
    )
    rows = [
        [*key, len(group), *(mean_sd(values(group, name)) for name in names)]
        for key, group in groups.items()
    ]
    header = ["data", "first layer", "neurons", "networks", *(n.split(", ")[-1] for n in names)]
    return f"**{title}**\n\n{markdown(header, rows)}"


def tables(found: list[Record]) -> str:
    """All tables of the comparison."""
    ways = ["random", "frozen links", "borrowed", *(f"{wrong:.0%} wrong" for wrong in WRONG)]
    titles = [
        "Random draws, so many labels per class",
        "The same, links made by frozen recognition",
    ]
    titles += ["The same, labels borrowed from the most similar neuron"]
    titles += [f"The same with links, {wrong:.0%} of the labels wrong" for wrong in WRONG]
    parts = [
        table(found, [f"{way}, {n}" for n in PER_CLASS], title)
        for way, title in zip(ways, titles, strict=True)
    ]
    asked = "Asked: so many neurons named, labels in all"
    parts.insert(1, table(found, [f"asked, {n}" for n in ASKED], asked))
    parts.append(table(found, ["all", "all, no links"], "All labels, with and without links"))
    return "\n\n".join(parts)


def choice_table(found: list[Record]) -> str:
    """What was chosen from."""
    rows = []
    for links, group in grouped(found, lambda r: int(r["config"]["links"])).items():
        names = dict.fromkeys(name.rpartition(", ")[0] for name in group[0]["results"])
        for name in names:
            ends = ("random 1", "random 3", "random 10", "asked 10", "asked 15", "asked 30", "all")
            cells = [f"{np.mean(values(group, f'{name}, {end}')):.2f}" for end in ends]
            rows.append([links, *name.split(", "), *cells])
    header = ["links", "power", "α", "1 per class", "3", "10", "10 asked", "15", "30", "all"]
    return markdown(header, rows)


def speed_table(folder: Path) -> str:
    """What the benchmarks wrote: ratios of times."""
    path = folder / "speed.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = [[r["what"], r["neurons"], r["ratio"]] for r in map(json.loads, lines)]
    return markdown(["what", "neurons", "ratio of times"], rows)


def run(folder: Path) -> None:
    """Run what is missing and write the tables."""
    found, chosen = records(folder)
    beside = baselines.records(folder, features, layer_settings, draws)
    write_readme(
        folder,
        "labels.md",
        tables=tables(found),
        choice=choice_table(chosen),
        baselines=baselines.table(beside),
        speed=speed_table(folder),
    )
