"""One sample at a time: ``learn_one``, ``predict_one``, ``score_one``, with the bits of batches.

What batches check for every call is checked once here; then a sample costs a few microseconds more than a
row of a batch. Calls from several threads wait for each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..model import Presented
from ..model.one_sample import OneSample
from .base import NetworkEstimator


class Place(NamedTuple):
    """Where an estimator takes single samples, and what it looked like when the place was made."""

    one: OneSample
    settings: tuple[Any, ...]
    classes: np.ndarray | None
    numbers: dict[Any, int]  # of the classes


# Not in the estimators: a place can be neither pickled nor copied
PLACES: WeakKeyDictionary[Any, Place] = WeakKeyDictionary()


class Learned(NamedTuple):
    """What learning a sample did; (−1, False, nan, −1) if it waits for ``threshold="auto"`` to be settled.

    Attributes
    ----------
    neuron
        The neuron that it was imprinted on or, if it was not novel, that fired most; −1 for a blank sample.
    novel
        Whether dopamine let it be imprinted.
    surprise
        How unlike all that the network knew it was, from 0 to 1: 1 − ``score_one`` before learning.
    overwritten
        Of a novel sample: how many natural spikes its neuron had had since its own imprint, −1 if it had
        not learned anything before. −1 of other samples.
    former
        The weights that it has overwritten, if they were asked for.

    >>> Learned(neuron=3, novel=False, surprise=0.1, overwritten=-1).novel
    False
    """

    neuron: int
    novel: bool
    surprise: float
    overwritten: int
    former: np.ndarray | None = None


class OneSampleEstimator(NetworkEstimator):
    """A network that scores samples and takes single ones, too."""

    def score_samples(self, X: Any) -> np.ndarray:
        """How familiar each sample is (n_samples,): higher is more so, 1 is what a neuron has learned.

        The highest cosine between the sample and the weights of a neuron that has learned something.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, threshold=15, random_state=0)
        >>> network.fit(np.eye(6)[:2]).score_samples(np.eye(6)[:3]).round(2)
        array([1., 1., 0.])
        """
        check_is_fitted(self)
        return self.network_.familiarity(self._samples(X, reset=False))

    def learn_one(self, x: Any, y: Any = None, *, former: bool = False) -> Learned:
        """Learn one sample (n_features,), as ``partial_fit`` would. ``y`` is ignored but by classifiers.

        ``former`` asks for the weights that an imprint has overwritten.

        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, threshold=15, random_state=0)
        >>> network.learn_one([0, 0, 0, 0, 1, 0])
        Learned(neuron=0, novel=True, surprise=1.0, overwritten=-1, former=None)
        >>> network.learn_one([0, 0, 0, 0, 1, 0]).novel
        False
        """
        with self._lock():
            if not hasattr(self, "network_"):
                if self._threshold_is_auto:
                    self.partial_fit([x], None if y is None else [y])  # it waits, with others
                    return Learned(-1, False, math.nan, -1)
                self._begin_with_one(self._samples([x], reset=True))
            place = self._place(to_learn=True)
            number = self._number_of(y)
            learned = place.learn(self._sample(x))
            self._note_one(learned, number)
            imprinted, lost = int(learned.imprints[0]), int(learned.overwritten[0])
            novel = imprinted >= 0
            return Learned(
                imprinted if novel else _most(learned),
                novel,
                float(learned.surprises[0]),
                lost,
                learned.former[0].copy() if former and lost >= 0 else None,
            )

    def predict_one(self, x: Any) -> Any:
        """What ``predict`` answers to one sample (n_features,)."""
        with self._lock():
            return _most(self._place().recognise(self._sample(x)))

    def score_one(self, x: Any) -> float:
        """How familiar one sample (n_features,) is: a row of ``score_samples``."""
        with self._lock():
            return self._place().score(self._sample(x))

    def _place(self, *, to_learn: bool = False) -> OneSample:
        """Where the network takes single samples; what ``set_params`` changed counts from here on."""
        kept = PLACES.get(self)
        if kept is None:
            check_is_fitted(self)
        if to_learn:
            kind: Any = type(self)
            settings = _settings_of(kind)(self.__dict__)
            if kept is None or kept.settings != settings:
                self._go_on()
                kept = PLACES[self] = Place(OneSample(self.network_), settings, None, {})
        if kept is None or kept.one.network is not self.network_:
            kept = PLACES[self] = Place(OneSample(self.network_), (), None, {})
        return kept.one

    def _sample(self, x: Any) -> Any:
        """One sample, to be checked, as wide as the network."""
        return x

    def _begin_with_one(self, X: np.ndarray) -> None:
        """Make all that a first sample, the row of X, needs."""
        self._begin_with(X)

    def _number_of(self, label: Any) -> int:
        """The number of a label's class, −1 if there is none."""
        return -1

    def _note_one(self, learned: Presented, number: int) -> None:
        """What there is to do when a sample was learned."""
        if self.record_novelties and learned.imprints[0] >= 0:
            NetworkEstimator._note(self, learned, self.network_.state.n_presentations - 1)


def _most(presented: Presented) -> int:
    """The neuron that fired most for a single sample, the first among equals; −1 if none did."""
    winners = presented.winners[0].tolist()
    return max(winners, key=winners.count)  # type: ignore[no-any-return]


@cache
def _settings_of(estimator: Any) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """How to take an estimator's parameters out of its ``__dict__``, quickly."""
    return itemgetter(*estimator._get_param_names())
