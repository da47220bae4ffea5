"""lethenet for River: dictionaries in, one sample at a time (``lethenet[river]``).

River's features have names that come and go, and signs. Each name gets a place in a table of ``n_names``,
in the order in which names are learned (those of one sample alphabetically), with an input for values above
0 and one for values below (:class:`lethenet.layers.OnOff`). When the table is full, further names share
places, by hash. A feature that is missing, None or NaN is 0; a name that was never learned is left out of
an answer. Only the direction of a sample counts: scale features that have different units
(``river.preprocessing.StandardScaler``).
"""

from __future__ import annotations

import math
from typing import Any
from zlib import crc32

import numpy as np
from river import base
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from .estimators import ControlledForgettingClassifier, ControlledForgettingNetwork
from .layers.on_off import on_and_off

Sample = dict[Any, Any]
SETTLING = 200
"""Samples from which ``threshold="auto"`` is settled here: those who use River expect answers early."""


class _Adapter:
    """What the three adapters share: an estimator, and the table of names."""

    def __init__(self, estimator: Any = None, n_names: int = 64, seed: int | None = None) -> None:
        self.estimator = estimator
        self.n_names = n_names
        self.seed = seed
        self._places: dict[Any, int] = {}
        self._names: tuple[Any, ...] = ()
        self._where = np.zeros(0, np.int64)
        self._n_learned = 0
        own = self._default() if estimator is None else clone(estimator)
        self._model = own if seed is None else own.set_params(random_state=seed)

    def _default(self) -> Any:
        return ControlledForgettingNetwork.from_preset("annealed", n_neurons=100)

    def learn_one(self, x: Sample, y: Any = None) -> None:
        """Learn a sample and, if it has one, count its label."""
        self._model.learn_one(self._row(x, learning=True), y)
        self._n_learned += 1
        if self._n_learned == SETTLING:
            self._model.settle()

    def _row(self, x: Sample, *, learning: bool = False) -> np.ndarray:
        """A sample as the network takes it; names that are new get a place if it is to be learned."""
        if tuple(x) != self._names:
            for name in sorted(x.keys() - self._places.keys(), key=str) if learning else ():
                free, shared = len(self._places), crc32(str(name).encode()) % self.n_names
                self._places[name] = free if free < self.n_names else shared
            x = {name: value for name, value in x.items() if name in self._places}
            self._names = tuple(x)
            self._where = np.array([self._places[name] for name in x], np.int64)
        try:
            values = np.fromiter(x.values(), np.float64, len(x))
        except (TypeError, ValueError):
            values = np.array([_number(name, value) for name, value in x.items()])
        values[np.isnan(values)] = 0.0
        return on_and_off(np.bincount(self._where, values, self.n_names))

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"seed": 1}


def _number(name: Any, value: Any) -> float:
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"the feature {name!r} is {value!r}: expected a number. Encode it before, for instance by "
            "river.preprocessing.OneHotEncoder."
        ) from None


class Clusterer(_Adapter, base.Clusterer):
    """A :class:`~lethenet.ControlledForgettingNetwork` for River: a sample's cluster is its neuron.

    Parameters
    ----------
    estimator
        The network; 100 neurons of the annealed preset if there is none.
    n_names
        How many names of features have a place of their own.
    seed
        Key of the random numbers, instead of the estimator's.

    Examples
    --------
    >>> from lethenet import ControlledForgettingNetwork
    >>> from lethenet.river import Clusterer
    >>> model = Clusterer(ControlledForgettingNetwork(n_neurons=4, threshold=15), n_names=6, seed=1)
    >>> for x in ({"a": 1}, {"b": 1}, {"a": 2}):
    ...     model.learn_one(x)
    >>> model.predict_one({"a": 3}) == model.predict_one({"a": 1}) != model.predict_one({"b": 1})
    True
    """

    def predict_one(self, x: Sample) -> int:
        """The neuron that answers to a sample, −1 if none does."""
        try:
            return int(self._model.predict_one(self._row(x)))
        except NotFittedError:
            return -1


class AnomalyDetector(_Adapter, base.AnomalyDetector):
    """What is unlike anything learned so far, for River: the score is 1 − ``score_one``, from 0 to 1.

    Parameters are those of :class:`Clusterer`.

    Examples
    --------
    >>> from lethenet import ControlledForgettingNetwork
    >>> from lethenet.river import AnomalyDetector
    >>> estimator = ControlledForgettingNetwork(n_neurons=4, threshold=15)
    >>> model = AnomalyDetector(estimator, n_names=6, seed=1)
    >>> model.learn_one({"a": 1, "b": 2})
    >>> model.score_one({"a": 1, "b": 2}) < 0.1 < model.score_one({"a": -1, "b": -2})
    True
    """

    def score_one(self, x: Sample) -> float:
        """How new a sample is: 0 if it is as learned, 1 if it is unlike everything."""
        try:
            return 1.0 - float(self._model.score_one(self._row(x)))
        except NotFittedError:
            return 1.0


class Classifier(_Adapter, base.Classifier):
    """A :class:`~lethenet.ControlledForgettingClassifier` for River. Classes need not be announced.

    A label may be missing: None. Parameters are those of :class:`Clusterer`.

    Examples
    --------
    >>> from lethenet import ControlledForgettingClassifier
    >>> from lethenet.river import Classifier
    >>> estimator = ControlledForgettingClassifier(n_neurons=4, threshold=15)
    >>> model = Classifier(estimator, n_names=6, seed=1)
    >>> model.learn_one({"warm": 1}, "summer")
    >>> model.learn_one({"warm": -1}, "winter")
    >>> model.predict_one({"warm": 0.5})
    'summer'
    """

    def _default(self) -> Any:
        return ControlledForgettingClassifier.from_preset("annealed", n_neurons=100)

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_proba_one(self, x: Sample, **kwargs: Any) -> dict[Any, float]:
        """How likely each class is; empty as long as no label is known."""
        classes = getattr(self._model, "classes_", np.zeros(0))
        if not len(classes):
            return {}
        likely = self._model.predict_proba_one(self._row(x)).tolist()
        return dict(zip(classes.tolist(), likely, strict=True))

    def predict_one(self, x: Sample, **kwargs: Any) -> Any:
        """The most likely class; None as long as no label is known."""
        known = len(getattr(self._model, "classes_", ()))
        return self._model.predict_one(self._row(x)) if known else None
