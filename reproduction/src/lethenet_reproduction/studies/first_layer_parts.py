"""What each part of a first layer does: one part changed at a time, on held-out training samples.

MNIST, 2,000 training samples of each digit strictly in turn, one epoch, 400 neurons, tested on 500 further
training samples of each digit; evidence votes, the threshold from the features themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, load
from lethenet.estimators.readout import count_labels, decide
from lethenet.layers import Edges, Patches
from lethenet.model import ANNEALED, Network, initial_state, preset_parameters
from lethenet.sweeps.samples import hold_out
from lethenet.theory import suggest_threshold
from lethenet.theory.threshold import recognised_share

from .remembering import flat_records, remembered
from .tables import markdown

NEURONS, LEARNED, HELD_OUT, SPIKES = 400, 2000, 500, 25
INFANCY, PIECE = 1000, 100

EDGES: tuple[dict[str, Any], ...] = (
    {},
    *({"inhibition": value} for value in (0.0, 0.25, 0.75, 1.0)),
    *({"n_directions": value} for value in (4, 12, 16)),
    *({"sharpness": value} for value in (2, 4, 10)),
    {"pool_step": 3},
    {"pool_step": 5},
    {"n_roots": 0},
    {"blur": 1.0},
)
PATCHES: tuple[dict[str, Any], ...] = (
    {},
    {"from": "all digits"},
    {"from": "fashion-mnist"},
    *({"infancy": value} for value in (30, 100, 300)),
    {"for life": True},
    {"n_neurons": 32},
    {"inhibition": 0.5},
    {"n_strongest": 1},
    {"faintest": 0.12},
    {"pool_step": 4},
)
"""What is changed; ``from``: where patches are learned from, if not from the first class alone."""


@cache
def samples(dataset: str = "mnist") -> Dataset:
    """The training samples, and further ones to test on."""
    return hold_out(load(dataset), HELD_OUT).limited(LEARNED)


def make_layer(kind: str, changed: dict[str, Any], data: Dataset) -> Any:
    """A fitted layer with parts changed.

    >>> make_layer("edges", {"n_directions": 4}, load("digits")).grid_shape_
    (8, 8, 4)
    """
    own = {name: value for name, value in changed.items() if name not in ("from", "for life")}
    if kind == "edges":
        return Edges(data.image_shape, **own).fit(data.X_train[:1])
    infancy = int(own.pop("infancy", INFANCY))
    images = data.X_train[data.y_train == data.classes[0]]
    if changed.get("from") == "all digits":
        images = data.X_train  # in the order of the file: mixed
    elif "from" in changed:
        images = samples(changed["from"]).X_train
    layer = Patches(data.image_shape, infancy=None, **own).fit(images[:infancy])
    return layer if changed.get("for life") else layer.set_params(infancy=infancy)


def measure(kind: str, changed: dict[str, Any], data: Dataset, seed: int = 0) -> dict[str, Any]:
    """Accuracy on held-out samples behind a layer.

    >>> sorted(measure("edges", {}, load("digits").limited(30, 10)))
    ['accuracy', 'imprints', 'sum_of_rates', 'threshold']
    """
    layer = make_layer(kind, changed, data)
    features = layer.transform(data.X_train)
    share = recognised_share(NEURONS)
    threshold = suggest_threshold(features, NEURONS, parameters=ANNEALED, recognised=share)
    parameters = replace(preset_parameters("annealed", NEURONS), threshold=threshold)
    parameters = replace(parameters, n_readout_spikes=SPIKES)
    network = Network(parameters, initial_state(NEURONS, features.shape[1], seed))
    for label in data.classes:
        rows = np.flatnonzero(data.y_train == label)
        for start in range(0, len(rows), PIECE):
            piece = rows[start : start + PIECE]
            if changed.get("for life"):
                layer.partial_fit(data.X_train[piece])
                network.learn(layer.transform(data.X_train[piece]))
            else:
                network.learn(features[piece])
    if changed.get("for life"):
        features = layer.transform(data.X_train)
    shape = (NEURONS, len(data.classes))
    labels, truth = (np.searchsorted(data.classes, y) for y in (data.y_train, data.y_test))
    counts = count_labels(network.recognise(features).winners, labels, *shape)
    winners = network.recognise(layer.transform(data.X_test)).winners
    guess = decide(winners, counts, np.bincount(labels), "evidence")
    lengths = np.maximum(np.linalg.norm(features, axis=1), 1e-9)
    return {
        "accuracy": float(np.mean(guess == truth)),
        "threshold": threshold,
        "imprints": float(network.state.imprint_counts.sum() / len(features)),
        "sum_of_rates": float(np.mean(features.sum(axis=1) / lengths)),
    }


def shifted(data: Dataset, of_each: int = 200) -> dict[str, float]:
    """What learning for life does to the features of samples of the first class, a few of each class later.

    Neurons overwritten, the mean cosine of a sample's features with what they were, and, to compare, the
    mean cosine with those of the most similar other sample.

    >>> sorted(shifted(load("digits").limited(90), of_each=5))
    ['as_they_were', 'most_similar_other', 'overwritten']
    """
    layer = make_layer("patches", {"for life": True, "infancy": len(data.X_train) // 20}, data)
    first = np.flatnonzero(data.y_train == data.classes[0])
    shown, others = np.array_split(data.X_train[first[len(first) // 2 :]], 2)
    before, imprints = _units(layer.transform(shown)), layer.network_.state.imprint_counts.copy()
    similar = (before @ _units(layer.transform(others)).T).max(axis=1)
    for label in data.classes:
        layer.partial_fit(data.X_train[data.y_train == label][:of_each])
    after = _units(layer.transform(shown))
    return {
        "overwritten": float((layer.network_.state.imprint_counts > imprints).sum()),
        "as_they_were": float((before * after).sum(axis=1).mean()),
        "most_similar_other": float(similar.mean()),
    }


def _units(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def parts_table(folder: Path, *, compute: bool = True) -> str:
    """The table as Markdown; what is missing is computed, or left out."""
    there = flat_records(folder / "parts.jsonl")
    known = [(record["layer"], record["changed"]) for record in there]
    rows = []
    for kind, changes in (("edges", EDGES), ("patches", PATCHES)):
        for changed in changes:
            if not compute and (kind, changed) not in known:
                continue
            config = {"layer": kind, "changed": changed, "neurons": NEURONS, "learned": LEARNED}
            parameters = preset_parameters("annealed", NEURONS)
            make = partial(_measure, kind, changed)
            path = folder / "parts.jsonl"
            found = remembered(path, config, make, parameters=parameters)["results"]
            what = ", ".join(f"{name}: {value}" for name, value in changed.items()) or "as it is"
            cells = [
                f"{100 * found['accuracy']:.2f}",
                found["threshold"],
                f"{found['imprints']:.3f}",
            ]
            rows.append([kind, what, *cells, f"{found['sum_of_rates']:.1f}"])
    header = ["layer", "changed", "held-out accuracy", "threshold", "imprints per sample"]
    return markdown([*header, "sum of rates"], rows)


def _measure(kind: str, changed: dict[str, Any]) -> dict[str, Any]:
    return measure(kind, changed, samples())
