"""``lethenet.save`` and ``load``, ``write_nir`` and ``read_nir``: which estimator a file belongs to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._schema import (
    COUNT,
    FLAG,
    MOST,
    TEXT,
    Kind,
    Maybe,
    Only,
    check,
    check_arrays,
    is_text,
    number,
    whole,
)
from .estimators.readout import READOUTS
from .interchange import ModelFile, read_model, write_model
from .interchange.layers import plain, read_layers, write_layers
from .interchange.models import REMEDY
from .interchange.nir import read_nir_model, write_nir_model
from .model import Network, Parameters

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from .estimators import ControlledForgettingClassifier, ControlledForgettingNetwork
    from .model import Rule

MODEL = "model.safetensors"
"""The model file in the directory of a run."""

_MODEL_PARAMETERS = tuple(field.name for field in fields(Parameters))
_NAMED = ("classes_", "feature_names_in_")  # which may be texts, so that they stand in the metadata
_LEARNED = {
    "ControlledForgettingNetwork": {},
    "ControlledForgettingClassifier": {
        "label_counts_": "int64 n c",
        "class_counts_": "int64 c",
        "asked_": "bool n",
    },
    "NoveltyDetector": {"recent_scores_": "float64 r"},
}
"""What estimators have learned besides the network: types, and letters for sizes."""
_SETTINGS = {
    "n_neurons": whole(1),
    "random_state": Maybe(whole(0, 2**64 - 1)),
    "n_jobs": Maybe(Kind("a whole number but 0", lambda v: v != 0 and whole(-4096, 4096).fits(v))),
    "candidates": ("certified", "all"),
    "record_novelties?": COUNT,
}
_OF_CLASSIFIERS = {
    "readout": Kind("the name of a read-out", lambda name: is_text(name) and name in READOUTS),
    "spreading?": Kind("a number from 0 to below 1", lambda v: number(0, 1).fits(v) and v < 1),
}
_OF_DETECTORS = {"contamination": number(1e-12, 0.5), "signed": FLAG, "window": whole(1)}
TABLES: dict[str, dict[str, Any]] = {
    "ControlledForgettingNetwork": _SETTINGS,
    "ControlledForgettingClassifier": {**_SETTINGS, **_OF_CLASSIFIERS},
    "NoveltyDetector": {**_SETTINGS, **_OF_DETECTORS},
}
"""The settings of each estimator as files hold them."""
KINDS = tuple(TABLES)


def save(
    model: Network | ControlledForgettingNetwork | ControlledForgettingClassifier | Pipeline,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a network or a fitted estimator to a safetensors file, atomically.

    The file holds the complete state and all parameters, of a pipeline its layers, too: what :func:`load`
    returns goes on learning exactly as ``model`` would. Parameters are those the network has learned with:
    what ``set_params`` changed since counts from the next ``partial_fit`` on and is not saved. Nor is a
    ``random_state`` that is not an integer: it only matters to a new ``fit``. ``notes``, as JSON, go
    along in the file's metadata.

    >>> import tempfile, numpy as np, lethenet
    >>> network = lethenet.ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6))
    >>> path = tempfile.mkdtemp() + "/network.safetensors"
    >>> lethenet.save(network, path)
    >>> bool((lethenet.load(path).weights_ == network.weights_).all())
    True
    """
    file = _model_file(model)
    write_model(path, replace(file, metadata={**(notes or {}), **file.metadata}))


def _model_file(model: Any) -> ModelFile:
    """What files hold of a network or a fitted estimator."""
    if isinstance(model, Network):
        return ModelFile(model)
    layers: list[Any] = []
    if isinstance(getattr(model, "steps", None), list):  # a pipeline of scikit-learn
        *layers, model = (step for _, step in model.steps if step not in (None, "passthrough"))
    kind = type(model).__name__
    if kind not in KINDS:
        raise TypeError(
            f"a {kind} cannot be saved: expected {', '.join(KINDS)}, a pipeline of lethenet's layers that "
            "ends in one of these, or lethenet.model.Network."
        )
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    own = {k: plain(v) for k, v in model.get_params().items() if k not in _MODEL_PARAMETERS}
    metadata: dict[str, Any] = {"estimator": _as_learned(own, model.network_)}
    arrays: dict[str, np.ndarray] = {}
    if layers:
        metadata["layers"] = write_layers(layers, arrays)
    for name in (*_NAMED, *_LEARNED[kind]):
        value = getattr(model, name, None)
        if value is None:
            continue
        if value.dtype.kind in "OUS":  # safetensors holds numbers only
            metadata[name] = [str(item) for item in value]
            metadata[f"{name}dtype"] = "object" if value.dtype.kind == "O" else "str"
        else:
            counts = value.dtype.kind == "i" and name not in _NAMED
            arrays[f"estimator.{name}"] = value.clip(max=MOST) if counts else value
    return ModelFile(model.network_, kind, arrays, metadata)


def load(path: str | os.PathLike[str], *, rule: Rule | None = None) -> Any:
    """Read what :func:`save` wrote, or the model of a finished run directory.

    ``rule`` is the rule of one's own that the network learned with: files hold data, never code.
    ValueError if the file cannot be trusted.

    >>> import tempfile, lethenet
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> path = tempfile.mkdtemp() + "/network.safetensors"
    >>> lethenet.save(Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=3)), path)
    >>> lethenet.load(path).state.seed
    3
    """
    path = Path(path)
    if path.is_dir():
        if not (path / MODEL).is_file():
            raise ValueError(
                f"{path} is a folder without {MODEL}: expected a model file, or the folder of a "
                "finished run of the network; other learners leave none. "
                f"An unfinished run goes on with: lethenet resume {path}"
            )
        path /= MODEL
    return _model(read_model(path, rule=rule), path)


def write_nir(path: str | os.PathLike[str], model: Any, *, time_step: float = 0.1) -> None:
    """Write a network or a fitted estimator as NIR, for other simulators and neuromorphic hardware.

    NIR holds the layer as it is now: weights, threshold, membrane time. Whatever else :func:`save` would
    keep is metadata, which only :func:`read_nir` looks at. ``time_step`` says how long the other
    simulator's step of 0.1 ms is in time units of the model. Needs ``lethenet[nir]``.

    >>> import tempfile, numpy as np, lethenet
    >>> network = lethenet.ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(6))
    >>> path = tempfile.mkdtemp() + "/network.nir"
    >>> lethenet.write_nir(path, network)
    >>> bool((lethenet.read_nir(path).weights_ == network.weights_).all())
    True
    """
    write_nir_model(path, _model_file(model), time_step=time_step)


def read_nir(path: str | os.PathLike[str], *, rule: Rule | None = None, **units: float) -> Any:
    """Read what :func:`write_nir` wrote, or one feed-forward layer of LIF neurons from somebody else.

    The latter gives a Network, with the paper's parameters where NIR has none; ``step_seconds`` (0.0001)
    and ``time_step`` (0.1) say for which time step it was made, in seconds and in time units of the
    model. ``rule`` is as in :func:`load`. ValueError if the file cannot be trusted.

    >>> import tempfile, nir, numpy as np, lethenet
    >>> path, two = tempfile.mkdtemp() + "/mine.nir", np.ones(2)
    >>> lif = nir.LIF(tau=0.01 * two, r=100 * two, v_leak=0 * two, v_threshold=3 * two)
    >>> nir.write(path, nir.NIRGraph.from_list(nir.Linear(np.eye(2)), lif))
    >>> lethenet.read_nir(path).parameters.threshold
    3.0
    """
    return _model(read_nir_model(path, rule=rule, **units), path)


def _model(file: ModelFile, path: str | os.PathLike[str]) -> Any:
    """The network or the estimator that a file holds."""
    try:
        if file.kind == "network":
            return file.network
        estimator = _estimator(file)
        if "layers" not in file.metadata:
            return estimator
        from .estimators import make_pipeline

        layers = read_layers(file.metadata["layers"], file.arrays, estimator.n_features_in_)
        return make_pipeline(*layers, estimator)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error} {REMEDY}") from error


def _as_learned(own: dict[str, Any], network: Network) -> dict[str, Any]:
    """Settings with those that a network which has learned cannot change."""
    seed = network.state.seed if isinstance(own["random_state"], int) else None
    return {**own, "n_neurons": network.state.n_neurons, "random_state": seed}


def _estimator(file: ModelFile) -> Any:
    from . import estimators

    if file.kind not in TABLES:
        raise ValueError(f"kind {file.kind!r:.60} is unknown: expected one of {KINDS}.")
    network, table = file.network, TABLES[file.kind]
    settings: Any = file.metadata.get("estimator")
    check(settings, Only(table), field="estimator")
    parameters = {name: getattr(network.parameters, name) for name in _MODEL_PARAMETERS}
    own = _as_learned(settings, network)
    estimator = getattr(estimators, file.kind)(**parameters, **own)
    estimator.network_ = network
    estimator.threshold_ = network.parameters.threshold
    estimator.n_features_in_ = network.state.n_features // (2 if own.get("signed") else 1)
    for name in _NAMED:
        names = _names(file, name)
        if names is not None:
            setattr(estimator, name, names)
        elif name == "classes_" and "label_counts_" in _LEARNED[file.kind]:
            raise ValueError("classes_ is missing.")
    features = getattr(estimator, "feature_names_in_", None)
    if features is not None and features.shape != (estimator.n_features_in_,):
        raise ValueError("feature_names_in_ has not one name for each feature.")
    classes = getattr(estimator, "classes_", np.zeros(0))
    if classes.ndim != 1 or not (classes[:-1] < classes[1:]).all():
        raise ValueError("classes_ is no list of classes that rises.")
    learned = {name.removeprefix("estimator."): array for name, array in file.arrays.items()}
    learned.setdefault("asked_", np.zeros(network.state.n_neurons, bool))  # in earlier versions
    check_arrays(learned, _LEARNED[file.kind], n=network.state.n_neurons, c=len(classes))
    for name in _LEARNED[file.kind]:
        setattr(estimator, name, np.array(learned[name]))
    if getattr(estimator, "recent_scores_", np.ones(1)).size == 0:
        raise ValueError("recent_scores_ is empty.")
    return estimator


def _names(file: ModelFile, name: str) -> np.ndarray | None:
    """What a file has of this name, as numbers in its arrays or as texts in its metadata."""
    if f"estimator.{name}" in file.arrays:
        return np.array(file.arrays[f"estimator.{name}"])
    if name not in file.metadata:
        return None
    check(file.metadata[name], [TEXT], field=name)
    dtype = object if file.metadata.get(f"{name}dtype") == "object" else np.str_
    return np.array(file.metadata[name], dtype=dtype)
