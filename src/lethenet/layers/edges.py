"""A fixed first layer: oriented edge detectors, pooled, with lateral inhibition between directions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from .base import Layer, blur_taps, check_number, image_shape
from .edge_kernels import EdgeConstants, detect_edges


@dataclass(eq=False, repr=False)
class Edges(Layer):
    """Oriented edge detectors with pooling and lateral inhibition: what stays the same for life.

    The image is blurred; at each pixel the gradient is seen by detectors of ``n_directions`` signed
    directions, length · cos(angle)^``sharpness``; their answers are pooled around each of a grid of places
    and compressed by a square root; last, the directions at a place inhibit each other: each loses
    ``inhibition`` times their mean, and what falls below zero is silent.

    Nothing is learned: ``fit`` looks at the number of features only. Images may be of any size, brighter
    ones only have longer features, and of colours the one with the strongest edge counts at each pixel.

    Parameters
    ----------
    image_shape : (height, width) or (height, width, channels), default=None
        Of a sample. None takes a square where the number of features is one, and a line otherwise.
    n_directions : int, default=8
        How many directions there are detectors for, over the full circle.
    sharpness : int, default=6
        Exponent p of the detectors' tuning, cos(angle)ᵖ: higher answers to fewer directions.
    blur : float, default=0.5
        Width σ of the Gaussian that the image is blurred with, in pixels; 0 for none.
    pool_step : int or None, default=None
        Pixels between two pooled places. None takes a seventh of the image's side: 4 for 28 × 28.
    pool_width : float or None, default=None
        Width σ of the Gaussian that weighs what is pooled; half of ``pool_step`` if None.
    n_roots : int, default=1
        How often the square root of what was pooled is taken; 0 leaves it as it is.
    inhibition : float, default=0.5
        How much of the mean over directions each direction loses.

    Attributes
    ----------
    image_shape_ : (height, width, channels)
    directions_ : ndarray of shape (2, n_directions)
        The unit vector of each direction, across and down.
    grid_shape_ : (places down, places across, n_directions)
        A sample's features are of this shape.

    Examples
    --------
    >>> import numpy as np
    >>> from lethenet.layers import Edges
    >>> images = np.zeros((1, 28, 28))
    >>> images[:, :, 14:] = 1.0  # dark on the left, bright on the right
    >>> layer = Edges(image_shape=(28, 28))
    >>> features = layer.fit_transform(images.reshape(1, -1)).reshape(layer.grid_shape_)
    >>> features.shape, int(features.sum(axis=(0, 1)).argmax())
    ((7, 7, 8), 0)
    """

    image_shape: Any = None
    _: KW_ONLY
    n_directions: int = 8
    sharpness: int = 6
    blur: float = 0.5
    pool_step: int | None = None
    pool_width: float | None = None
    n_roots: int = 1
    inhibition: float = 0.5

    def prepare(self) -> None:
        """All that is derived from the parameters and the number of features."""
        self.image_shape_ = image_shape(self.image_shape, self.n_features_in_)
        rows, columns = self._places(7)
        n = check_number("n_directions", self.n_directions, 1, 256, whole=True)
        angles = 2 * np.pi * np.arange(n) / n
        self._constants = EdgeConstants(
            taps=blur_taps(check_number("blur", self.blur, 0, 100)),
            directions=np.stack([np.cos(angles), np.sin(angles)]).round(12).astype(np.float32),
            sharpness=check_number("sharpness", self.sharpness, 1, 64, whole=True),
            rows=rows,
            columns=columns,
            n_roots=int(self.n_roots),
            inhibition=float(self.inhibition),
        )
        self.directions_ = self._constants.directions
        self.grid_shape_ = (len(rows), len(columns), n)

    def transform(self, X: Any) -> np.ndarray:
        """Features of each sample (n_samples, places · directions), in single precision."""
        return self._features_by(lambda x, room: detect_edges(x, self._constants, room), X)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Images that would give about these features (n_samples, n_features): what a neuron likes to see.

        Features are spread over the pixels they were pooled from; the image is the one whose gradients
        come closest to them (Poisson's equation).
        """
        from scipy.fft import dctn, idctn

        maps = self._unpooled(X, self.n_roots, self._constants.rows, self._constants.columns)
        across, down = np.moveaxis(maps @ self._constants.directions.T.astype(float), 3, 0)
        divergence = np.diff(across, axis=2, prepend=0.0) + np.diff(down, axis=1, prepend=0.0)
        height, width, _ = self.image_shape_
        waves = [2 * np.cos(np.pi * np.arange(n) / n) - 2 for n in (height, width)]
        curvature = waves[0][:, None] + waves[1]
        curvature[0, 0] = 1.0  # the mean, which gradients do not tell
        images = idctn(dctn(divergence, axes=(1, 2)) / curvature, axes=(1, 2))
        border = np.concatenate(
            [images[:, 0], images[:, -1], images[:, :, 0], images[:, :, -1]], axis=1
        )
        return self._as_samples(images - np.median(border, axis=1)[:, None, None])
