"""Novelty: known digits learned in turn, then how well a score tells new digits from known ones (AUROC).

400 neurons, annealed rule, one epoch; pixels, and edges as a first layer. Beside the network two of
scikit-learn's detectors: an isolation forest, and a one-class SVM on random features (Nystroem), on the
same rows of length one. Every learner's setting is chosen on training samples that were held out, with
another seed; then it learns anew with five seeds and is measured on the test samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDOneClassSVM
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from lethenet import NoveltyDetector
from lethenet.data import Dataset, load
from lethenet.layers import Edges
from lethenet.model import preset_parameters
from lethenet.sweeps import read_results

from ..texts import write_readme
from .remembering import remembered
from .tables import Record, grouped, markdown, mean_sd

NEURONS = 400
SEEDS = (0, 1, 2, 3, 4)
CHOICE = 100
"""The seed with which settings are chosen."""
WANTED = {("pixels", 5): 0.92, ("edges", 5): 0.95, ("edges", 9): 0.80}
NETWORK, FOREST, SVM = "lethenet", "isolation forest", "Nystroem and one-class SVM"


class Trial(NamedTuple):
    """What is learned by whom: digits below ``known``, seen as pixels or edges."""

    features: str
    known: int
    learner: str


TRIALS = [
    Trial(features, known, learner)
    for learner in (NETWORK, FOREST, SVM)
    for features in ("pixels", "edges")
    for known in (5, 9)
]


def settings(trial: Trial) -> list[dict[str, float]]:
    """What is tried for a learner."""
    if trial.learner == NETWORK:
        lowest = 12.5 if trial.features == "pixels" else 14.25
        return [{"threshold": lowest + 0.25 * step} for step in range(5)]
    if trial.learner == FOREST:
        return [{"max_samples": 256}, {"max_samples": 4096}]
    return [{"gamma": gamma, "nu": nu} for gamma in (0.5, 1.0, 2.0, 4.0) for nu in (0.05, 0.5)]


def learner(name: str, setting: dict[str, float], seed: int, neurons: int = NEURONS) -> Any:
    """A detector that has learned nothing yet."""
    if name == NETWORK:
        own = {"n_neurons": neurons, "signed": False, "random_state": seed, **setting}
        return NoveltyDetector.from_preset("annealed", **own)
    if name == FOREST:
        return IsolationForest(random_state=seed, **setting)
    features = Nystroem(gamma=setting["gamma"], n_components=neurons, random_state=seed)
    return make_pipeline(features, SGDOneClassSVM(nu=setting["nu"], random_state=seed))


@cache
def seen(data: Dataset, features: str) -> tuple[np.ndarray, np.ndarray]:
    """Training and test samples as learners get them: rows of length one."""
    parts = [data.X_train, data.X_test]
    if features == "edges":
        layer = Edges(image_shape=data.image_shape).fit(data.X_train[:1])
        parts = [layer.transform(X) for X in parts]
    return tuple(normalize(X.astype(np.float32)) for X in parts)


def measure(
    data: Dataset, trial: Trial, setting: dict[str, float], seed: int, *, held_out: bool
) -> dict[str, Any]:
    """AUROC of new digits against known ones, on the test samples or on held-out training samples.

    >>> found = measure(load("digits"), Trial("pixels", 5, FOREST), {}, seed=0, held_out=False)
    >>> 0 < found["auroc"] < 1
    True
    """
    X, X_test = seen(data, trial.features)
    y, y_test = data.y_train, data.y_test
    if held_out:
        out = np.random.default_rng(CHOICE).random(len(y)) < 0.1
        X, X_test, y, y_test = X[~out], X[out], y[~out], y[out]
    in_turn = np.argsort(y, kind="stable")
    in_turn = in_turn[y[in_turn] < trial.known]
    model = learner(trial.learner, setting, seed).fit(X[in_turn])
    scores = model.score_samples(X_test)
    return {"auroc": float(roc_auc_score(y_test < trial.known, scores))}


def record(folder: Path, trial: Trial, setting: dict[str, float], seed: int) -> Record:
    """One measurement, computed if it is missing."""
    held_out = seed == CHOICE
    config: dict[str, Any] = {**trial._asdict(), "setting": setting, "seed": seed}
    parameters = None
    if trial.learner == NETWORK:
        parameters = replace(preset_parameters("annealed", NEURONS), threshold=setting["threshold"])
        config |= {"neurons": NEURONS, "parameters": asdict(parameters)}
    compute: Callable[[], dict[str, Any]] = partial(_measured, trial, setting, seed, held_out)
    return remembered(folder / "results.jsonl", config, compute, parameters=parameters)


def _measured(trial: Trial, setting: dict[str, float], seed: int, held_out: bool) -> dict[str, Any]:
    return measure(_mnist(), trial, setting, seed, held_out=held_out)


@cache
def _mnist() -> Dataset:
    return load("mnist")


def records(folder: Path) -> list[Record]:
    """All measurements: each setting on held-out samples, the best with all seeds on test samples."""
    found = []
    for trial in TRIALS:
        tried = [record(folder, trial, setting, CHOICE) for setting in settings(trial)]
        best = max(tried, key=lambda r: float(r["results"]["auroc"]))
        found += tried
        found += [record(folder, trial, best["config"]["setting"], seed) for seed in SEEDS]
    return found


def table(found: list[Record]) -> str:
    """AUROC on the test samples, beside what was wanted of the network."""
    tested = [r for r in found if r["config"]["seed"] != CHOICE]
    groups = grouped(tested, lambda r: (r["config"]["features"], int(r["config"]["known"])))
    rows = []
    for (features, known), group in groups.items():
        by_learner = grouped(group, lambda r: str(r["config"]["learner"]))
        scores = [_summary(by_learner.get(name, [])) for name in (NETWORK, FOREST, SVM)]
        split = f"0–{known - 1} known, {'5–9' if known == 5 else '9'} new"
        rows.append([features, split, f"**{scores[0]}**", WANTED.get((features, known), "–")])
        rows[-1] += scores[1:]
    return markdown(["seen as", "digits", NETWORK, "wanted", FOREST, SVM], rows)


def choice_table(found: list[Record]) -> str:
    """AUROC on held-out training samples by setting."""
    rows = []
    for record in found:
        config = record["config"]
        if config["seed"] == CHOICE:
            setting = ", ".join(f"{name} {value:g}" for name, value in config["setting"].items())
            rows.append([config["features"], config["known"], config["learner"], setting])
            rows[-1].append(f"{mean(_scores([record])):.4f}")
    return markdown(["seen as", "digits known", "learner", "setting", "AUROC"], rows)


def _summary(group: list[Record]) -> str:
    """Mean and deviation; how many seeds there are, if not all of them."""
    text = mean_sd(_scores(group), 3)
    return text if len(group) in (0, len(SEEDS)) else f"{text}, seeds: {len(group)}"


def _scores(group: list[Record]) -> list[float]:
    return [float(r["results"]["auroc"]) for r in group]


def run(folder: Path) -> None:
    """Run what is missing and write the tables."""
    records(folder)
    write_page(folder)


def write_page(folder: Path) -> None:
    """Write the tables of what was measured."""
    found = read_results(folder / "results.jsonl")
    found = sorted(found, key=lambda r: TRIALS.index(_trial(r)))
    write_readme(folder, "novelty.md", table=table(found), choice=choice_table(found))


def _trial(record: Record) -> Trial:
    config = record["config"]
    return Trial(config["features"], config["known"], config["learner"])
