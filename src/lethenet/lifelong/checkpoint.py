"""A run in the middle, in one file: the network's state, the history, and whose they are.

One file, because two could disagree after a kill between them.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .._schema import AMOUNT, COUNT, Only, check, check_arrays, number
from ..interchange.files import refuse_unknown
from ..interchange.models import MOST_SPIKES, STATE
from ..model.state import ARRAY_FIELDS
from .energy import Cost
from .history import MAX_NEURONS_WITH_ALL_WEIGHTS, History, SinceEvaluation
from .reading import OF_THE_NETWORK, check_evaluations

if TYPE_CHECKING:
    from ..model import State
    from .protocol import Experiment

FORMAT = "lethenet-checkpoint"
VERSION = 1

_STACKS = {
    "confusion": "int64 e c c",
    "label_counts": "int64 e n c",
    "imprinted": "uint8 e n",
    "weights": "float32 w n f",
}
_PLAIN = {"dopamine": "int64 v", "input_spikes": "int64 v", "imprint_counts_before": "int64 n"}
_PLAIN["online_counts"] = "int64 n k"
RECORD = {f"record.{name}": kind for name, kind in (*_PLAIN.items(), *_STACKS.items())}
_COSTS = ("learned", "recognised")
_AMOUNT = number(0, MOST_SPIKES)
METADATA = {
    **STATE,
    "since": Only({f.name: COUNT if f.type == "int" else _AMOUNT for f in fields(SinceEvaluation)}),
    "costs?": {f"{name}?": Only({f.name: COUNT for f in fields(Cost)}) for name in _COSTS},
    "evaluations": [{name.removesuffix("?"): kind for name, kind in OF_THE_NETWORK.items()}],
}
"""What the metadata of the network's checkpoint hold besides those of every checkpoint."""
_KNOWN = {*RECORD, *(f"state.{name}" for name in ARRAY_FIELDS)}


def write_checkpoint(path: str | os.PathLike[str], experiment: Experiment, **more: Any) -> None:
    """Save where an experiment stands; ``more`` goes along and comes back from reading."""
    from ..interchange import write_arrays
    from ..interchange.models import state_to_file

    state, history = experiment.network.state, experiment.history
    arrays = state_to_file(state)
    arrays |= {f"record.{name}": getattr(history, name) for name in _PLAIN}
    arrays |= {f"record.{name}": stack for name, stack in stacks(experiment).items()}
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "config": experiment.config.to_json(),
        "seed": str(state.seed),  # 64 bits do not survive JSON readers that use doubles
        "n_presentations": state.n_presentations,
        "since": asdict(history.since),
        "costs": {name: asdict(getattr(history, name)) for name in _COSTS},
        "evaluations": history.evaluations,
        "more": more,
    }
    write_arrays(path, arrays, metadata)


def stacks(experiment: Experiment) -> dict[str, np.ndarray]:
    """The history's lists of arrays as single arrays, evaluations first; also if there is none."""
    history = experiment.history
    sizes = {"e": 0, "w": 0, "c": len(experiment.labels)}
    sizes |= {"n": experiment.config.neurons, "f": experiment.data.n_features}
    none = {
        name: np.zeros([sizes[letter] for letter in letters], dtype)
        for name, (dtype, *letters) in ((name, kind.split()) for name, kind in _STACKS.items())
    }
    found = {name: getattr(history, name) for name in _STACKS}
    return {name: np.stack(held) if held else none[name] for name, held in found.items()}


def read_checkpoint(path: str | os.PathLike[str], experiment: Experiment) -> dict[str, Any]:
    """Put an experiment where a checkpoint says it stood. ValueError if it is not this one's."""
    from ..model import Network

    arrays, metadata = open_checkpoint(path, experiment, FORMAT, _KNOWN)
    try:
        check(metadata, METADATA)
        history = _read_history(arrays, metadata, experiment)
        state = _read_state(arrays, metadata, experiment)
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    experiment.history = history
    experiment.network = Network(experiment.config.parameters, state)
    return dict(metadata["more"])


def open_checkpoint(
    path: str | os.PathLike[str], experiment: Experiment, kind: str, known: Container[str]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays of known names and the metadata of a checkpoint of any learner, with sound evaluations."""
    from ..interchange import read_arrays

    def is_ours(metadata: dict[str, Any], names: list[str]) -> None:
        if metadata.get("format") != kind or metadata.get("version") != VERSION:
            raise ValueError(f"{path} is not a checkpoint of this version of lethenet.")
        if metadata.get("config") != experiment.config.to_json():
            raise ValueError(f"{path} belongs to another run: its configuration is not run.json's.")
        refuse_unknown(path, names, known.__contains__)
        check(metadata, {"more": {"seconds": {"learning": AMOUNT, "evaluation": AMOUNT}}}, path)
        n_tasks, network = len(experiment.tasks), experiment.config.learner == "cfn"
        check_evaluations(metadata.get("evaluations"), n_tasks, path, network=network)

    return read_arrays(path, is_ours)


def _read_state(
    arrays: dict[str, np.ndarray], metadata: dict[str, Any], experiment: Experiment
) -> State:
    from ..interchange.models import state_from_file

    state = state_from_file(arrays, metadata, experiment.config.parameters)
    expected = (experiment.config.neurons, experiment.data.n_features)
    if state.weights.shape != expected:
        raise ValueError(f"weights of shape {state.weights.shape}, expected {expected}.")
    presented, evaluated = state.n_presentations, len(metadata["evaluations"])
    ends = [0, *experiment.task_ends.tolist()]
    since = presented - ends[evaluated]
    if presented > ends[min(evaluated + 1, len(ends) - 1)] or since != metadata["since"]["samples"]:
        raise ValueError(
            f"n_presentations is {presented}, which does not go with {evaluated} evaluations and "
            f"{metadata['since']['samples']} samples since."
        )
    return state


def _read_history(
    arrays: dict[str, np.ndarray], metadata: dict[str, Any], experiment: Experiment
) -> History:
    blank = experiment.blank_history()
    n = len(metadata["evaluations"])
    config, several = experiment.config, experiment.config.neurons <= MAX_NEURONS_WITH_ALL_WEIGHTS
    check_arrays(
        arrays, RECORD, e=n, n=config.neurons, c=len(experiment.labels), f=experiment.data.n_features,
        w=n if several else min(n, 1), v=len(blank.dopamine), k=blank.online_counts.shape[1],
    )  # fmt: skip
    own: dict[str, Any] = {
        name: np.array(arrays[f"record.{name}"], order="C") for name in (*_PLAIN, *_STACKS)
    }
    own |= {name: list(own[name]) for name in _STACKS}
    costs = metadata.get("costs", {})  # a checkpoint of an older version has none
    cost = {name: Cost(**costs.get(name, {})) for name in _COSTS}
    everything: dict[str, Any] = {**own, **cost}
    return History(
        window=blank.window,
        since=SinceEvaluation(**metadata["since"]),
        evaluations=list(metadata["evaluations"]),
        **everything,
    )
