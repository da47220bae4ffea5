"""What all layers share: checked samples, images of a known shape, names of features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

Shape = tuple[int, int, int]
"""Height, width and number of channels of an image."""

PIECE = 1024
"""Images taken to single precision at a time."""


class Layer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose output is never negative."""

    grid_shape_: tuple[int, int, int]
    image_shape_: Shape
    _derived = "grid_shape_"
    """The attribute that only a layer has whose parameters were found good."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take note of the number of features; nothing is learned."""
        self._samples(X, reset=True)
        self.prepare()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """:meth:`fit` on the first call, so that the layer can stand in a stream; then nothing changes."""
        if not hasattr(self, self._derived):
            return self.fit(X)
        self._samples(X, reset=False)
        return self

    def prepare(self) -> None:
        """All that is derived from the parameters and the number of features."""

    def _fitted_samples(self, X: Any) -> np.ndarray:
        """Samples for a layer that must have been fitted."""
        check_is_fitted(self, self._derived)
        return self._samples(X, reset=False)

    def _places(self, part: int) -> tuple[np.ndarray, np.ndarray]:
        """How much rows and columns of pixels count at each pooled place; the image has ``part`` a side."""
        height, width, _ = self.image_shape_
        usual = max(1, round((height * width) ** 0.5 / part))
        step = usual if self.pool_step is None else self.pool_step
        step = check_number("pool_step", step, 1, 10_000, whole=True)
        sigma = step / 2 if self.pool_width is None else self.pool_width
        sigma = check_number("pool_width", sigma, 0.1, 10_000)
        check_number("n_roots", self.n_roots, 0, 8, whole=True)
        check_number("inhibition", self.inhibition, 0, 100)
        return pooling(height, step, sigma), pooling(width, step, sigma)

    def _pieces(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Samples as images in single precision, some at a time."""
        for start in range(0, len(X), PIECE):
            images = X[start : start + PIECE].astype(np.float32, order="C", copy=False)
            yield images.reshape(-1, *self.image_shape_)

    def _features_by(self, kernel: Callable[[np.ndarray, np.ndarray], None], X: Any) -> np.ndarray:
        """What a kernel makes of images at each place of the grid, a row per sample."""
        X = self._fitted_samples(X)
        down, across, n = self.grid_shape_
        features = np.empty((len(X), down * across, n), np.float32)
        for number, images in enumerate(self._pieces(X)):
            kernel(images, features[number * PIECE : (number + 1) * PIECE])
        return features.reshape(len(X), -1)

    @property
    def _n_features_out(self) -> int:
        return math.prod(self.grid_shape_)

    def _samples(self, X: Any, *, reset: bool) -> np.ndarray:
        """Finite numbers, (n_samples, n_features); bytes and single precision stay as they are."""
        kinds = [np.float64, np.float32, np.uint8]
        checked = validate_data(self, X, reset=reset, dtype=kinds, order="C")
        return np.asarray(checked)

    def _unpooled(
        self, features: Any, n_roots: int, rows: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Features spread over the pixels they were pooled from, (n_samples, height, width, maps)."""
        check_is_fitted(self, "grid_shape_")
        features = check_array(features, dtype=np.float64)
        if features.shape[1] != math.prod(self.grid_shape_):
            raise ValueError(
                f"X has {features.shape[1]} features: expected {math.prod(self.grid_shape_)}."
            )
        grid = np.maximum(features, 0).reshape(-1, *self.grid_shape_) ** 2**n_roots
        return np.asarray(np.einsum("ai,nabd,bj->nijd", rows, grid, columns, optimize=True))

    def _as_samples(self, images: np.ndarray) -> np.ndarray:
        """Grey images (n, height, width) as samples: dark where nothing is, all channels alike."""
        channels = self.image_shape_[2]
        return np.repeat(np.maximum(images, 0)[..., None], channels, axis=3).reshape(
            len(images), -1
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def image_shape(given: Any, n_features: int) -> Shape:
    """The shape of images with so many features; None is for a square, or a line where there is none.

    >>> image_shape((28, 28), 784), image_shape((32, 32, 3), 3072), image_shape(None, 64)
    ((28, 28, 1), (32, 32, 3), (8, 8, 1))
    >>> image_shape((28, 28), 64)
    Traceback (most recent call last):
    ...
    ValueError: image_shape=(28, 28) is for 784 features, but the samples have 64.
    """
    if given is None:
        side = math.isqrt(n_features)
        return (side, side, 1) if side * side == n_features else (1, n_features, 1)
    sizes = given if isinstance(given, tuple | list) else ()
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) and int(n) > 0 for n in sizes)
    if not whole or len(sizes) not in (2, 3):
        raise ValueError(
            f"image_shape={given!r}: expected (height, width) or (height, width, channels)."
        )
    shape = (*map(int, given), 1)[:3]
    if math.prod(shape) != n_features:
        raise ValueError(
            f"image_shape={given!r} is for {math.prod(shape)} features, but the samples have {n_features}."
        )
    return shape  # type: ignore[return-value]


def check_number(name: str, value: Any, low: float, high: float, *, whole: bool = False) -> Any:
    """The value as a float, or an int if ``whole``; ValueError that names it if it is out of range."""
    kind: Any = Integral if whole else Real
    if not isinstance(value, kind) or isinstance(value, bool) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise ValueError(f"{name}={value!r}: expected {what} from {low} to {high}.")
    return int(value) if whole else float(value)


def gaussian(distances: np.ndarray, sigma: float) -> np.ndarray:
    """Weights of a Gaussian that sum to one in each row, in single precision; nothing beyond 3 σ.

    >>> gaussian(np.array([[-1.0, 0.0, 1.0]]), 0.5).round(2)
    array([[0.11, 0.79, 0.11]], dtype=float32)
    """
    if sigma == 0:
        weights = (distances == 0).astype(float)
    else:
        weights = np.exp(-0.5 * (distances / sigma) ** 2) * (np.abs(distances) <= 3 * sigma)
    total = np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    return np.asarray(weights / total, np.float32)


def blur_taps(sigma: float) -> np.ndarray:
    """The weights of a Gaussian blur along one axis.

    >>> len(blur_taps(0.7)), blur_taps(0.0)
    (5, array([1.], dtype=float32))
    """
    reach = int(3 * sigma)
    return gaussian(np.arange(-reach, reach + 1.0), sigma)


def pooling(size: int, step: int, sigma: float) -> np.ndarray:
    """How much each of ``size`` pixels counts at each pooled place, one place every ``step`` pixels.

    >>> pooling(4, 2, 0.3).round(2)
    array([[0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5]], dtype=float32)
    """
    n_places = -(-size // step)
    first = (size - 1 - (n_places - 1) * step) / 2  # centred
    centres = first + step * np.arange(n_places)
    return gaussian(np.arange(size) - centres[:, None], sigma)
