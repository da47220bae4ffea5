"""A look inside estimators: recordings, and what notebooks show."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..model.recording import record_all


class ShownInNotebooks:
    """Adds the weights to the HTML of an estimator that has learned; stands before ``BaseEstimator``."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._learned_html()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._learned_html()
        return bundle

    def _learned_html(self) -> str:
        from ..plot.notebook import model_html

        try:
            check_is_fitted(self)
        except NotFittedError:
            return ""
        return model_html(self)


class LooksInside(ShownInNotebooks):
    """Recordings for estimators that own a network."""

    def record(
        self: Any, X: Any, y: Any = None, *, learn: bool = False, neurons: Any = None
    ) -> Any:
        """A sample's :class:`~lethenet.model.Recording`: every spike and potential; a list for several.

        With ``learn`` the estimator learns it (and its label ``y``) as by :meth:`partial_fit`, to the
        same bits; nothing changes otherwise. ``neurons`` says whose potentials are recorded: so many (10
        for None) that fire or come closest, "all", or a list.

        >>> from sklearn.datasets import load_digits
        >>> from lethenet import ControlledForgettingNetwork
        >>> X = load_digits().data
        >>> network = ControlledForgettingNetwork(n_neurons=20, threshold=15.5, random_state=0)
        >>> network.fit(X[:100]).record(X[100]).winners.shape
        (5,)
        """
        if np.ndim(X) == 1:
            labels = y if y is None else [y]
            return self.record(np.asarray(X)[None], labels, learn=learn, neurons=neurons)[0]
        with self._lock():
            network, samples = self._fitted(), self._samples(X, reset=False)
            p = self._parameters() if learn else network.parameters
            teach = (lambda _: self.partial_fit(X, y)) if learn else None
            return record_all(samples, network.state, p, teach, neurons=neurons)
