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
from itertools import islice, pairwise
from typing import Any

import numpy as np

from ..model import PAPER, Network, Rule, State
from ..model.parameters import require
from ..model.state import ARRAY_FIELDS, array_shapes
from .files import read_json, replacing
from .hdf5 import member, needed, numbers, opened, texts
from .models import ModelFile, model_contents, model_of_contents

STEP_SECONDS = 1e-4
_PREFIX = "lethenet."
_KINDS = (("Input",), ("Linear", "Affine"), ("LIF",), ("Output",))


def write_nir_model(
    path: str | os.PathLike[str], model: ModelFile, *, time_step: float = 0.1
) -> None:
    """Write a model as NIR, atomically; :func:`lethenet.write_nir` takes networks and estimators."""
    nir = needed("nir")
    state, p = model.network.state, model.network.parameters
    expected = f"above 0, below tau_mem ({p.tau_mem})"
    require(1e-12 < time_step < p.tau_mem, "time_step", time_step, expected)
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
    """Read a layer from NIR; ValueError if the file cannot be trusted or is something else."""
    with opened(path) as file:
        graph = member(file, "node", "Group")
        layer = _layer(graph)
        found = member(graph, "metadata", "Group") if "metadata" in graph else {}
        if "lethenet" not in found:
            return ModelFile(_alone(layer, step_seconds, time_step))
        ours = read_json(texts(found, "lethenet")[0], "/node/metadata/lethenet")
        if not isinstance(ours.get("nir"), dict):
            raise ValueError("/node/metadata/lethenet is not what lethenet writes: delete it.")
        names = [name for name in found if name.startswith(_PREFIX)][:16]
        arrays = {name.removeprefix(_PREFIX): numbers(found, name, 2**26) for name in names}
        alone = _alone(layer, STEP_SECONDS, ours["nir"].get("time_step")).parameters
    model = model_of_contents(path, {**arrays, "state.weights": layer[0]}, ours, rule)
    for name in ("threshold", "tau_mem", "normalise_weights"):
        has, stated = getattr(alone, name), getattr(model.network.parameters, name)
        if not math.isclose(has, stated, rel_tol=1e-6) and stated is not False:
            raise ValueError(
                f"{path}: the layer has {name}={has}, but lethenet's metadata {name}={stated}. Delete "
                "/node/metadata to read the layer alone."
            )
    return model


def _layer(graph: Any) -> tuple[np.ndarray, float, float, float]:
    """The one layer of a NIR graph, checked: weights, τ, r and threshold."""
    nodes = member(graph, "nodes", "Group")
    some = islice(nodes, len(_KINDS) + 1)
    kinds = {texts(member(nodes, name, "Group"), "type")[0]: name for name in some}
    chain = [kinds[kind] for among in _KINDS for kind in kinds if kind in among]
    linked = texts(graph, "edges", (3, 2)) if len(nodes) == len(chain) == len(_KINDS) else [""] * 2
    if set(zip(linked[::2], linked[1::2], strict=True)) != set(pairwise(chain)):
        raise ValueError(
            f"the {len(nodes)} nodes ({', '.join(kinds)}) are not one feed-forward layer: expected "
            "Input → Linear or Affine → LIF → Output. Cut the network down to one layer."
        )
    linear, lif = nodes[chain[1]], nodes[chain[2]]
    weights, where = numbers(linear, "weight"), f"{linear.name}/weight"
    require(weights.ndim == 2 and weights.size > 0, where, weights.shape, "neurons × inputs")
    for extreme in (float(weights.min()), float(weights.max())):
        # a kernel adds thousands of them up in single precision
        require(0 <= extreme <= 1e6, where, extreme, "0 to 1e6: rescale, or split signed inputs")
    for node, name in ((lif, "v_leak"), (lif, "v_reset"), (linear, "bias")):
        value = _value(node, name, len(weights)) if name in node else 0.0
        require(value == 0, f"{node.name}/{name}", value, "0: shift the potentials before")
    tau, r, threshold = (_value(lif, name, len(weights)) for name in ("tau", "r", "v_threshold"))
    for name, value in (("tau", tau), ("r", r), ("v_threshold", threshold)):
        require(1e-30 < value < 1e30, f"{lif.name}/{name}", value, "above 0: write it again")
    return weights.astype(np.float32, order="C"), tau, r, threshold


def _value(node: Any, name: str, n_neurons: int) -> float:
    """What all neurons have in common."""
    array = numbers(node, name)
    same = array.size in (1, n_neurons) and bool((array == array.flat[0]).all())
    expected = f"one value for all {n_neurons} neurons"
    require(same, f"{node.name}/{name}", array[:9].tolist() if array.ndim else array, expected)
    return float(array.flat[0])


def _alone(
    layer: tuple[np.ndarray, float, float, float], step_seconds: Any, time_step: Any
) -> Network:
    """A network from weights, threshold and membrane time alone, the rest as in the paper."""
    weights, tau, r, threshold = layer
    for name, given in (("step_seconds", step_seconds), ("time_step", time_step)):
        fits = isinstance(given, float | int) and 1e-12 < given < 1e12
        require(fits, name, given, "a number above 0")
    tau_mem = tau / step_seconds * time_step
    jump = r * step_seconds / tau  # what a spike adds to a potential, per weight
    jump = 1.0 if math.isclose(jump, 1, rel_tol=1e-6) else jump
    lengths = np.sqrt(np.einsum("ij,ij->i", weights, weights, dtype=np.float64))
    parameters = replace(
        PAPER,
        threshold=threshold / jump,
        tau_mem=tau_mem,
        recognition_time=min(PAPER.recognition_time, 60 * tau_mem),
        normalise_weights=bool(((abs(lengths - 1) < 1e-5) | (lengths == 0)).all()),
    )
    shapes = array_shapes(*weights.shape)
    arrays = {name: np.zeros(shapes[name], kind) for name, kind in ARRAY_FIELDS.items()}
    return Network(parameters, State(0, 0, **{**arrays, "weights": weights}))
