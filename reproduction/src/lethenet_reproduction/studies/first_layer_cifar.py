"""CIFAR-10 behind a pretrained network: its features as a fixed first layer, classes strictly in turn.

``make cifar-features`` computes the features once: EfficientNet-Lite0, which has seen ImageNet and never
CIFAR-10, images enlarged to 96 × 96, the last layer's 1280 channels averaged over the image. All 50,000
training samples are learned, one epoch, no labels in learning, with the threshold that ``auto_threshold``
says; beside it those that see all samples at once (offline k-means) or all labels (class means, LDA).

How features are coded was chosen on held-out training samples; the test samples were looked at once.
Everything is kept in ``cifar.jsonl``, and without the features the tables are made from what is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.baselines import NearestClassMean, SphericalKMeans, StreamingLDA
from lethenet.data import Dataset
from lethenet.data.cache import cache_folder
from lethenet.data.npz import load_npz
from lethenet.lifelong import measures
from lethenet.lifelong.evaluation import assess, winners_of
from lethenet.model import Network, initial_state
from lethenet.model.parameters import ANNEALED
from lethenet.theory import suggest_threshold
from lethenet.theory.threshold import recognised_share

from .learners import PrototypeLearner
from .remembering import flat_records, remembered
from .tables import Record, grouped, markdown, mean_sd

SIZES = (400, 1600, 6400)
CODE = "as they are"
"""How features become rates: the code that was best on held-out training samples."""
CODES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as they are": lambda X: X,
    "square root": np.sqrt,
    "minus their mean, cut at zero": lambda X: np.maximum(X - X.mean(axis=1, keepdims=True), 0),
}
"""Each looks at one sample alone: nothing need be known of classes that are still to come."""
LABELS, ALL_LABELS, PASSES = 1000, 5000, 10
"""Training samples of each class that give neurons their labels; all, as k-means has; passes of k-means."""
TRIAL = {"train_per_class": 600, "validation": 800}
"""Of each class: learned, and held out (the last ones), in the trials of codes."""
PARAMETERS = replace(ANNEALED, n_readout_spikes=25)
TIMES, TRIED_TIMES = ("tau_mem", "tau_pre", "recognition_time", "tau_dopamine"), (0.5, 2.0)
"""All times of the network, and factors: longer ones mean more input spikes and less noise."""
SHRINKAGE = {1.0: "nearest class mean", 1e-4: "streaming LDA"}
"""Of the covariance between classes' samples; the second is that of Hayes & Kanan (2020)."""


def in_turn(data: Dataset) -> Dataset:
    """The training samples class after class, each class in the order of the data.

    >>> in_turn(Dataset.from_arrays("d", [[1], [2], [3]], [1, 0, 1], [[1]], [0])).X_train.ravel()
    array([2, 1, 3], dtype=uint8)
    """
    order = np.argsort(data.y_train, kind="stable")
    return replace(data, X_train=data.X_train[order], y_train=data.y_train[order])


def held_out(data: Dataset, train_per_class: int, validation: int) -> Dataset:
    """The first training samples of each class, tested on the last ones; no test sample is in it.

    >>> data = Dataset.from_arrays("d", [[1], [2], [3], [4]], [0, 0, 0, 1], [[9]], [0])
    >>> held_out(data, 1, 1).X_test.ravel().tolist()
    [3, 4]
    """
    of_class = [np.flatnonzero(data.y_train == label) for label in data.classes]
    last = np.concatenate([rows[-validation:] for rows in of_class])
    first = np.concatenate([rows[:-validation][:train_per_class] for rows in of_class])
    X, y = data.X_train, data.y_train
    return replace(data, X_train=X[first], y_train=y[first], X_test=X[last], y_test=y[last])


def network(
    data: Dataset, neurons: int, seed: int, times: float = 1.0, labels: int = LABELS
) -> dict[str, Any]:
    """Our network: one epoch in the order of the data, then labels and a test with learning frozen."""
    ours = replace(PARAMETERS, **{name: times * getattr(PARAMETERS, name) for name in TIMES})
    share = recognised_share(neurons)
    threshold = suggest_threshold(data.X_train, neurons, parameters=ours, recognised=share)
    state = initial_state(neurons, data.n_features, seed)
    layer = Network(replace(ours, threshold=threshold), state)
    learned = layer.learn(data.X_train)
    found = assess(
        winners_of(layer), *_labelled(data.limited(labels)), (neurons, len(data.classes))
    )
    return {
        "test_accuracy": measures.accuracy(found.confusion_evidence),
        "hard_votes": measures.accuracy(found.confusion),
        "threshold": threshold,
        "imprints_per_sample": float((learned.imprints >= 0).mean()),
        "input_spikes_per_sample": float(learned.input_spikes.mean()),
    }


def k_means(data: Dataset, neurons: int, seed: int) -> dict[str, Any]:
    """Offline spherical k-means: a prototype has the class of most of its samples."""
    learner = PrototypeLearner(SphericalKMeans(neurons, PASSES, seed)).learn(data.X_train)
    found = assess(learner.winners, *_labelled(data), (neurons, len(data.classes)))
    return {"test_accuracy": measures.accuracy(found.confusion)}


def class_means(data: Dataset, shrinkage: float) -> dict[str, Any]:
    """With labels: streaming LDA, whose covariance is shrunk; all the way, it is the nearest class mean.

    >>> from lethenet.data import load
    >>> 0.8 < class_means(load("digits"), 1.0)["test_accuracy"] < 1
    True
    """
    learner = NearestClassMean() if shrinkage == 1 else StreamingLDA(shrinkage)
    learner.fit(data.X_train, data.y_train)
    return {"test_accuracy": float(learner.score(data.X_test, data.y_test))}


def _labelled(data: Dataset) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Training and test samples with the numbers of their classes."""
    train, test = (np.searchsorted(data.classes, y) for y in (data.y_train, data.y_test))
    return (data.X_train, train), (data.X_test, test)


def measure(path: Path, data: Dataset, sizes: tuple[int, ...] = SIZES) -> None:
    """Compute what the file lacks: small sizes first, the trials of codes last."""
    data = in_turn(data)

    def one(learner: Callable[..., dict[str, Any]], code: str = CODE, **settings: Any) -> None:
        def compute() -> dict[str, Any]:
            part = held_out(data, **TRIAL) if "validation" in settings else data
            X, X_test = (CODES[code](x.astype(np.float32)) for x in (part.X_train, part.X_test))
            given = {k: v for k, v in settings.items() if k not in TRIAL}
            return learner(replace(part, X_train=X, X_test=X_test), **given)

        config = {"learner": learner.__name__, "code": code, **settings}
        remembered(path, config, compute, parameters=PARAMETERS if learner is network else None)

    for shrinkage in SHRINKAGE:
        one(class_means, shrinkage=shrinkage)
    for neurons in sizes:
        for learner in (network, k_means):
            one(learner, neurons=neurons, seed=0)
    for neurons in sizes:
        one(network, neurons=neurons, seed=0, labels=ALL_LABELS)
    for code in CODES:
        for learner in (k_means, network):
            one(learner, code, neurons=sizes[0], seed=0, **TRIAL)
    for times in TRIED_TIMES:
        one(network, CODE, neurons=sizes[0], seed=0, times=times, **TRIAL)


def cifar_table(folder: Path) -> str:
    """The test accuracy by size beside the others, and the trials of codes, as two Markdown tables."""
    path, features = folder / "cifar.jsonl", cache_folder() / "cifar10-features.npz"
    if features.exists():
        measure(path, load_npz(features))
    return tables(flat_records(path))


def tables(records: list[Record]) -> str:
    """All training samples, on the test samples; then the trials, on held-out training samples.

    >>> print(tables([{"learner": "class_means", "shrinkage": 1.0, "test_accuracy": 0.5}]))
    | neurons | network, in turn, one epoch | offline k-means | ... | labels from all samples |
    |---|---|---|---|---|---|---|
    <BLANKLINE>
    With all labels: nearest class mean 50.00.
    """
    full, trials = ([r for r in records if ("validation" in r) == held] for held in (False, True))
    sizes = sorted({r["neurons"] for r in full if "neurons" in r})
    header = ["network, in turn, one epoch", "offline k-means"]
    header += ["threshold", "imprints per sample", "input spikes per sample"]
    by_size = [
        [
            n,
            *_row([r for r in own if "labels" not in r]),
            _percent([r for r in own if "labels" in r]),
        ]
        for n in sizes
        for own in [[r for r in full if r.get("neurons") == n]]
    ]
    parts = [markdown(["neurons", *header, "network, labels from all samples"], by_size)]
    found = [f"{SHRINKAGE[r['shrinkage']]} {_percent([r])}" for r in full if "shrinkage" in r]
    parts += [f"With all labels: {', '.join(found)}."] if found else []
    if trials:
        sizes = [trials[0][name] for name in ("neurons", "train_per_class", "validation")]
        parts.append("{} neurons; of each class {} learned, {} held out:".format(*sizes))
        tried = grouped(trials, lambda r: (r["code"], r.get("times", 1.0)))
        rows = [[code, f"{times:g}", *_row(group)] for (code, times), group in tried.items()]
        parts.append(markdown(["features", "all times ×", *header], rows))
    return "\n\n".join(parts)


def _row(group: list[Record]) -> list[str]:
    """What the network and k-means made of the same samples."""
    ours = [r for r in group if r["learner"] == "network"]
    row = [f"**{_percent(ours)}**", _percent([r for r in group if r["learner"] == "k_means"])]
    formats = {"threshold": "g", "imprints_per_sample": ".3f", "input_spikes_per_sample": ",.0f"}
    return row + [f"{ours[0][name]:{how}}" if ours else "–" for name, how in formats.items()]


def _percent(records: list[Record]) -> str:
    return mean_sd([100 * r["test_accuracy"] for r in records])
