"""A learned first layer: a Controlled Forgetting Network on local patches, with its own dopamine."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..model import Network, initial_state, preset_parameters
from .base import Layer, blur_taps, check_number, image_shape
from .patch_kernels import Answers, Retina, answer_everywhere, draw_patches

CENTRE, SURROUND = 0.6, 3.0
"""Widths σ of the two Gaussians whose difference the on and off cells see, in pixels."""
SETTLING = 2_000
"""Patches from which the threshold is settled, before any is learned."""
BELOW = 1.0
"""How far the threshold lies below the one suggested: novelty is rare, so that neurons average."""


@dataclass(eq=False, repr=False)
class Patches(Layer):
    """A learned first layer: a small Controlled Forgetting Network on patches, shared by all places.

    The image becomes on and off cells (a difference of Gaussians, its positive and its negative part).
    Patches of these, drawn at random places, are the samples of a network of ``n_neurons`` with a
    dopaminergic neuron of its own, which learns from them without labels. To transform an image, every
    place asks the network: the ``n_strongest`` neurons answer with the cosine between their weights and the
    patch, less that of the next one (lateral inhibition); answers are pooled and compressed as in
    :class:`Edges`.

    After an ``infancy`` of so many images the layer is frozen. What is learned from one class serves all
    others: see "A first layer" in the documentation.

    Parameters
    ----------
    image_shape : (height, width) or (height, width, channels), default=None
        Of a sample; of several channels the mean is taken. None takes a square where the number of
        features is one, and a line otherwise.
    n_neurons : int, default=64
        Size of the network: how many kinds of patches it can tell apart.
    patch_side : int or None, default=None
        Side of a patch, in pixels; odd. None takes a quarter of the image's: 7 for 28 × 28.
    infancy : int or None, default=1000
        How many images are learned from before the layer is frozen; None never freezes it.
    patches_per_image : int, default=100
        Patches drawn from each of these.
    n_strongest : int, default=3
        Neurons that answer at a place.
    faintest : float, default=0.5
        A patch counts if its contrast is at least this share of the largest in its image.
    pool_step, pool_width, n_roots, inhibition
        As in :class:`Edges`, but for a step of a sixth of the image's side, 5 for 28 × 28, and inhibition
        between neurons, 0 if nobody says.
    random_state : int, default=0
        Key of all random numbers.

    Attributes
    ----------
    network_ : lethenet.model.Network
        The network that learns from patches.
    n_images_ : int
        Images learned from so far.
    threshold_ : float
        Of the network, settled from the first patches without labels.
    patch_side_ : int
        Side of a patch.
    grid_shape_ : (places down, places across, n_neurons)
        A sample's features are of this shape.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lethenet.layers import Patches
    >>> layer = Patches(image_shape=(8, 8), n_neurons=9, infancy=100)
    >>> features = layer.fit_transform(load_digits().data)
    >>> layer.n_images_, layer.grid_shape_, features.shape
    (100, (8, 8, 9), (1797, 576))
    """

    image_shape: Any = None
    _: KW_ONLY
    n_neurons: int = 64
    patch_side: int | None = None
    infancy: int | None = 1000
    patches_per_image: int = 100
    n_strongest: int = 3
    faintest: float = 0.5
    pool_step: int | None = None
    pool_width: float | None = None
    n_roots: int = 1
    inhibition: float = 0.0
    random_state: int = 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the first ``infancy`` samples, in order, starting from a new network."""
        X = self._samples(X, reset=True)
        self.prepare()
        self._learn(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning, unless the infancy is over."""
        if not hasattr(self, self._derived):
            return self.fit(X)
        self._learn(self._samples(X, reset=False))
        return self

    @property
    def infancy_left_(self) -> int:
        """How many samples are left of the infancy; 0 if the layer is frozen, or learns for life."""
        done = getattr(self, "n_images_", 0)
        return 0 if self.infancy is None else max(0, int(self.infancy) - done)

    def prepare(self) -> None:
        """What is derived from the parameters and the number of features, and nothing learned yet."""
        self.image_shape_ = image_shape(self.image_shape, self.n_features_in_)
        if self.infancy is not None:
            check_number("infancy", self.infancy, 1, 2**62, whole=True)
        check_number("patches_per_image", self.patches_per_image, 1, 5_000, whole=True)
        n = check_number("n_neurons", self.n_neurons, 2, 10**6, whole=True)
        height, width, _ = self.image_shape_
        usual = 2 * max(1, min(height, width) // 8) + 1
        side = usual if self.patch_side is None else self.patch_side
        side = check_number("patch_side", side, 1, 99, whole=True)
        if side % 2 == 0:
            raise ValueError(f"patch_side={side}: expected an odd number, so that it has a middle.")
        self._rows, self._columns = self._places(6)
        faintest = check_number("faintest", self.faintest, 0, 1)
        self._retina = Retina(blur_taps(CENTRE), blur_taps(SURROUND), side, faintest)
        check_number("n_strongest", self.n_strongest, 1, n - 1, whole=True)
        seed = check_number("random_state", self.random_state, 0, 2**64 - 1, whole=True)
        self.network_ = Network(
            preset_parameters("annealed", n), initial_state(n, 2 * side**2, seed)
        )
        self.threshold_: float | None = None
        self.n_images_, self.patch_side_ = 0, side
        self.grid_shape_ = (len(self._rows), len(self._columns), n)

    def _learn(self, X: np.ndarray) -> None:
        left = len(X) if self.infancy is None else self.infancy_left_
        for images in self._pieces(X[:left]):
            patches = self._draw(images)
            self.n_images_ += len(images)
            if self.threshold_ is None and len(patches) >= 2:
                self._settle_threshold(patches[:SETTLING])
            if self.threshold_ is not None:
                self.network_.learn(patches)

    def _draw(self, images: np.ndarray) -> np.ndarray:
        """Patches from random places of these images, a row each; blank ones are left out."""
        size = (len(images), self.patches_per_image, self.network_.state.n_features)
        patches, seed = np.empty(size, np.float32), np.uint64(self.network_.state.seed)
        draw_patches(images, self._retina, seed, self.n_images_, patches)
        rows = patches.reshape(-1, size[2])
        return rows[rows.any(axis=1)]

    def _settle_threshold(self, patches: np.ndarray) -> None:
        from ..theory import suggest_threshold

        parameters, state = self.network_.parameters, self.network_.state
        suggested = suggest_threshold(patches, state.n_neurons, parameters=parameters)
        threshold = round(max(suggested - BELOW, 0.5), 2)
        self.network_ = Network(replace(parameters, threshold=threshold), state)
        self.threshold_ = threshold

    def transform(self, X: Any) -> np.ndarray:
        """Features of each sample (n_samples, places · n_neurons), in single precision."""
        check_is_fitted(self, self._derived)
        answers = Answers(
            np.ascontiguousarray(self.network_.state.weights.T),
            self.n_strongest,
            self._rows,
            self._columns,
            self.n_roots,
            float(self.inhibition),
        )
        return self._features_by(
            lambda x, room: answer_everywhere(x, self._retina, answers, room), X
        )

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Images that would give about these features: each neuron's patch where it answered."""
        maps = self._unpooled(X, self.n_roots, self._rows, self._columns)
        n, height, width, n_neurons = maps.shape
        side = self.patch_side_
        on, off = self.network_.state.weights.reshape(n_neurons, 2, side, side).swapaxes(0, 1)
        images = np.zeros((n, height + side - 1, width + side - 1))
        for a in range(side):
            for b in range(side):
                images[:, a : a + height, b : b + width] += maps @ (on - off)[:, a, b].astype(float)
        margin = side // 2
        return self._as_samples(images[:, margin : margin + height, margin : margin + width])
