"""Passing rates from layer to layer, beside passing real spikes (:mod:`..coupling`).

Edges before a small network, digits strictly in turn, a few samples: the reference is no fast simulation.

* *Frozen*: the second layer has learned from rates. Test samples are recognised by rates, by rates with
  other random numbers (what noise alone changes), and by spikes, at several rates of the pixels.
* *Learning*: the second layer learns from spikes, too, and each network is recognised both ways.

The threshold is what ``auto_threshold`` says of the features; the first layer's gain is calibrated on
training samples. Labels come from recognising the training samples by rates, in all cases.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, load
from lethenet.estimators.readout import count_labels, decide
from lethenet.layers import Edges
from lethenet.model import ANNEALED, Network, initial_state, preset_parameters
from lethenet.theory import suggest_threshold
from lethenet.theory.threshold import recognised_share

from ..coupling import present_spikes
from ..spiking_edges import SpikingEdges
from ..texts import write_readme
from . import angles
from .remembering import remembered
from .tables import Record, markdown

NEURONS, TRAIN, TEST, READOUT_SPIKES = 100, 200, 30, 5
"""Neurons, samples of each class, output spikes that vote."""
DETECTORS = {30.0: 1.5, 100.0: 2.0, 300.0: 3.0}
"""Rates of all pixels together, and the detectors' threshold for each, chosen on training samples."""
USUAL = 100.0
SEEDS = (0, 1)
COUNTED, DURATION, REPEATS = 40, 400.0, 50
"""Test samples whose line spikes are counted, for how long; how often the first is shown for the spread."""


class Pair:
    """Both layers of a comparison, their data and features.

    >>> pair = Pair(load("digits").limited(10, 2), neurons=20)
    >>> pair.train.shape, pair.test.shape
    ((100, 512), (20, 512))
    """

    def __init__(self, data: Dataset, neurons: int, pixel_rate: float = USUAL) -> None:
        order = np.argsort(data.y_train, kind="stable")  # strictly in turn
        self.X, self.y = data.X_train[order].astype(float), data.y_train[order]
        self.X_test, self.y_test = data.X_test.astype(float), data.y_test
        layer = Edges(data.image_shape).fit(self.X)
        self.train, self.test = layer.transform(self.X), layer.transform(self.X_test)
        self.parameters = replace(
            preset_parameters("annealed", neurons),
            threshold=suggest_threshold(
                self.train, neurons, parameters=ANNEALED, recognised=recognised_share(neurons)
            ),
            n_readout_spikes=READOUT_SPIKES,
        )
        self.first = SpikingEdges(layer, pixel_rate=pixel_rate, threshold=DETECTORS[pixel_rate])
        for _ in range(2):  # the second time it is nearly there already
            self.first.calibrate(self.X[:: max(1, len(self.X) // 40)], np.random.default_rng(0))

    def network(self, neurons: int, seed: int) -> Network:
        """A second layer that has seen nothing."""
        return Network(self.parameters, initial_state(neurons, self.train.shape[1], seed))

    def by_spikes(self, network: Network, seed: int) -> dict[str, np.ndarray]:
        """Recognise the test samples by spikes: winners, and what it took."""
        p, winners = network.parameters, np.full((len(self.X_test), READOUT_SPIKES), -1)
        took = np.zeros((len(winners), 2))
        for k, sample in enumerate(self.X_test):
            rng = np.random.default_rng([seed, k])
            shown = present_spikes(sample, self.first, network.state, p, plastic=False, rng=rng)
            winners[k, : len(shown.winners)] = shown.winners
            took[k] = shown.n_raises, shown.n_input_spikes
        return {"winners": winners, "raises": took[:, 0], "spikes": took[:, 1]}

    def by_rates(self, network: Network, seed: int) -> dict[str, np.ndarray]:
        """The same by rates; another seed draws other input spikes."""
        state = network.state.copy()
        state.seed = seed
        seen = Network(network.parameters, state).recognise(self.test)
        return {"winners": seen.winners, "raises": seen.raises, "spikes": seen.input_spikes}

    def guesses(self, network: Network, winners: np.ndarray) -> np.ndarray:
        """Classes by evidence votes; labels from the training samples, recognised by rates."""
        classes, labels = np.unique(self.y, return_inverse=True)
        won = network.recognise(self.train).winners
        counts = count_labels(won, labels, network.state.n_neurons, len(classes))
        return np.asarray(classes[decide(winners, counts, np.bincount(labels), "evidence")])


def lines(pair: Pair) -> dict[str, float]:
    """What the lines send beside the features: likeness, length, spread, cost."""
    rng, duration = np.random.default_rng(1), DURATION
    features = pair.test[:: max(1, len(pair.test) // COUNTED)]
    features = features / np.linalg.norm(features, axis=1, keepdims=True)
    samples = pair.X_test[:: max(1, len(pair.test) // COUNTED)]
    counts = np.array([pair.first.counts(x, duration, rng) for x in samples])
    poisson = rng.poisson(features * duration)
    length = (counts * features).sum(axis=1) / duration
    again = np.array([pair.first.counts(samples[0], 50.0, rng) for _ in range(REPEATS)])
    busy = again.mean(axis=0) > 1
    return {
        "correlation": _correlation(counts, features),
        "correlation, Poisson": _correlation(poisson, features),
        "length": float(length.mean()),
        "length, sd": float(length.std()),
        "line spikes per time": float(counts.sum(axis=1).mean() / duration),
        "features per time": float(features.sum(axis=1).mean()),
        "Fano, one line": float(np.mean(again.var(axis=0)[busy] / again.mean(axis=0)[busy])),
        "Fano, all lines": float(again.sum(axis=1).var() / again.sum(axis=1).mean()),
    }


def _correlation(counts: np.ndarray, features: np.ndarray) -> float:
    """Between spikes per line and features, averaged over samples."""
    pairs = zip(counts, features, strict=True)
    return float(np.mean([np.corrcoef(*pair)[0, 1] for pair in pairs]))


def frozen(data: Dataset, neurons: int, pixel_rate: float, seed: int) -> dict[str, Any]:
    """A network that has learned from rates, recognised by rates, rates again, and spikes.

    >>> found = frozen(load("digits").limited(20, 3), neurons=30, pixel_rate=100.0, seed=0)
    >>> sorted(found)[:3]
    ['Fano, all lines', 'Fano, one line', 'accuracy, rates']
    """
    pair = Pair(data, neurons, pixel_rate)
    network = pair.network(neurons, seed)
    network.learn(pair.train)
    rates, again = pair.by_rates(network, seed), pair.by_rates(network, seed + 1)
    spikes = pair.by_spikes(network, seed)
    results: dict[str, Any] = {"threshold": pair.parameters.threshold, **lines(pair)}
    for name, seen in (("rates", rates), ("rates again", again), ("spikes", spikes)):
        guessed = pair.guesses(network, seen["winners"])
        results[f"accuracy, {name}"] = float(np.mean(guessed == pair.y_test))
        results[f"raises, {name}"] = float(seen["raises"].mean())
        results[f"input spikes, {name}"] = float(seen["spikes"].mean())
        same = seen["winners"][:, 0] == rates["winners"][:, 0]
        results[f"first winner, {name}"] = float(same.mean())
        same = guessed == pair.guesses(network, rates["winners"])
        results[f"class, {name}"] = float(same.mean())
    return results


def learning(data: Dataset, neurons: int, pixel_rate: float, seed: int) -> dict[str, Any]:
    """Two networks, one learning from rates, one from spikes; each recognised both ways.

    >>> found = learning(load("digits").limited(10, 2), neurons=20, pixel_rate=100.0, seed=0)
    >>> found["imprints, spikes"] > 0
    True
    """
    pair = Pair(data, neurons, pixel_rate)
    by_rates, by_spikes = pair.network(neurons, seed), pair.network(neurons, seed)
    by_rates.learn(pair.train)
    for k, sample in enumerate(pair.X):
        rng = np.random.default_rng([seed, k, 1])
        state, p = by_spikes.state, by_spikes.parameters
        present_spikes(sample, pair.first, state, p, plastic=True, rng=rng)
    results: dict[str, Any] = {"threshold": pair.parameters.threshold}
    for name, network in (("rates", by_rates), ("spikes", by_spikes)):
        results[f"imprints, {name}"] = float(network.state.imprint_counts.sum() / len(pair.X))
        for how, seen in (
            ("rates", pair.by_rates(network, seed)),
            ("spikes", pair.by_spikes(network, seed)),
        ):
            guessed = pair.guesses(network, seen["winners"])
            right = float(np.mean(guessed == pair.y_test))
            results[f"learned by {name}, recognised by {how}"] = right
    return results


def records(folder: Path) -> tuple[list[Record], list[Record]]:
    """Both parts, computed where they are missing."""
    data = load("mnist").limited(TRAIN, TEST)
    parts: dict[str, list[Record]] = {"frozen": [], "learning": []}
    cells = [("frozen", rate, 0) for rate in DETECTORS]
    cells += [("learning", USUAL, seed) for seed in SEEDS]
    parameters = preset_parameters("annealed", NEURONS)
    sizes = {"neurons": NEURONS, "train": TRAIN, "test": TEST, "readout_spikes": READOUT_SPIKES}
    for part, rate, seed in cells:
        own = {"part": part, "pixel_rate": rate, "detectors": DETECTORS[rate], "seed": seed}
        config = {**own, **sizes, "preset": "annealed"}
        compute = partial({"frozen": frozen, "learning": learning}[part], data, NEURONS, rate, seed)
        path = folder / "results.jsonl"
        parts[part].append(remembered(path, config, compute, parameters=parameters))
    return parts["frozen"], parts["learning"]


def line_table(found: list[Record]) -> str:
    """What the lines send, by the rate of the pixels."""
    names = ["correlation", "correlation, Poisson", "length", "length, sd"]
    names += ["line spikes per time", "features per time", "Fano, one line", "Fano, all lines"]
    rows = [
        [f"{r['config']['pixel_rate']:g}", *(f"{r['results'][name]:.3f}" for name in names)]
        for r in found
    ]
    return markdown(["pixel spikes per time", *names], rows)


def frozen_table(found: list[Record]) -> str:
    """Accuracy and agreement, by the rate of the pixels."""
    cells = [("rates", found[0]), ("rates again", found[0]), *(("spikes", r) for r in found)]
    rows = []
    for how, record in cells:
        r, rate = record["results"], f"{record['config']['pixel_rate']:g}"
        whats = ("accuracy", "first winner", "class")
        shares = [f"{100 * r[f'{what}, {how}']:.1f}" for what in whats]
        name = f"spikes, {rate} pixel spikes per time" if how == "spikes" else how
        costs = [f"{r[f'raises, {how}']:.2f}", f"{r[f'input spikes, {how}']:,.0f}"]
        rows.append([name, *shares, *costs])
    header = ["recognised by", "accuracy", "same first winner as rates", "same class as rates"]
    return markdown([*header, "raises per sample", "line spikes per sample"], rows)


def learning_table(found: list[Record]) -> str:
    """Accuracy of networks that learned from rates and from spikes, recognised both ways."""
    rows = []
    for record in found:
        r = record["results"]
        for name in ("rates", "spikes"):
            shares = [r[f"learned by {name}, recognised by {how}"] for how in ("rates", "spikes")]
            percent = [f"{100 * share:.1f}" for share in shares]
            rows.append([name, record["config"]["seed"], *percent, f"{r[f'imprints, {name}']:.3f}"])
    header = ["learned by", "seed", "recognised by rates", "recognised by spikes"]
    return markdown([*header, "imprints per sample"], rows)


def run(folder: Path) -> None:
    """Run what is missing and write the tables."""
    seen, learned = records(folder)
    write_readme(
        folder,
        "coupling.md",
        neurons=NEURONS,
        train=10 * TRAIN,
        test=10 * TEST,
        readout_spikes=READOUT_SPIKES,
        threshold=f"{learned[0]['results']['threshold']:g}",
        lines=line_table(seen),
        frozen=frozen_table(seen),
        learning=learning_table(learned),
        duration=f"{DURATION:g}",
        usual=f"{USUAL:g}",
        prototypes=angles.PROTOTYPES,
        fitted=f"{angles.FITTED:,}",
        held_out=f"{angles.HELD_OUT:,}",
        angles=angles.table(angles.records(folder)),
        parts=angles.parts_table(folder),
    )
