"""Layers in model files: their names and parameters as JSON, and what a layer has learned as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._schema import COUNT, Maybe, check, number, whole
from ..model import Network
from .models import STATE, parameters_from_json, parameters_to_json, state_from_file, state_to_file

KINDS = ("OnOff", "Edges", "Patches")
MOST_LAYERS = 16
MOST_VALUES = 10**9
"""More inputs, or places times neurons, than that are no layer."""
LAYER = {"kind": KINDS, "n_features": whole(1, MOST_VALUES), "parameters": {}, "learned?": {}}
LEARNED = {**STATE, "parameters": {}, "n_images": COUNT, "threshold": Maybe(number(0))}


def write_layers(layers: list[Any], arrays: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Describe fitted layers; what they have learned is added to ``arrays``.

    >>> from lethenet.layers import OnOff
    >>> write_layers([OnOff().fit([[1.0, 2.0]])], {})
    [{'kind': 'OnOff', 'parameters': {}, 'n_features': 2}]
    """
    from sklearn.utils.validation import check_is_fitted

    described = []
    for place, layer in enumerate(layers):
        kind = type(layer).__name__
        if kind not in KINDS or type(layer).__module__.partition(".")[0] != "lethenet":
            raise TypeError(
                f"a {kind} cannot be saved: files hold data, never code, and of layers {', '.join(KINDS)}. "
                "Save the network behind it, pipeline[-1], and build the pipeline again after loading."
            )
        check_is_fitted(layer, "n_features_in_")
        parameters = {name: plain(value) for name, value in layer.get_params().items()}
        entry = {"kind": kind, "parameters": parameters, "n_features": layer.n_features_in_}
        if kind == "Patches":
            state = layer.network_.state
            arrays |= {f"layer{place}.{name}": a for name, a in state_to_file(state).items()}
            entry["learned"] = {
                "parameters": parameters_to_json(layer.network_.parameters),
                "seed": str(state.seed),
                "n_presentations": state.n_presentations,
                "n_images": layer.n_images_,
                "threshold": layer.threshold_,
            }
        described.append(entry)
    return described


def read_layers(described: Any, arrays: Mapping[str, np.ndarray], n_inputs: int) -> list[Any]:
    """The layers that :func:`write_layers` described, before a network of so many inputs."""
    if not isinstance(described, list) or not 1 <= len(described) <= MOST_LAYERS:
        raise ValueError(f"layers: expected a list of 1 to {MOST_LAYERS} layers.")
    layers = [_layer(place, entry, arrays) for place, entry in enumerate(described)]
    sizes = [layer.n_features_in_ for layer in layers[1:]] + [n_inputs]
    for place, (layer, expected) in enumerate(zip(layers, sizes, strict=True)):
        given = len(layer.get_feature_names_out())
        if given != expected:
            raise ValueError(
                f"layer {place} gives {given} features, what follows takes {expected}."
            )
    return layers


def _layer(place: int, entry: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    from .. import layers

    check(entry, LAYER, field=f"layers[{place}]")
    kind, n_features, parameters = entry["kind"], entry["n_features"], entry["parameters"]
    layer = getattr(layers, kind)(**parameters)
    layer.n_features_in_ = n_features
    if isinstance(parameters.get("image_shape"), list):
        layer.set_params(image_shape=tuple(parameters["image_shape"]))
    if kind != "OnOff":
        layer.prepare()
        if np.prod(layer.grid_shape_, dtype=float) > MOST_VALUES:
            raise ValueError(f"layer {place} would have {layer.grid_shape_} features.")
    if kind == "Patches":
        _restore_patches(layer, place, entry.get("learned"), arrays)
    return layer


def _restore_patches(
    layer: Any, place: int, learned: Any, arrays: Mapping[str, np.ndarray]
) -> None:
    check(learned, LEARNED, field=f"layers[{place}].learned")
    prefix = f"layer{place}."
    own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    parameters = parameters_from_json(learned["parameters"])
    state = state_from_file(own, learned, parameters)
    n_images, threshold = learned["n_images"], learned["threshold"]
    expected = layer.network_.state.weights.shape
    if state.weights.shape != expected:
        raise ValueError(f"layer {place}: weights of shape {state.weights.shape}, not {expected}.")
    if parameters != replace(layer.network_.parameters, threshold=parameters.threshold):
        raise ValueError(f"layer {place}: its network has other parameters than such a layer has.")
    if threshold is not None and threshold != parameters.threshold:
        raise ValueError(f"layer {place}: threshold {threshold!r:.60} is not its network's.")
    layer.network_ = Network(parameters, state)
    layer.n_images_, layer.threshold_ = n_images, threshold


def plain(value: Any) -> Any:
    """A parameter as JSON holds it: a list, and no number of numpy's, as a grid search leaves them."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
