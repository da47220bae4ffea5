"""Layers and a network as one learner that goes on learning: what scikit-learn's Pipeline lacks."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import pipeline
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .looking import ShownInNotebooks
from .one_sample import Learned

_if_last_takes_one = available_if(lambda self: hasattr(self._final_estimator, "learn_one"))


class LifelongPipeline(ShownInNotebooks, pipeline.Pipeline):  # type: ignore[misc]
    """scikit-learn's :class:`~sklearn.pipeline.Pipeline` with a ``partial_fit``.

    :func:`lethenet.make_pipeline` makes one. ``lethenet.save`` keeps it in one file, layers and all.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lethenet import ControlledForgettingNetwork, make_pipeline
    >>> from lethenet.layers import Edges
    >>> X = load_digits().data
    >>> network = ControlledForgettingNetwork(n_neurons=20, threshold=14.0, random_state=0)
    >>> learner = make_pipeline(Edges(image_shape=(8, 8)), network)
    >>> learner.partial_fit(X[:50]).partial_fit(X[50:80])[-1].n_presentations_
    80
    """

    @available_if(lambda self: hasattr(self._final_estimator, "partial_fit"))  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, **parameters: Any) -> Self:
        """Go on learning with X: each layer that can, and then the network.

        A layer without ``partial_fit`` is fitted by the first call and stays as it is. A layer in its
        infancy (:class:`~lethenet.layers.Patches`) keeps the samples of that time to itself: what the
        network would learn from features that still change would be worth nothing.

        ``parameters`` go to the last step: ``classes``, for instance.
        """
        rows = self._through_layers(X, y)
        if rows is not None:
            X, y = rows
            given = (X,) if y is None else (X, y)
            self.steps[-1][1].partial_fit(*given, **parameters)
        return self

    def _through_layers(self, X: Any, y: Any) -> tuple[Any, Any] | None:
        """Let the layers learn, and return what is left of X and y for the network; None if nothing is."""
        for _, _, layer in self._iter(with_final=False):
            kept = int(getattr(layer, "infancy_left_", 0))
            if hasattr(layer, "partial_fit"):
                layer.partial_fit(X)
            elif not _is_fitted(layer):
                layer.fit(X, y)
            n = X.shape[0] if hasattr(X, "shape") else len(X)
            if kept:
                rows = slice(min(kept, n), n)
                X = _safe_indexing(X, rows)
                y = None if y is None else _safe_indexing(y, rows)
            if n <= kept:
                return None
            X = layer.transform(X)
        return X, y

    @_if_last_takes_one  # type: ignore[untyped-decorator]
    def learn_one(self, x: Any, y: Any = None) -> Learned | None:
        """Learn one sample (n_features,), as :meth:`partial_fit` would; None if a layer keeps it."""
        rows = self._through_layers(np.asarray(x)[None], None)
        return None if rows is None else self._final_estimator.learn_one(rows[0][0], y)

    @_if_last_takes_one  # type: ignore[untyped-decorator]
    def predict_one(self, x: Any) -> Any:
        """What ``predict`` answers to one sample (n_features,)."""
        return self._final_estimator.predict_one(self._features_of_one(x))

    @_if_last_takes_one  # type: ignore[untyped-decorator]
    def score_one(self, x: Any) -> float:
        """How familiar one sample (n_features,) is: a row of ``score_samples``."""
        return float(self._final_estimator.score_one(self._features_of_one(x)))

    def _features_of_one(self, x: Any) -> Any:
        X = np.asarray(x)[None]
        for _, _, layer in self._iter(with_final=False):
            X = layer.transform(X)
        return X[0]

    def record(self, X: Any, y: Any = None, *, learn: bool = False, neurons: Any = None) -> Any:
        """Record what the network does with samples, or one, that the layers have turned into features.

        As the estimators' ``record``; with ``learn``, all learn as by :meth:`partial_fit`.
        """
        check_is_fitted(self)
        if np.ndim(X) == 1:
            labels = y if y is None else [y]
            return self.record(np.asarray(X)[None], labels, learn=learn, neurons=neurons)[0]
        for _, _, layer in self._iter(with_final=False):
            if learn and hasattr(layer, "partial_fit"):
                layer.partial_fit(X)
            X = layer.transform(X)
        return self.steps[-1][1].record(X, y, learn=learn, neurons=neurons)


def make_pipeline(*steps: Any) -> LifelongPipeline:
    """Layers and a network as one learner; scikit-learn's function of this name, with ``partial_fit``.

    >>> from lethenet import ControlledForgettingClassifier, make_pipeline
    >>> from lethenet.layers import OnOff
    >>> list(make_pipeline(OnOff(), ControlledForgettingClassifier()).named_steps)
    ['onoff', 'controlledforgettingclassifier']
    """
    return LifelongPipeline(pipeline.make_pipeline(*steps).steps)


def _is_fitted(layer: Any) -> bool:
    try:
        check_is_fitted(layer)
    except NotFittedError:
        return False
    return True
