"""The methods that are compared: how each is made, and how to tell whether it still behaves the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Literal, Self

import numpy as np

from lethenet.baselines import MiniBatchStream, OnlineKMeans, SphericalKMeans
from lethenet.estimators.readout import Readout
from lethenet.model import Network, initial_state, preset_parameters

from ..traditional import TraditionalNetwork, initial_traditional_state
from ..traditional.parameters import traditional_for
from .learners import Learner, PrototypeLearner

Order = Literal["in turn", "interleaved"]


def one_blas_thread() -> AbstractContextManager[object]:
    """Linear algebra on one core: several processes with several threads each wait for each other.

    >>> with one_blas_thread():
    ...     float(np.ones(2) @ np.ones(2))
    2.0
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="blas")
    return limits


class SpikingLearner:
    """A network in the common face of :class:`.Learner`.

    >>> from lethenet.model import PAPER
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=3, seed=0))
    >>> SpikingLearner(network).learn(np.eye(3)).winners(np.eye(3)).shape
    (3, 5)
    """

    def __init__(self, network: Network | TraditionalNetwork) -> None:
        self.network = network

    def learn(self, X: np.ndarray) -> Self:
        """Learn the rows of X in order."""
        self.network.learn(X)
        return self

    def winners(self, X: np.ndarray) -> np.ndarray:
        """The neurons that fired for each row, the network frozen."""
        return self.network.recognise(X).winners


@dataclass(frozen=True)
class Method:
    """One method of the comparison.

    Attributes
    ----------
    name, title : str
        On the command line and in results; in tables and figures.
    make : callable
        (neurons, n_features, seed) to a new learner.
    sizes : tuple of int
        Sizes at which it is compared.
    spiking : bool
        Whether it answers with several spikes, so that histogram votes can differ from hard ones.
    orders : tuple of str
        Streams it is run on; the offline bound has its samples all at once.
    random_start : bool
        Whether a seed changes anything besides the order of the interleaved stream.

    Examples
    --------
    >>> METHODS["traditional"].readouts
    ('dominant', 'histogram')
    """

    name: str
    title: str
    make: Callable[[int, int, int], Learner]
    sizes: tuple[int, ...] = (400, 1600)
    spiking: bool = False
    orders: tuple[Order, ...] = ("in turn", "interleaved")
    random_start: bool = True

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """How its answers are turned into classes."""
        return ("dominant", "histogram") if self.spiking else ("dominant",)

    def varies(self, order: Order) -> bool:
        """Whether another seed gives another result."""
        return self.random_start or order == "interleaved"

    def behaviour(self, neurons: int) -> str:
        """A fingerprint of what a network of this size does: it changes when a bit of a result would.

        From a short run on the built-in digits; it stays when code is moved. k-means is not ours to
        change: rounding in the machine's linear algebra must not make its results void.
        """
        if not self.spiking:
            return "k-means"
        from lethenet.data import load

        X = load("digits").X_train[:200]
        winners = self.make(neurons, X.shape[1], 1).learn(X).winners(X)
        return hashlib.sha256(winners.tobytes()).hexdigest()[:16]


def _controlled(preset: str, neurons: int, n_features: int, seed: int) -> Learner:
    parameters = preset_parameters(preset, neurons)
    return SpikingLearner(Network(parameters, initial_state(neurons, n_features, seed)))


def _traditional(neurons: int, n_features: int, seed: int) -> Learner:
    parameters = traditional_for(neurons)
    state = initial_traditional_state(parameters, neurons, n_features, seed)
    return SpikingLearner(TraditionalNetwork(parameters, state))


def _online(neurons: int, n_features: int, seed: int) -> Learner:
    return PrototypeLearner(OnlineKMeans(neurons))


def _minibatch(neurons: int, n_features: int, seed: int) -> Learner:
    return PrototypeLearner(MiniBatchStream(neurons, random_state=seed))


def _spherical(neurons: int, n_features: int, seed: int) -> Learner:
    return PrototypeLearner(SphericalKMeans(neurons, PASSES, random_state=seed))


PASSES = 10
"""Of offline k-means over the data, as in the study of the annealed rule; more change little."""

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "cfn-annealed", "CFN, annealed preset", partial(_controlled, "annealed"), spiking=True
        ),
        Method("cfn-paper", "CFN, paper preset", partial(_controlled, "paper"), spiking=True),
        Method("traditional", "traditional network", _traditional, spiking=True),
        Method("online-kmeans", "online k-means", _online, random_start=False),
        Method("minibatch-kmeans", "MiniBatchKMeans.partial_fit", _minibatch),
        Method(
            "spherical-kmeans", "spherical k-means, offline", _spherical, orders=("interleaved",)
        ),
    )
}
"""By name, in the order of tables and figures."""
