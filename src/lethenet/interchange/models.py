"""Model files: a network, alone or inside an estimator, with everything it needs to go on learning."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Network, Parameters, State
from ..model.state import ARRAY_FIELDS, array_shapes
from .files import read_arrays, write_arrays

if TYPE_CHECKING:
    from ..estimators import ControlledForgettingClassifier, ControlledForgettingNetwork

FORMAT = "lethenet-model"
FORMAT_VERSION = 1


def save(
    model: Network | ControlledForgettingNetwork | ControlledForgettingClassifier,
    path: str | os.PathLike[str],
) -> None:
    """Write a network or a fitted estimator to a safetensors file, atomically.

    The file holds the complete state and all parameters: what :func:`load` returns goes on learning
    exactly as ``model`` would. Model parameters are those the network has learned with: what
    ``set_params`` changed since counts from the next ``partial_fit`` on and is not kept. Nor is a
    ``random_state`` that is not an integer: it only matters to a new ``fit``.

    Examples
    --------
    >>> import tempfile, numpy as np, lethenet
    >>> network = lethenet.ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6))
    >>> path = tempfile.mkdtemp() + "/network.safetensors"
    >>> lethenet.save(network, path)
    >>> bool((lethenet.load(path).weights_ == network.weights_).all())
    True
    """
    metadata: dict[str, Any] = {"format": FORMAT, "format_version": FORMAT_VERSION}
    arrays: dict[str, np.ndarray] = {}
    if isinstance(model, Network):
        network = model
        metadata["kind"] = "network"
    else:
        network, more = _describe_estimator(model, metadata)
        arrays.update(more)
    state = network.state
    metadata.update(
        parameters=asdict(network.parameters),
        candidates=network.candidates,
        seed=str(state.seed),  # 64 bits do not survive JSON readers that use doubles
        n_presentations=state.n_presentations,
    )
    arrays.update({f"state.{name}": getattr(state, name) for name in ARRAY_FIELDS})
    write_arrays(path, arrays, metadata)


def load(
    path: str | os.PathLike[str],
) -> Network | ControlledForgettingNetwork | ControlledForgettingClassifier:
    """Read what :func:`save` wrote; ValueError if the file cannot be trusted.

    Examples
    --------
    >>> import tempfile, lethenet
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> path = tempfile.mkdtemp() + "/network.safetensors"
    >>> lethenet.save(Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=3)), path)
    >>> lethenet.load(path).state.seed
    3
    """
    arrays, metadata = read_arrays(path)
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path} is not a lethenet model but {metadata.get('format')!r}.")
    if metadata.get("format_version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has model format {metadata.get('format_version')!r}; this lethenet reads "
            f"{FORMAT_VERSION}. Install the version that wrote it."
        )
    try:
        network = Network(
            Parameters(**metadata["parameters"]),
            _read_state(arrays, metadata),
            candidates=metadata["candidates"],
        )
        if metadata["kind"] == "network":
            return network
        estimator: ControlledForgettingNetwork | ControlledForgettingClassifier
        estimator = _rebuild_estimator(network, arrays, metadata)
        return estimator
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is damaged or not a lethenet model: {error}") from error


def _read_state(arrays: dict[str, np.ndarray], metadata: dict[str, Any]) -> State:
    found = {}
    for name, dtype in ARRAY_FIELDS.items():
        array = arrays.get(f"state.{name}")
        if array is None or array.dtype != dtype:
            raise ValueError(f"the array state.{name} of type {dtype} is missing.")
        found[name] = array
    if found["weights"].ndim != 2 or 0 in found["weights"].shape:
        raise ValueError(f"weights of shape {found['weights'].shape} are not a layer.")
    for name, shape in array_shapes(*found["weights"].shape).items():
        if found[name].shape != shape:
            raise ValueError(f"state.{name} has shape {found[name].shape}, expected {shape}.")
        if found[name].min() < 0 and name != "usage":
            raise ValueError(f"state.{name} holds negative values.")
    seed, presented = int(metadata["seed"]), metadata["n_presentations"]
    if not 0 <= seed < 2**64 or not isinstance(presented, int) or presented < 0:
        raise ValueError(f"seed {seed} or n_presentations {presented} is out of range.")
    if metadata["parameters"].get("normalise_weights") and found["weights"].max() > 1.001:
        raise ValueError("weights are not of length one.")
    # loaded arrays may be read-only views of the file
    return State(
        seed=seed,
        n_presentations=presented,
        **{name: np.array(array, order="C") for name, array in found.items()},
    )


_ESTIMATOR_ARRAYS = ("classes_", "label_counts_", "class_counts_", "feature_names_in_")


def _describe_estimator(
    estimator: Any, metadata: dict[str, Any]
) -> tuple[Network, dict[str, np.ndarray]]:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    model_fields = {field.name for field in fields(Parameters)}
    own = {
        # numpy's integers, as a grid search leaves them, are not JSON
        k: int(v) if isinstance(v, Integral) and not isinstance(v, bool) else v
        for k, v in estimator.get_params().items()
        if k not in model_fields
    }
    if not isinstance(own["random_state"], int):
        own["random_state"] = None
    metadata["kind"] = type(estimator).__name__
    metadata["estimator"] = own
    arrays = {}
    for name in _ESTIMATOR_ARRAYS:
        value = getattr(estimator, name, None)
        if value is None:
            continue
        if value.dtype.kind in "OUS":  # safetensors holds numbers only
            metadata[name] = [str(item) for item in value]
            metadata[f"{name}dtype"] = "object" if value.dtype.kind == "O" else "str"
        else:
            arrays[f"estimator.{name}"] = value
    return estimator.network_, arrays


def _rebuild_estimator(
    network: Network, arrays: dict[str, np.ndarray], metadata: dict[str, Any]
) -> Any:
    from .. import estimators

    kinds = ("ControlledForgettingNetwork", "ControlledForgettingClassifier")
    if metadata["kind"] not in kinds:
        raise ValueError(f"kind {metadata['kind']!r} is unknown: expected one of {kinds}.")
    cls = getattr(estimators, metadata["kind"])
    estimator = cls(**asdict(network.parameters), **metadata["estimator"])
    estimator.network_ = network
    estimator.n_features_in_ = network.state.n_features
    for name in _ESTIMATOR_ARRAYS:
        if f"estimator.{name}" in arrays:
            setattr(estimator, name, np.array(arrays[f"estimator.{name}"]))
        elif name in metadata:
            dtype = object if metadata[f"{name}dtype"] == "object" else None
            setattr(estimator, name, np.array(metadata[name], dtype=dtype))
    if hasattr(estimator, "classes_"):
        expected = (network.state.n_neurons, len(estimator.classes_))
        if estimator.label_counts_.shape != expected or estimator.label_counts_.min() < 0:
            raise ValueError(f"label_counts_ is not of shape {expected} or holds negative values.")
    return estimator
