"""The unsupervised network as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .one_sample import OneSampleEstimator


class UnsupervisedEstimator(OneSampleEstimator):
    """A network that learns from samples alone."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn X in order, starting from a new network. ``y`` is ignored."""
        with self._lock():
            X = self._samples(X, reset=True)
            with self._fitting():
                self._learn(X, anew=True)
                self._look_back(X)
            self._warn_of_threshold()
        return self

    def _look_back(self, X: Any) -> None:
        """What there is to do with the samples that a new network has learned."""

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning with X. ``y`` is ignored.

        With ``threshold="auto"`` the first 1000 samples wait, see :meth:`settle`.
        Parameters that ``set_params`` changed count from here on; the number of neurons, the random
        seed and a switch to ``normalise_weights`` cannot change in a network that has learned.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0)
        >>> network.partial_fit(np.eye(6)[:3]).partial_fit(np.eye(6)[3:]).n_presentations_
        6
        """
        with self._lock():
            X = self._samples(X, reset=self._begins)
            ready = self._waits(X, [None] * X.shape[0])
            if ready is not None:
                self._learn_more(*ready)
        return self


class ControlledForgettingNetwork(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    UnsupervisedEstimator,
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
habituation, dopaminergic_floor, links, stop_after_imprint, carry_trace, rate_gain, max_rate_gain
        The model's constants, with the paper's values as defaults:
        see :class:`lethenet.model.Parameters` for each one's meaning and unit.
        ``threshold="auto"`` settles the threshold without labels, from the samples of ``fit`` (100 or
        more) or from the first 1000 of a stream (``partial_fit``), which wait for it: see :meth:`settle`.
    candidates : {"certified", "all"}, default="certified"
        Simulate the neurons that can fire, with a proven bound, or all of them. Same result.
    record_novelties : int, default=0
        How many of the latest novelties ``novelties_`` holds.
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
    cluster_centers_ : ndarray of shape (n_neurons, n_features)
        The weights by another name.
    labels_ : ndarray of shape (n_samples,)
        The neuron of each sample of the last ``fit_predict``.
    novelties_ : ndarray
        The latest novelties, if ``record_novelties`` asks for them: see
        :data:`lethenet.estimators.novelty_record.NOVELTY`.
    n_presentations_ : int
    threshold_ : float
        The firing threshold that is used.
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

    def transform(self, X: Any) -> np.ndarray:
        """Output spikes of each neuron for each sample (n_samples, n_neurons), the network frozen."""
        check_is_fitted(self)
        return self._spikes(self._samples(X, reset=False))

    def predict(self, X: Any) -> np.ndarray:
        """The neuron that fired most for each sample (the first to fire among equals), −1 if none."""
        check_is_fitted(self)
        winners = self._winners(self._samples(X, reset=False))
        same: np.ndarray = winners[:, :, None] == winners[:, None, :]
        first_of_most = same.sum(axis=2).argmax(axis=1)
        answers: np.ndarray = winners[np.arange(len(winners)), first_of_most]
        return answers.astype(np.int64)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn X in order, then say to which neuron each sample belongs; kept as ``labels_``.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingNetwork
        >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0)
        >>> labels = network.fit_predict(np.eye(3)[[0, 1, 0]])
        >>> bool(labels[0] == labels[2] != labels[1])
        True
        """
        self.labels_: np.ndarray = self.fit(X).predict(X)
        return self.labels_

    @property
    def cluster_centers_(self) -> np.ndarray:
        """The weights by another name: those who cluster call it so."""
        return self.weights_

    @property
    def _n_features_out(self) -> int:
        return self.network_.state.n_neurons

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # spikes are counted in integers
        return tags
