"""NIR, which other simulators and neuromorphic hardware read: the layer as four nodes.

Input → Linear → LIF → Output, with τ dv/dt = v_leak − v + r·I. A file has seconds and steps, we have time
units. One step is 0.1 ms, which snnTorch has built in and SpikingJelly assumes; ``time_step`` says how long
that is for us. With r = τ / step an input spike, current 1 for one step, raises potentials by its weights.
What NIR has no words for (learning, inhibition, labels) is metadata of the graph, which needs no reader.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..model import PAPER, Network, Rule, State
from ..model.state import ARRAY_FIELDS, array_shapes
from .files import replacing
from .hdf5 import member, numbers, opened, texts
from .models import ModelFile, model_contents, model_of_contents

STEP_SECONDS = 1e-4
MOST_ARRAYS = 16
_PREFIX = "lethenet."
_KINDS = (("Input",), ("Linear", "Affine"), ("LIF",), ("Output",))
_MISSING = "NIR files need further packages: pip install 'lethenet[nir]'"


def write_nir_model(
    path: str | os.PathLike[str], model: ModelFile, *, time_step: float = 0.1
) -> None:
    """Write a model as NIR, atomically; :func:`lethenet.write_nir` takes networks and estimators.

    >>> import tempfile
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=3))
    >>> path = tempfile.mkdtemp() + "/network.nir"
    >>> write_nir_model(path, ModelFile(network, "network", {}, {}))
    >>> read_nir_model(path).network.state.seed
    3
    """
    try:
        import nir
    except ImportError as error:
        raise ImportError(_MISSING) from error
    state, p = model.network.state, model.network.parameters
    if not 0 < time_step < p.tau_mem:
        raise ValueError(
            f"time_step={time_step!r}: expected above 0 and below tau_mem ({p.tau_mem})."
        )
    arrays, content = model_contents(model)
    weights = arrays.pop("state.weights")
    content["nir"] = {"time_step": float(time_step), "step_seconds": STEP_SECONDS}
    lif = {"tau": p.tau_mem * (STEP_SECONDS / time_step), "r": p.tau_mem / time_step}
    lif |= {"v_threshold": p.threshold, "v_leak": 0.0, "v_reset": 0.0}
    graph = nir.NIRGraph(
        nodes={
            "input": nir.Input({"input": np.array([state.n_features])}),
            "weights": nir.Linear(np.ascontiguousarray(weights)),
            "neurons": nir.LIF(**{k: np.full(state.n_neurons, v) for k, v in lif.items()}),
            "output": nir.Output({"output": np.array([state.n_neurons])}),
        },
        edges=[("input", "weights"), ("weights", "neurons"), ("neurons", "output")],
        metadata={
            "lethenet": json.dumps(content, allow_nan=False, sort_keys=True),
            **{_PREFIX + name: np.ascontiguousarray(array) for name, array in arrays.items()},
        },
    )
    with replacing(path) as draft:
        nir.write(draft, graph)


def read_nir_model(
    path: str | os.PathLike[str],
    *,
    rule: Rule | None = None,
    step_seconds: float = STEP_SECONDS,
    time_step: float = 0.1,
) -> ModelFile:
    """Read a layer from NIR; ValueError if the file cannot be trusted or is something else.

    >>> import tempfile, nir, numpy as np
    >>> path, two = tempfile.mkdtemp() + "/mine.nir", np.ones(2)
    >>> lif = nir.LIF(tau=0.01 * two, r=100 * two, v_leak=0 * two, v_threshold=3 * two)
    >>> nir.write(path, nir.NIRGraph.from_list(nir.Linear(np.eye(2)), lif))
    >>> read_nir_model(path).network.parameters.threshold
    3.0
    """
    try:
        with opened(path) as file:
            graph = member(file, "node", "Group")
            layer = _layer(graph)
            found = member(graph, "metadata", "Group") if "metadata" in graph else {}
            if "lethenet" not in found:
                return ModelFile(_alone(layer, step_seconds, time_step), "network", {}, {})
            ours = json.loads(texts(found, "lethenet")[0])
            names = [name for name in found if name.startswith(_PREFIX)][:MOST_ARRAYS]
            arrays = {name.removeprefix(_PREFIX): numbers(found, name) for name in names}
            alone = _alone(layer, STEP_SECONDS, ours["nir"]["time_step"]).parameters
    except ImportError as error:
        raise ImportError(_MISSING) from error
    model = model_of_contents(path, {**arrays, "state.weights": layer.weights}, ours, rule=rule)
    for name in ("threshold", "tau_mem", "normalise_weights"):
        has, stated = getattr(alone, name), getattr(model.network.parameters, name)
        if not math.isclose(has, stated, rel_tol=1e-6) and stated is not False:
            raise ValueError(
                f"{path}: the layer has {name}={has}, but lethenet's metadata {name}={stated}. Delete "
                "/node/metadata to read the layer alone."
            )
    return model


class _Layer(NamedTuple):
    weights: np.ndarray
    tau: float
    r: float
    threshold: float


def _layer(graph: Any) -> _Layer:
    """The one layer of a NIR graph, checked."""
    nodes = member(graph, "nodes", "Group")
    kinds = {}
    if len(nodes) == len(_KINDS):
        kinds = {texts(member(nodes, name, "Group"), "type")[0]: name for name in nodes}
    order = [kind for among in _KINDS for kind in kinds if kind in among]
    linked = texts(graph, "edges", (3, 2)) if len(order) == len(_KINDS) else []
    if set(zip(linked[::2], linked[1::2], strict=True)) != set(pairwise(kinds[k] for k in order)):
        order = []
    if not order:
        raise ValueError(
            f"{len(nodes)} nodes ({', '.join(kinds) or 'too few or too many'}) are not one feed-forward "
            "layer: expected Input → Linear or Affine → LIF → Output. Cut the network down to one layer."
        )
    linear, lif = nodes[kinds[order[1]]], nodes[kinds["LIF"]]
    weights = numbers(linear, "weight")
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(
            f"{linear.name}/weight has shape {weights.shape}: expected neurons × inputs."
        )
    for extreme in (weights.min(), weights.max()):
        if not 0 <= extreme <= 1e30:  # a kernel adds thousands of them up in single precision
            raise ValueError(
                f"{linear.name}/weight holds {extreme}: expected 0 to 1e30, as these networks have. "
                "Rescale them, or split signed inputs in two."
            )
    n = len(weights)
    for node, name in ((lif, "v_leak"), (lif, "v_reset"), (linear, "bias")):
        if name in node and (value := _value(node, name, n)) != 0:
            raise ValueError(
                f"{node.name}/{name} is {value}: expected 0. Shift the potentials first."
            )
    positive = [_value(lif, name, n) for name in ("tau", "r", "v_threshold")]
    if not all(1e-30 < value < 1e30 for value in positive):
        raise ValueError(f"{lif.name} has tau, r, v_threshold = {positive}: expected above 0.")
    return _Layer(weights.astype(np.float32, order="C"), *positive)


def _value(node: Any, name: str, n_neurons: int) -> float:
    """What all neurons have in common."""
    array = numbers(node, name)
    if array.size not in (1, n_neurons) or (array != array.flat[0]).any():
        raise ValueError(
            f"{node.name}/{name} of shape {array.shape} has values from {array.min(initial=0)} to "
            f"{array.max(initial=0)}: expected one value for all {n_neurons} neurons."
        )
    return float(array.flat[0])


def _alone(layer: _Layer, step_seconds: Any, time_step: Any) -> Network:
    """A network from weights, threshold and membrane time alone, the rest as in the paper."""
    for name, given in (("step_seconds", step_seconds), ("time_step", time_step)):
        if not isinstance(given, float | int) or not 1e-12 < given < 1e12:
            raise ValueError(f"{name}={given!r}: expected a number above 0.")
    tau_mem = layer.tau / step_seconds * time_step
    jump = layer.r * step_seconds / layer.tau  # what a spike adds to a potential, per weight
    lengths = np.linalg.norm(layer.weights.astype(np.float64), axis=1)
    parameters = replace(
        PAPER,
        threshold=layer.threshold
        if math.isclose(jump, 1, rel_tol=1e-6)
        else layer.threshold / jump,
        tau_mem=tau_mem,
        recognition_time=min(PAPER.recognition_time, 60 * tau_mem),
        normalise_weights=bool(((abs(lengths - 1) < 1e-5) | (lengths == 0)).all()),
    )
    shapes = array_shapes(*layer.weights.shape)
    arrays = {name: np.zeros(shapes[name], kind) for name, kind in ARRAY_FIELDS.items()}
    return Network(parameters, State(0, 0, **{**arrays, "weights": layer.weights}))
