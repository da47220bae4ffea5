"""What is new: a detector of novelties that goes on learning, in scikit-learn's words."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..layers.on_off import on_and_off
from ..model import Presented
from .base import with_network_parameters
from .network import UnsupervisedEstimator
from .validation import check_size


class NoveltyDetector(OutlierMixin, UnsupervisedEstimator):  # type: ignore[misc]
    """Tells what is unlike anything learned so far, while the world changes.

    It learns as :class:`ControlledForgettingNetwork` does. The score of a sample is its highest cosine with
    a neuron that has learned something; what scores below ``offset_`` is new.

    Parameters
    ----------
    contamination : float, default=0.05
        The share of samples to be called new, above 0 and at most 0.5. After :meth:`fit`: of the samples
        that were learned. After :meth:`partial_fit` and ``learn_one``: of the latest ones, each as it was
        before it was learned, so that this is the rate of alarms in a stream that does not change.
        The first samples of all, to which everything is new, count until ``window`` more have come.
    window : int, default=1000
        How many samples of a stream ``offset_`` is taken from.
    signed : bool, default=True
        Whether there may be negative values. Values above and below 0 have inputs of their own then
        (:class:`~lethenet.layers.OnOff`), and ``weights_`` has 2 · n_features columns.
    n_neurons, …, record_novelties, random_state, n_jobs
        As in :class:`ControlledForgettingNetwork`.

    Attributes
    ----------
    offset_ : float
        The score from which on a sample is known.
    recent_scores_ : ndarray
        The scores that ``offset_`` is taken from.
    weights_, dopaminergic_weights_, spike_counts_, imprint_counts_, n_presentations_, network_
        As in :class:`ControlledForgettingNetwork`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lethenet import NoveltyDetector
    >>> X, y = load_digits(return_X_y=True)
    >>> detector = NoveltyDetector(n_neurons=50, threshold=15.5, random_state=0).fit(X[y < 5])
    >>> bool((detector.predict(X[y < 5]) == -1).mean() < 0.06 < (detector.predict(X[y > 4]) == -1).mean())
    True
    """

    n_features_in_: int
    recent_scores_: np.ndarray

    @with_network_parameters
    def __init__(
        self,
        *,
        contamination: float = 0.05,
        window: int = 1000,
        signed: bool = True,
        **parameters: Any,
    ) -> None:
        super().__init__(**parameters)
        self.contamination = contamination
        self.window = window
        self.signed = signed

    def _look_back(self, X: Any) -> None:
        self.recent_scores_ = self.network_.familiarity(X)

    @property
    def offset_(self) -> float:
        """The score from which on a sample is known: :meth:`decision_function` is 0 there."""
        check_is_fitted(self)
        return float(np.quantile(self.recent_scores_, self.contamination))

    def decision_function(self, X: Any) -> np.ndarray:
        """How far each sample is on the known side (n_samples,); negative is new."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for what is known, −1 for what is new (n_samples,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def predict_one(self, x: Any) -> int:
        """1 if one sample (n_features,) is known, −1 if it is new."""
        return -1 if self.score_one(x) < self.offset_ else 1

    def _begin_with(self, X: Any, settle_from: int | None = None) -> None:
        self._check_share()
        super()._begin_with(X, settle_from)
        self.recent_scores_ = np.zeros(0)

    def _go_on(self) -> None:
        self._check_share()
        if bool(self.signed) != self._is_signed:
            raise ValueError(
                f"signed={self.signed!r}, but the network has learned with signed={self._is_signed}, "
                "which cannot change any more. Start anew with fit."
            )
        super()._go_on()

    @property
    def _is_signed(self) -> bool:
        if not hasattr(self, "network_"):
            return bool(self.signed)
        return bool(self.network_.state.n_features > self.n_features_in_)

    def _samples(self, X: Any, *, reset: bool) -> Any:
        if reset:
            self._check_share()
        if not (self.signed if reset else self._is_signed):
            return super()._samples(X, reset=reset)
        kinds = [np.float64, np.float32, np.uint8]
        return on_and_off(validate_data(self, X, reset=reset, dtype=kinds))

    def _sample(self, x: Any) -> Any:
        x = np.asarray(x)
        if self._is_signed and x.shape == (self.n_features_in_,) and x.dtype.kind in "fiub":
            return on_and_off(x.astype(np.float64, copy=False))
        return x

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.signed
        tags.input_tags.sparse = not self.signed
        return tags

    @property
    def _asks_for_surprises(self) -> bool:
        return True

    def _note(self, learned: Presented, first: int) -> None:
        super()._note(learned, first)
        self._note_scores(learned)

    def _note_one(self, learned: Presented, number: int) -> None:
        super()._note_one(learned, number)
        self._note_scores(learned)

    def _note_scores(self, learned: Presented) -> None:
        scores = np.concatenate([self.recent_scores_, 1.0 - learned.surprises])
        self.recent_scores_ = scores[-self.window :]

    def _check_share(self) -> None:
        share = self.contamination
        if not isinstance(share, Real) or not 0 < share <= 0.5:
            raise ValueError(f"contamination={share!r}: expected a share above 0, at most 0.5.")
        check_size("window", self.window)
