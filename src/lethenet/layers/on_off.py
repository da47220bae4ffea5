"""Signed features for a network that takes none: the positive and the negative part side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from .base import Layer


def on_and_off(X: np.ndarray) -> np.ndarray:
    """Positive parts, then negative parts, along the last axis.

    >>> on_and_off(np.array([1.0, -2.0]))
    array([1., 0., 0., 2.])
    """
    n = X.shape[-1]
    parts = np.zeros((*X.shape[:-1], 2 * n), X.dtype)
    np.maximum(X, 0, out=parts[..., :n])
    if X.dtype.kind == "f":
        np.maximum(-X, 0, out=parts[..., n:])
    return parts


class OnOff(Layer):
    """Signed features as on and off inputs: x⁺ and x⁻ side by side.

    As cells of the retina do: one answers to more light than usual, another one to less. Nothing is lost
    and lengths stay the same, so standardised data, principal components or embeddings can be learned
    from. (Shifting them instead, until none is negative, makes all samples look alike.)

    Examples
    --------
    >>> import numpy as np
    >>> from lethenet.layers import OnOff
    >>> layer = OnOff().fit([[1.0, -2.0]])
    >>> features = layer.transform([[1.0, -2.0]])
    >>> features
    array([[1., 0., 0., 2.]])
    >>> layer.inverse_transform(features)
    array([[ 1., -2.]])
    >>> layer.get_feature_names_out(["x", "y"])
    array(['x_on', 'y_on', 'x_off', 'y_off'], dtype=object)
    """

    _derived = "n_features_in_"

    def transform(self, X: Any) -> np.ndarray:
        """Positive parts, then negative parts (n_samples, 2 · n_features)."""
        return on_and_off(self._fitted_samples(X))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The signed features again: what is on minus what is off."""
        check_is_fitted(self, "n_features_in_")
        parts, n = check_array(X, dtype=[np.float64, np.float32]), self.n_features_in_
        if parts.shape[1] != 2 * n:
            raise ValueError(f"X has {parts.shape[1]} features: expected {2 * n}, on and off.")
        return np.asarray(parts[:, :n] - parts[:, n:])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names with ``_on`` and ``_off`` behind them."""
        from sklearn.utils.validation import _check_feature_names_in

        check_is_fitted(self, "n_features_in_")
        names = _check_feature_names_in(self, input_features)
        return np.array([f"{name}_{part}" for part in ("on", "off") for name in names], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.requires_fit = True
        return tags
