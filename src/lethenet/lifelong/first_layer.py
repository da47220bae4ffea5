"""The first layer of an experiment: what the network sees instead of the samples themselves.

A layer is fixed before the network learns its first sample, so features are computed once. The learned one
has its infancy in the first samples of the stream, which the network does not get: nothing is shown twice.
It depends on the data, the order of the classes and the seed alone, so a run that goes on makes it again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset
from .setting_checks import known_classes

if TYPE_CHECKING:
    from .config import Config

INFANCY = 1000
"""Samples of the first class from which a learned layer learns, but at most half of that class."""


@dataclass(frozen=True, eq=False, repr=False)
class LayeredDataset(Dataset):
    """A data set as a first layer sees it: ``layer`` is fitted, ``examples`` are samples as they were.

    Its own ``image_shape`` is None: features are no image.
    """

    layer: Any = None
    sample_shape: tuple[int, ...] | None = None
    examples: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))


def layer_arrays(data: Dataset) -> dict[str, np.ndarray]:
    """What figures need of a first layer: samples as they were, and the patches that it has learned."""
    if not isinstance(data, LayeredDataset):
        return {}
    network = getattr(data.layer, "network_", None)
    patches = {} if network is None else {"patches": network.state.weights}
    return {"examples": data.examples, **patches}


def layer_of_run(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    """The first layer of a run, from its ``run.json`` and arrays, checked; None if it has none."""
    name = document["config"].get("layer", "none")
    if name in ("none", "on-off"):  # the latter's features are pictures of nothing
        return None
    from ..layers import Edges, Patches

    shape = tuple(document["data"].get("image_shape") or ())
    layer: Any = Edges(shape)
    if name == "patches":
        weights = arrays.get("patches", np.zeros((0, 0), np.float32))
        side = math.isqrt(weights.shape[-1] // 2)
        if weights.ndim != 2 or weights.dtype != np.float32 or weights.shape[1] != 2 * side**2:
            raise ValueError(f"the run's patches of shape {weights.shape} are damaged.")
        layer = Patches(shape, n_neurons=len(weights), patch_side=side)
    elif name != "edges":
        raise ValueError(f"layer {name!r:.60} is unknown to this version.")
    layer.n_features_in_ = math.prod(shape)
    layer.prepare()
    if name == "patches":
        layer.network_.state.weights[:] = weights
    return layer


def with_layer(config: Config, data: Dataset) -> Dataset:
    """The data set as the experiment's first layer sees it; as it is if there is none."""
    if config.layer == "none" and not data.signed:
        return data
    from ..layers import Edges, OnOff, Patches

    if config.layer in ("none", "on-off"):
        both = OnOff().fit(data.X_train[:1])
        parts = both.transform(data.X_train), data.y_train, both.transform(data.X_test), data.y_test
        return LayeredDataset(data.name, *parts, class_names=data.class_names, layer=both)

    if data.image_shape is None:
        raise ValueError(
            f"layer={config.layer!r}: the samples of {data.name} are no images. Give arrays of shape "
            "(n_samples, height, width), or leave out the layer."
        )
    own = np.flatnonzero(data.y_train == known_classes(config.classes, data)[0])
    rows = np.arange(len(data.y_train))
    layer: Any
    if config.layer == "patches":
        layer, infancy = Patches(data.image_shape, random_state=config.seed), own[: len(own) // 2]
        layer.fit(data.X_train[infancy[:INFANCY]])
        rows = np.setdiff1d(rows, infancy[:INFANCY])
    else:
        layer = Edges(data.image_shape).fit(data.X_train[own[:1]])
    shown = [int(np.flatnonzero(data.y_test == label)[0]) for label in data.classes]
    return LayeredDataset(
        data.name,
        layer.transform(data.X_train[rows]),
        data.y_train[rows],
        layer.transform(data.X_test),
        data.y_test,
        class_names=data.class_names,
        layer=layer,
        sample_shape=data.image_shape,
        examples=data.X_test[shown].astype(np.float32),
    )
