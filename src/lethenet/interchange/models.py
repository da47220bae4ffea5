"""Model files: a network with everything it needs to go on learning, and what its owner adds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from .._schema import COUNT, TEXT, Kind, check, check_arrays, is_text
from ..model import PAPER, RULES, Network, Parameters, Rule, State
from ..model.dopamine import NEVER
from ..model.links import check_links
from ..model.parameters import LATER
from ..model.state import ARRAY_FIELDS
from .files import read_arrays, refuse_unknown, write_arrays

FORMAT = "lethenet-model"
FORMAT_VERSION = 1
LINKS = ("link_partners", "link_counts")
MOST_SPIKES = 2**53
"""Counts beyond are no longer exact anywhere, and are not reached in a lifetime."""
STATE = {
    "seed": Kind(
        "0 to 2**64 - 1, in digits",
        lambda v: is_text(v) and bool(re.fullmatch("[0-9]{1,20}", v)) and int(v) < 2**64,
    ),
    "n_presentations": COUNT,
}
METADATA = {"kind": TEXT, "parameters": {}, "candidates": ("certified", "all")}
"""What the metadata of a model file must hold; :class:`.Parameters` know their own names and ranges."""
REMEDY = "Use a copy or an earlier file."
MOST = {"weights": 1e6, "trace": 1e9, "usage": 2 * NEVER, "total_usage": 2 * NEVER}
"""Beyond these, sums in the kernels could leave the range of their numbers."""
_SIZES = {"weights": "n f", "total_usage": "one", "trace": "f", **dict.fromkeys(LINKS, "n l")}
_ARRAYS = {
    f"state.{name}": f"{kind} {_SIZES.get(name, 'n')}" for name, kind in ARRAY_FIELDS.items()
}
_NAMES = rf"(layer\d{{1,2}}\.)?(estimator\..*|state\.({'|'.join(ARRAY_FIELDS)}))"
"""Those that a model file may hold."""
_LOWEST = {"usage": -2 * NEVER, "link_partners": -1.0}
_LIMITS = {
    f"state.{name}": (_LOWEST.get(name, 0.0), float(MOST.get(name, MOST_SPIKES)))
    for name in ARRAY_FIELDS
}


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds: the network, checked, and further arrays and metadata as they are.

    ``kind`` says whose network it is: "network" for a bare one, or the name of an estimator.

    >>> from lethenet.model import PAPER, Network, initial_state
    >>> ModelFile(Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=3))).kind
    'network'
    """

    network: Network
    kind: str = "network"
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


def write_model(path: str | os.PathLike[str], file: ModelFile) -> None:
    """Write a network, and what its owner adds, to a safetensors file, atomically.

    The file holds the complete state and all parameters; of a rule of one's own, its name and fingerprint.

    >>> import tempfile
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> path = tempfile.mkdtemp() + "/network.safetensors"
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=3))
    >>> write_model(path, ModelFile(network))
    """
    write_arrays(path, *model_contents(file))


def model_contents(file: ModelFile) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and the JSON metadata of which a model file consists."""
    state = file.network.state
    content = {
        **file.metadata,
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": file.kind,
        "parameters": parameters_to_json(file.network.parameters),
        "candidates": file.network.candidates,
        "seed": str(state.seed),  # 64 bits do not survive JSON readers that use doubles
        "n_presentations": min(state.n_presentations, MOST_SPIKES),
    }
    return {**file.arrays, **state_to_file(state)}, content


def read_model(path: str | os.PathLike[str], *, rule: Rule | None = None) -> ModelFile:
    """Read what :func:`write_model` wrote; ValueError if the file cannot be trusted.

    ``rule`` is the rule of one's own that the network learned with.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/other"
    >>> write_arrays(path, {}, {"format": "something else"})
    >>> read_model(path)
    Traceback (most recent call last):
    ...
    ValueError: .../other is not a lethenet model but 'something else'.
    """

    def is_model(metadata: dict[str, Any], names: list[str]) -> None:
        check_format(path, metadata)
        refuse_unknown(path, names, lambda name: bool(re.fullmatch(_NAMES, name)))

    return model_of_contents(path, *read_arrays(path, is_model), rule)


def model_of_contents(
    path: Any, arrays: dict[str, np.ndarray], metadata: dict[str, Any], rule: Rule | None
) -> ModelFile:
    """The model that :func:`model_contents` took apart; ValueError if ``path`` cannot be trusted."""
    check_format(path, metadata)
    check(metadata, METADATA, path, REMEDY)
    try:
        parameters = parameters_from_json(metadata["parameters"], rule)
        network = Network(
            parameters,
            state_from_file(arrays, metadata, parameters),
            candidates=metadata["candidates"],
        )
        return ModelFile(network, metadata["kind"], arrays, metadata)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error} {REMEDY}") from error


def check_format(path: Any, metadata: Mapping[str, Any]) -> None:
    """ValueError if this is not the metadata of a model file that this version reads."""
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path} is not a lethenet model but {metadata.get('format')!r}.")
    if metadata.get("format_version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has model format {metadata.get('format_version')!r}; this lethenet reads "
            f"{FORMAT_VERSION}. Install the version that wrote it."
        )


def parameters_to_json(parameters: Parameters) -> dict[str, Any]:
    """Parameters as files hold them: a built-in rule by its name, another by name and fingerprint.

    >>> from lethenet.model import PAPER
    >>> parameters_to_json(PAPER)["stdp"]
    'oja'
    """
    document = {f.name: getattr(parameters, f.name) for f in fields(parameters)}
    rule = parameters.stdp
    if isinstance(rule, Rule):
        built_in = RULES.get(rule.name) == rule
        document["stdp"] = rule.name if built_in else _identity(rule)
    return document


def parameters_from_json(document: Mapping[str, Any], rule: Rule | None = None) -> Parameters:
    """The parameters that :func:`parameters_to_json` wrote, with the rule they were used with.

    >>> from lethenet.model import PAPER
    >>> document = parameters_to_json(PAPER)
    >>> parameters_from_json(document | {"stdp": {"name": "mine", "fingerprint": "1a"}})
    Traceback (most recent call last):
    ...
    ValueError: it was made with the rule 'mine', which is not built in: give it, as rule=...
    """
    needed = [f.name for f in fields(Parameters) if f.metadata != LATER]
    wrong = [name for name in needed if name not in document]
    wrong += [name for name in document if name not in parameters_to_json(PAPER)]
    if wrong:
        raise ValueError(
            f"the parameter {wrong[0]!r:.60} is missing, or none that this version has."
        )
    stdp: Any = document["stdp"]
    if not isinstance(stdp, dict):
        if rule is not None and RULES.get(stdp) != rule:
            raise ValueError(
                f"it was made with the built-in rule {stdp!r}: leave out rule={rule.name}."
            )
        return Parameters(**document)
    if rule is None:
        raise ValueError(
            f"it was made with the rule {stdp.get('name')!r}, which is not built in: give it, as "
            "rule=..., to whatever reads this."
        )
    if _identity(rule) != stdp:
        raise ValueError(
            f"it was made with another rule than rule={rule.name}: the name or the code differs "
            f"(fingerprint {rule.fingerprint[:12]}, expected {str(stdp.get('fingerprint'))[:12]} of "
            f"{stdp.get('name')!r})."
        )
    return Parameters(**{**document, "stdp": rule})


def _identity(rule: Rule) -> dict[str, str]:
    return {"name": rule.name, "fingerprint": rule.fingerprint}


def state_to_file(state: State) -> dict[str, np.ndarray]:
    """The arrays of a state as files hold them; those of links only if there are any.

    Counts end where a reader would no longer believe them.
    """
    arrays = {name: getattr(state, name) for name in ARRAY_FIELDS}
    for name in arrays.keys() - {"weights", *LINKS}:
        arrays[name] = arrays[name].clip(max=MOST.get(name, MOST_SPIKES))
    return {f"state.{name}": array for name, array in arrays.items() if array.size}


def state_from_file(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any], parameters: Parameters
) -> State:
    """The state in a file's arrays ``state.*`` and metadata; ValueError if a kernel could trip on it."""
    check(metadata, STATE)
    if "state.link_partners" not in arrays:
        n = len(arrays.get("state.weights", ()))
        arrays = {**arrays, **{f"state.{name}": np.zeros((n, 0), np.int32) for name in LINKS}}
    check_arrays(arrays, _ARRAYS, _LIMITS, one=1)
    found = {name: arrays[f"state.{name}"] for name in ARRAY_FIELDS}
    if not found["weights"].size:
        raise ValueError(f"weights of shape {found['weights'].shape} are not a layer.")
    lengths = np.sqrt(np.einsum("ij,ij->i", found["weights"], found["weights"], dtype=np.float64))
    if parameters.normalise_weights and ((lengths > 0) & (np.abs(lengths - 1) > 0.001)).any():
        raise ValueError("weights are not of length one.")
    check_links(found["link_partners"], found["link_counts"])
    # loaded arrays may be read-only views of the file
    return State(
        seed=int(metadata["seed"]),
        n_presentations=metadata["n_presentations"],
        **{name: np.array(array, order="C") for name, array in found.items()},
    )
