"""What the two estimators share: a network, its parameters, and how it goes on learning."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from inspect import Parameter, Signature, signature
from numbers import Integral
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..model import (
    Network,
    Parameters,
    Presented,
    initial_state,
    preset_parameters,
    preset_readout,
)
from ..model.dopamine import normalised_weights
from .diagnosis import ThresholdWarning, diagnose
from .looking import LooksInside
from .novelty_record import NOVELTY, latest_novelties
from .settling import SETTLING, SettlesThreshold
from .validation import check_samples, check_size, draw_seed

_MODEL_PARAMETERS = {field.name: field.default for field in fields(Parameters)}
PARAMETERS: dict[str, Any] = {
    "n_neurons": 400,
    **_MODEL_PARAMETERS,
    "candidates": "certified",
    "record_novelties": 0,
    "random_state": None,
    "n_jobs": None,
}
"""What all estimators take, and the defaults."""

# Not in the estimators: locks can be neither pickled nor copied
_LOCKS: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_LOCKS_GUARD = threading.Lock()

_Init = TypeVar("_Init", bound=Callable[..., None])


def with_network_parameters(init: _Init) -> _Init:
    """Show :data:`PARAMETERS` in the signature of an ``__init__`` that passes them on: scikit-learn reads
    parameters from there.
    """
    own = [p for p in signature(init).parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = [Parameter(n, Parameter.KEYWORD_ONLY, default=v) for n, v in PARAMETERS.items()]
    init.__signature__ = Signature([*own, *shared])  # type: ignore[attr-defined]
    return init


class NetworkEstimator(LooksInside, SettlesThreshold, BaseEstimator):  # type: ignore[misc]
    """What the two estimators share: they own a :class:`~lethenet.model.Network`."""

    network_: Network

    @with_network_parameters
    def __init__(self, **parameters: Any) -> None:
        for name in parameters.keys() - PARAMETERS.keys():
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {name!r}")
        self.__dict__.update(PARAMETERS | parameters)

    def _parameters(self) -> Parameters:
        own = {name: getattr(self, name) for name in _MODEL_PARAMETERS}
        if self._threshold_is_auto:
            own["threshold"] = getattr(self, "threshold_", Parameters.threshold)
        return Parameters(**own)

    def _learn_more(self, X: Any, y: Any) -> None:
        """Learn samples of a stream, whatever is done with labels."""
        self._learn(X, anew=not hasattr(self, "network_"), settle_from=SETTLING)

    def _warn_of_threshold(self, *counts: np.ndarray) -> None:
        for text in diagnose(self.network_, *counts):
            warnings.warn(text, ThresholdWarning, stacklevel=3)

    def _lock(self) -> threading.RLock:
        """Held while the network learns: two threads would overwrite each other's updates."""
        with _LOCKS_GUARD:
            return _LOCKS.setdefault(self, threading.RLock())

    def _samples(self, X: Any, *, reset: bool) -> Any:
        """Samples as the network takes them, checked."""
        return check_samples(self, X, reset=reset)

    def _learn(
        self,
        X: Any,
        *,
        anew: bool,
        settle_from: int | None = None,
        count: Callable[[Presented], None] | None = None,
    ) -> None:
        """Learn X; ``count`` hears of all samples that were learned, also if Ctrl-C ends it early."""
        if anew:
            self._begin_with(X, settle_from)
        else:
            self._go_on()
        first = self.network_.state.n_presentations
        n_spikes, surprises = self.network_.parameters.n_output_spikes, self._asks_for_surprises
        learned = Presented.empty(X.shape[0], n_spikes, surprises=surprises)
        try:
            self.network_.learn(X, into=learned)
        finally:
            learned = learned.first(self.network_.state.n_presentations - first)
            self._note(learned, first)
            if count is not None:
                count(learned)

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """What ``fit`` does from its first change on: whatever ends it early leaves no half of it."""
        try:
            yield
        except BaseException:
            for name in [name for name in vars(self) if name.endswith("_")]:
                delattr(self, name)
            raise

    def _begin_with(self, X: Any, settle_from: int | None = None) -> None:
        """Make a new network for samples of which X are the first."""
        n_neurons = check_size("n_neurons", self.n_neurons)
        if self._threshold_is_auto:
            from ..theory import auto_threshold

            first, all_of_it = X[:settle_from], settle_from is None
            self.threshold_ = auto_threshold(
                first, n_neurons, complete=all_of_it, parameters=self._parameters()
            )
        parameters = self._parameters()
        self.threshold_ = parameters.threshold
        state = initial_state(n_neurons, X.shape[1], draw_seed(self.random_state))
        self.network_ = Network(parameters, state, candidates=self.candidates)
        self.__dict__.pop("_first_samples", None)
        if self.record_novelties and check_size("record_novelties", self.record_novelties):
            self.novelties_ = np.zeros(0, NOVELTY)

    def _go_on(self) -> None:
        parameters = self._parameters()
        self._check_what_cannot_change(check_size("n_neurons", self.n_neurons), parameters)
        self.threshold_ = parameters.threshold
        if (self.network_.parameters, self.network_.candidates) != (parameters, self.candidates):
            # After set_params between two partial_fits, the network goes on under new parameters
            self.network_ = Network(parameters, self.network_.state, candidates=self.candidates)

    @property
    def _asks_for_surprises(self) -> bool:
        return bool(self.record_novelties and check_size("record_novelties", self.record_novelties))

    def _note(self, learned: Presented, first: int) -> None:
        """Record what was novel among samples that were learned, of which this is the first's number."""
        if self.record_novelties:
            known = getattr(self, "novelties_", np.zeros(0, NOVELTY))
            self.novelties_ = latest_novelties(known, learned, first, self.record_novelties)

    def _check_what_cannot_change(self, n_neurons: int, parameters: Parameters) -> None:
        """Refuse to go on where ``set_params`` asks for another network than the one that learned."""
        state, learned = self.network_.state, self.network_.parameters
        seed = self.random_state if isinstance(self.random_state, Integral) else state.seed
        facts = [("n_neurons", n_neurons, state.n_neurons), ("random_state", seed, state.seed)]
        if parameters.normalise_weights:  # to stop it is no problem
            facts.append(("normalise_weights", True, learned.normalise_weights))
        for name, asked, has in facts:
            if asked != has:
                raise ValueError(
                    f"{name}={asked!r}, but the network has learned with {name}={has!r}, which cannot "
                    f"change any more. Start anew with fit, or go on with set_params({name}={has!r})."
                )

    def _spikes(self, X: Any) -> np.ndarray:
        """How often each neuron fires for each sample (n_samples, n_neurons), the network frozen."""
        winners = self._winners(X)
        counts = np.zeros((len(winners), self.network_.state.n_neurons + 1), np.int64)
        np.add.at(counts, (np.arange(len(winners))[:, None], winners), 1)
        return counts[:, :-1]  # the last column took the winners −1: no spike

    def _winners(self, X: np.ndarray) -> np.ndarray:
        n_jobs = self.n_jobs
        if n_jobs is not None and not isinstance(n_jobs, Integral):  # NaN threads are waited for
            raise ValueError(f"n_jobs={n_jobs!r}: expected a whole number of threads.")
        return self.network_.recognise(X, n_threads=effective_n_jobs(n_jobs)).winners

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """An estimator with a preset's parameters ("paper", "annealed", …), and yours on top.

        The threshold of "annealed" is ``"auto"``; a classifier gets the preset's read-out, too.

        >>> from lethenet import ControlledForgettingNetwork
        >>> ControlledForgettingNetwork.from_preset("annealed", n_neurons=100).annealed
        True
        """
        n_neurons = parameters.get("n_neurons", cls().n_neurons)
        constants = asdict(preset_parameters(preset, check_size("n_neurons", n_neurons)))
        if preset == "annealed":  # the formula of preset_parameters is for images like MNIST's
            constants["threshold"] = "auto"
        if "readout" in cls._get_param_names():
            constants["readout"] = preset_readout(preset)
        return cls(**{**constants, **parameters})

    @property
    def weights_(self) -> np.ndarray:
        """Weight vectors, a row per neuron (n_neurons, n_features); read-only."""
        weights = self._fitted().state.weights.view()
        weights.flags.writeable = False
        return weights

    @property
    def dopaminergic_weights_(self) -> np.ndarray:
        """How strongly dopamine pushes each neuron (n_neurons,); they sum to one."""
        network = self._fitted()
        return normalised_weights(network.state.usage, network.parameters.depression)

    @property
    def spike_counts_(self) -> np.ndarray:
        """Natural output spikes of each neuron while learning (n_neurons,)."""
        return self._fitted().state.spike_counts.copy()

    @property
    def imprint_counts_(self) -> np.ndarray:
        """How often dopamine made each neuron learn a novelty (n_neurons,)."""
        return self._fitted().state.imprint_counts.copy()

    @property
    def n_presentations_(self) -> int:
        """Samples learned so far."""
        return self._fitted().state.n_presentations

    def _fitted(self) -> Network:
        check_is_fitted(self)
        return self.network_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.non_deterministic = self.random_state is None
        return tags
