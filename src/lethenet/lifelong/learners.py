"""Learners of any make in one face: they learn a piece of a task, and answer samples.

Whoever is told labels (a classifier) answers with classes. Others answer with whatever they found, a
prototype or a cluster, and these get classes as neurons do: by the training samples met so far.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from .setting_checks import LEARNERS

if TYPE_CHECKING:
    from .config import Config


def make_learner(config: Config) -> Any:
    """The learner that a configuration names, with its settings: ``"fuzzy-art:vigilance=0.8"``."""
    from .. import baselines

    name, _, text = config.learner.partition(":")
    kind = getattr(baselines, LEARNERS[name])
    known = kind().get_params()
    given: dict[str, Any] = {}
    for word in filter(None, text.split(",")):
        setting, _, value = word.partition("=")
        if setting not in known or setting in ("n_clusters", "random_state"):
            free = sorted(set(known) - {"n_clusters", "random_state"})
            raise ValueError(
                f"learner={config.learner!r}: {name} has no setting {setting!r}; it has "
                f"{', '.join(free) or 'none'}."
            )
        try:
            given[setting] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise ValueError(f"learner={config.learner!r}: {value!r} is not a number.") from None
    common = {"n_clusters": config.neurons, "random_state": config.seed}
    return kind(**given, **{k: v for k, v in common.items() if k in known})


class Learner:
    """A model with ``partial_fit`` and ``predict``, or River's ``learn_one`` and ``predict_one``.

    ``classes`` are all of the stream, in rising order: some classifiers must know them beforehand. If it
    is not said whether it is told labels (``supervised``), a classifier is, and what cannot do without.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> learner = Learner(GaussianNB(), ["a", "b"])
    >>> learner.learn(np.eye(2), np.array(["a", "b"]))
    >>> learner.supervised, learner.answers(np.eye(2)).ravel()
    (True, array([0, 1]))
    """

    def __init__(self, model: Any, classes: Sequence[Any], supervised: bool | None = None) -> None:
        self.model, self._classes = model, np.array(classes)
        self._one_by_one = not hasattr(model, "partial_fit")
        teach = getattr(model, "learn_one" if self._one_by_one else "partial_fit", None)
        answer = getattr(model, "predict_one" if self._one_by_one else "predict", None)
        if not callable(teach) or not callable(answer):
            raise TypeError(
                f"a {type(model).__name__} cannot learn from a stream: expected partial_fit and predict, "
                "or River's learn_one and predict_one."
            )
        self._teach, self._answer = teach, answer
        self._wanted = signature(teach).parameters
        self.supervised = self._takes_labels() if supervised is None else supervised

    @property
    def label_counts(self) -> np.ndarray | None:
        """Of a learner that answers with classes, what makes them its labels; None of others."""
        return np.eye(len(self._classes), dtype=np.int64) if self.supervised else None

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn the rows of X in order."""
        if self._one_by_one:
            for row, label in zip(X.tolist(), y.tolist(), strict=True):
                self._teach(dict(enumerate(row)), *([label] if self.supervised else []))
            return
        labels: dict[str, Any] = {"y": y} if self.supervised else {}
        if self.supervised and "classes" in self._wanted:
            labels["classes"] = self._classes
        self._teach(X, **labels)

    def answers(self, X: np.ndarray) -> np.ndarray:
        """The class number, prototype or cluster that answers each row (n, 1), −1 for none."""
        if not self.supervised and hasattr(self.model, "network_"):
            from .evaluation import winners_of

            return winners_of(self.model.network_)(X)  # all its spikes vote, as in our own runs
        if self._one_by_one:
            found = np.array([self._answer(dict(enumerate(row))) for row in X.tolist()])
        else:
            found = np.asarray(self._answer(X))
        if self.supervised:
            places = np.searchsorted(self._classes, found).clip(0, len(self._classes) - 1)
            found = np.where(self._classes[places] == found, places, -1)
        if found.dtype.kind not in "iu" or found.shape != (len(X),):
            raise ValueError(
                f"{type(self.model).__name__} answered {len(X)} samples with {found.dtype} {found.shape}: "
                "expected a whole number for each. If it is a classifier, say supervised=True."
            )
        return found[:, None]

    def _takes_labels(self) -> bool:
        supervised = getattr(self.model, "_supervised", None)  # River says so
        if self._one_by_one and supervised is not None:
            return bool(supervised)
        from sklearn.base import BaseEstimator, is_classifier

        if isinstance(self.model, BaseEstimator) and is_classifier(self.model):
            return True
        y = self._wanted.get("y")
        return y is not None and y.default is Parameter.empty
