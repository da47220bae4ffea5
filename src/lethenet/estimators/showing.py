"""Estimators in notebooks: scikit-learn's diagram, and below it what has been learned."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted


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
