"""One run, classes in turn and the last one new: how new it looks, how soon it is noticed, what is kept."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from lethenet.lifelong import measures

from . import Stream
from .methods import METHODS, Learner

PER_CLASS, MOST = 100, 2000
"""Most training samples of a class, and of Shuttle's; of test samples, twice as many."""
FALSE_ALARMS = 0.05
"""Share of held-out known training samples that are beyond the alarm's limit."""
ORDERS = 50
"""In which the new class's samples come, for the mean delay."""


class Split:
    """A stream for one seed: known samples in the order of their classes, held-out ones, tests, the new.

    Of the training part, every fifth group (person, series) is held out. Class order and chosen samples
    depend on the seed; 0 is the rising order.
    """

    def __init__(self, stream: Stream, seed: int, n_new: int = 1, fewer: int = 1) -> None:
        rng = np.random.default_rng(seed)
        classes = np.unique(stream.y_train)
        shuttle = len(classes) == 2
        self.order = classes if seed == 0 or shuttle else rng.permutation(classes)
        self.known, self.new = self.order[:-n_new], self.order[-n_new:]
        most = (MOST if shuttle else PER_CLASS) // fewer
        held_out = np.isin(stream.groups, np.unique(stream.groups)[4::5])
        own = [stream.y_train == c for c in self.order]
        self.learned = [_some(np.flatnonzero(one & ~held_out), most, rng) for one in own]
        kept = [_some(np.flatnonzero(one & held_out), most, rng) for one in own[:-n_new]]
        self.held_out = np.concatenate(kept)
        tests = [_some(np.flatnonzero(stream.y_test == c), 2 * most, rng) for c in self.order]
        self.test = np.concatenate(tests)
        self.before = np.concatenate(self.learned[:-n_new])
        self.stream = stream

    def coded(self, code: str, rows: np.ndarray, of: str = "train") -> np.ndarray:
        """These rows in a code that is fitted on what is learned before the new class comes."""
        if getattr(self, "_code_name", None) != code:
            self._code_name = code
            standard = code == "standard" and not self.stream.is_text
            made = StandardScaler() if standard else self.stream.code(code)
            self._code = made.fit(self.stream.X_train[self.before])
        X = getattr(self.stream, f"X_{of}")[rows]
        return np.ascontiguousarray(self._code.transform(X), np.float32)


def _some(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of some rows, in their order."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def tuned(stream: Stream, name: str, seeds: Sequence[int]) -> dict[str, Any]:
    """The settings of a method with the highest mean AUROC on training samples alone.

    Held-out samples of known classes against training samples of new ones: the last two in the order of
    each of these seeds, which no run has; of Shuttle, the anomalies.
    """
    found: dict[int, list[float]] = {}
    choices = METHODS[name].choices(stream.is_text)
    for seed in seeds:
        split = Split(stream, seed, n_new=min(2, len(np.unique(stream.y_train)) - 1), fewer=2)
        n = len(split.known)
        for number, settings in enumerate(choices):
            learner = _learner(split, name, settings, seed)
            for rows in split.learned[:n]:
                learner.learn(split.coded(settings["code"], rows), stream.y_train[rows])
            known, new = (
                learner.newness(split.coded(settings["code"], rows))
                for rows in (split.held_out, np.concatenate(split.learned[n:]))
            )
            found.setdefault(number, []).append(_auroc(known, new))
    means = [float(np.mean(found[number])) for number in range(len(choices))]
    tried = [{"settings": s, "auroc": round(m, 4)} for s, m in zip(choices, means, strict=True)]
    return {"best": choices[int(np.argmax(means))], "tried": tried}


def measure(stream: Stream, name: str, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """One method on one stream: novelty before the last class comes, then accuracy over all classes."""
    split, code = Split(stream, seed), settings["code"]
    learner = _learner(split, name, settings, seed)
    test, y = split.coded(code, split.test, "test"), stream.y_test[split.test]
    seconds, n, R, result = 0.0, 0, [], {}
    for number, rows in enumerate(split.learned):
        if number == len(split.known):
            result = _novelty(split, learner, code, test, np.isin(y, split.new))
        X, began = split.coded(code, rows), time.process_time()
        learner.learn(X, stream.y_train[rows])
        seconds, n = seconds + time.process_time() - began, n + len(X)
        if learner.predict is not None:
            met = np.isin(y, split.order[: number + 1])
            right = np.zeros(len(y), bool)
            right[met] = learner.predict(test[met]) == y[met]
            R.append([right[y == c].mean() if c in y[met] else None for c in split.order])
    result |= {"learning_us": 1e6 * seconds / n, "bytes": len(pickle.dumps(learner.state))}
    if R:
        result["accuracy"] = float(right.mean())
        result["forgetting"] = float(measures.forgetting(measures.accuracy_matrix(R)))
    return {key: round(value, 5) for key, value in result.items()}


def _learner(split: Split, name: str, settings: dict[str, Any], seed: int) -> Learner:
    own = {key: value for key, value in settings.items() if key != "code"}
    return METHODS[name].make(split.coded(settings["code"], split.before), seed, **own)


def _novelty(
    split: Split, learner: Learner, code: str, test: np.ndarray, is_new: np.ndarray
) -> dict[str, float]:
    began = time.process_time()
    newness = learner.newness(test)
    seconds = time.process_time() - began
    limit = np.quantile(learner.newness(split.coded(code, split.held_out)), 1 - FALSE_ALARMS)
    noticed = learner.newness(split.coded(code, split.learned[-1])) > limit
    return {
        "auroc": _auroc(newness[~is_new], newness[is_new]),
        "false_alarms": float((newness[~is_new] > limit).mean()),
        "noticed": float(noticed.mean()),
        "delay": delay(noticed),
        "scoring_us": 1e6 * seconds / len(test),
    }


def delay(noticed: np.ndarray, seed: int = 0) -> float:
    """Samples of the new class until the first that is noticed, itself included: mean over random orders.

    All and one more if none is ever noticed. The learner stays as it is until then.

    >>> delay(np.array([True, True])), delay(np.array([False, False]))
    (1.0, 3.0)
    """
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(noticed) for _ in range(ORDERS)]
    return float(np.mean([o.argmax() + 1 if o.any() else len(o) + 1 for o in orders]))


def _auroc(known: np.ndarray, new: np.ndarray) -> float:
    truth = np.repeat([0, 1], [len(known), len(new)])
    return float(roc_auc_score(truth, np.concatenate([known, new])))
