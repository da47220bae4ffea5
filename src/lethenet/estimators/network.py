"""The unsupervised network as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..model import Network, Parameters, Presented, initial_state, preset_parameters
from ..model.dopamine import normalised_weights
from .validation import check_samples, check_size, draw_seed

_MODEL_PARAMETERS = tuple(field.name for field in fields(Parameters))


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """What the two estimators share: they own a :class:`~lethenet.model.Network`."""

    network_: Network

    def _parameters(self) -> Parameters:
        return Parameters(**{name: getattr(self, name) for name in _MODEL_PARAMETERS})

    def _start(self, n_features: int) -> None:
        """A new network that has seen nothing."""
        state = initial_state(
            check_size("n_neurons", self.n_neurons), n_features, draw_seed(self.random_state)
        )
        self.network_ = Network(self._parameters(), state, candidates=self.candidates)

    def _learn(self, X: np.ndarray, *, anew: bool) -> Presented:
        if anew:
            self._start(X.shape[1])
        elif (self.network_.parameters, self.network_.candidates) != (
            parameters := self._parameters(),
            self.candidates,
        ):
            # set_params between two partial_fits: the network goes on under the new parameters
            self.network_ = Network(parameters, self.network_.state, candidates=self.candidates)
        return self.network_.learn(X)

    def _winners(self, X: np.ndarray) -> np.ndarray:
        return self.network_.recognise(X, n_threads=effective_n_jobs(self.n_jobs)).winners

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """An estimator with a preset's parameters ("paper", "annealed", …), and yours on top.

        The threshold of "annealed" follows ``n_neurons``.

        Examples
        --------
        >>> from lethenet import ControlledForgettingNetwork
        >>> ControlledForgettingNetwork.from_preset("annealed", n_neurons=100).annealed
        True
        """
        n_neurons = parameters.get("n_neurons", cls().n_neurons)
        constants = preset_parameters(preset, check_size("n_neurons", n_neurons))
        return cls(**{**asdict(constants), **parameters})

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
        tags.non_deterministic = self.random_state is None
        return tags


class ControlledForgettingNetwork(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    NetworkEstimator,
):
    """A Controlled Forgetting Network: a spiking layer that learns for life, without labels.

    Samples are learned in the order in which they are given; that order may change its distribution
    at any time. Only the direction of a sample counts, not its length.

    Parameters
    ----------
    n_neurons : int, default=400
        Size of the layer. It never changes.
    threshold, tau_mem, tau_pre, learning_rate, annealed, imprint_rate, stdp, static_offset, \
normalise_weights, inhibition, n_output_spikes, n_readout_spikes, recognition_time, dopamine, \
tau_dopamine, dopaminergic_rest, dopaminergic_target, push, depression, forced_depression, age_weight, \
habituation, dopaminergic_floor, stop_after_imprint, carry_trace, rate_gain, max_rate_gain
        The model's constants, with the paper's values as defaults:
        see :class:`lethenet.model.Parameters` for each one's meaning and unit.
    candidates : {"certified", "all"}, default="certified"
        Simulate the neurons that can fire, with a proven bound, or all of them. Same result.
    random_state : int, RandomState instance or None, default=None
        Key of the random numbers. The same integer gives the same bits on the same type of machine,
        whatever ``n_jobs``.
    n_jobs : int or None, default=None
        Threads for recognition; None means 1 unless in a joblib context, −1 all cores. Learning is
        one sample after another by nature.

    Attributes
    ----------
    weights_ : ndarray of shape (n_neurons, n_features)
    dopaminergic_weights_ : ndarray of shape (n_neurons,)
    spike_counts_, imprint_counts_ : ndarray of shape (n_neurons,)
    n_presentations_ : int
    network_ : lethenet.model.Network
        The network itself, with its complete state.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lethenet import ControlledForgettingNetwork
    >>> X, _ = load_digits(return_X_y=True)
    >>> network = ControlledForgettingNetwork(n_neurons=50, threshold=15.5, random_state=0)
    >>> network.fit(X[:200]).transform(X[:3]).sum(axis=1)
    array([5, 5, 5])
    """

    def __init__(
        self,
        *,
        n_neurons: int = 400,
        threshold: float = 13.5,
        tau_mem: float = 15.0,
        tau_pre: float = 200.0,
        learning_rate: float = 0.01,
        annealed: bool = False,
        imprint_rate: float = 1.0,
        stdp: str = "oja",
        static_offset: float = 1.0,
        normalise_weights: bool = True,
        inhibition: float = 1.0,
        n_output_spikes: int = 5,
        n_readout_spikes: int = 5,
        recognition_time: float = 200.0,
        dopamine: bool = True,
        tau_dopamine: float = 200.0,
        dopaminergic_rest: float = 1.0,
        dopaminergic_target: str = "trained",
        push: str = "usage",
        depression: float = 0.3,
        forced_depression: float = 0.3,
        age_weight: float = 0.0,
        habituation: float = 0.0,
        dopaminergic_floor: float = 0.0,
        stop_after_imprint: bool = True,
        carry_trace: bool = False,
        rate_gain: float = 1.1,
        max_rate_gain: float = 100.0,
        candidates: str = "certified",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        store(self, locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn X in order, starting from a new network. ``y`` is ignored.

        Examples
        --------
        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6)).n_presentations_
        6
        """
        self._learn(check_samples(self, X, reset=True), anew=True)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning with X. ``y`` is ignored.

        Examples
        --------
        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0)
        >>> network.partial_fit(np.eye(6)[:3]).partial_fit(np.eye(6)[3:]).n_presentations_
        6
        """
        anew = not hasattr(self, "network_")
        self._learn(check_samples(self, X, reset=anew), anew=anew)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Output spikes of each neuron for each sample (n_samples, n_neurons), the network frozen.

        Examples
        --------
        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6))
        >>> network.transform(np.eye(6)[:2]).shape
        (2, 4)
        """
        check_is_fitted(self)
        winners = self._winners(check_samples(self, X, reset=False))
        counts = np.zeros((len(winners), self.network_.state.n_neurons + 1), np.int64)
        np.add.at(counts, (np.arange(len(winners))[:, None], winners), 1)
        return counts[:, :-1]  # the last column took the winners −1: no spike

    def predict(self, X: Any) -> np.ndarray:
        """The neuron that fired most for each sample (the first to fire among equals), −1 if none.

        Examples
        --------
        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6))
        >>> network.predict(np.eye(6)).shape
        (6,)
        """
        check_is_fitted(self)
        winners = self._winners(check_samples(self, X, reset=False))
        same: np.ndarray = winners[:, :, None] == winners[:, None, :]
        first_of_most = same.sum(axis=2).argmax(axis=1)
        answers: np.ndarray = winners[np.arange(len(winners)), first_of_most]
        return answers.astype(np.int64)

    @property
    def _n_features_out(self) -> int:
        return self.network_.state.n_neurons

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # spikes are counted in integers
        return tags


def store(estimator: BaseEstimator, arguments: dict[str, Any]) -> None:
    """Keep the constructor's arguments as they are: scikit-learn's ``__init__`` does nothing else."""
    for name, value in arguments.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)
