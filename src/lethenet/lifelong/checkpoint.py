"""A run in the middle, in one file: the network's state, the history, and whose they are.

One file, because two could disagree after a kill between them.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._schema import AMOUNT, COUNT, Only, check, check_arrays, number
from ..interchange.files import read_arrays, refuse_unknown, write_arrays
from ..interchange.models import MOST_SPIKES, STATE, state_from_file, state_to_file
from ..model.state import ARRAY_FIELDS
from .energy import Cost
from .history import MAX_NEURONS_WITH_ALL_WEIGHTS, History, SinceEvaluation
from .reading import OF_ALL, OF_THE_NETWORK, check_evaluations

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
    "costs": {name: Only({f.name: COUNT for f in fields(Cost)}) for name in _COSTS},
    "evaluations": [{name.removesuffix("?"): kind for name, kind in OF_THE_NETWORK.items()}],
}
"""What the metadata of the network's checkpoint hold besides those of every checkpoint."""
_KNOWN = {*RECORD, *(f"state.{name}" for name in ARRAY_FIELDS)}
_OF_OTHERS = {name.removesuffix("?"): kind for name, kind in OF_ALL.items()}


def write_checkpoint(path: Path, experiment: Experiment, seconds: dict[str, float]) -> None:
    """Save where an experiment stands, after so many seconds; of another learner, what was measured."""
    history = experiment.history
    metadata = {"format": FORMAT, "version": VERSION, "config": experiment.config.to_json()}
    metadata |= {"evaluations": history.evaluations, "seconds": seconds}
    if experiment.by_network:
        state = experiment.network.state
        arrays = state_to_file(state)
        arrays |= {f"record.{name}": getattr(history, name) for name in _PLAIN}
        arrays |= {f"record.{name}": stack for name, stack in stacks(experiment).items()}
        metadata |= {
            "seed": str(state.seed),  # 64 bits do not survive JSON readers that use doubles
            "n_presentations": state.n_presentations,
            "since": asdict(history.since),
            "costs": {name: asdict(getattr(history, name)) for name in _COSTS},
        }
    else:
        arrays = experiment.arrays()[0]
    write_arrays(path, arrays, metadata)


def stacks(experiment: Experiment) -> dict[str, np.ndarray]:
    """The history's lists of arrays as single arrays, evaluations first; also if there is none."""
    sizes = {"c": len(experiment.labels), "n": experiment.config.neurons}
    sizes["f"] = experiment.data.n_features
    return {
        name: np.array(getattr(experiment.history, name), dtype).reshape(-1, *map(sizes.get, each))
        for name, (dtype, _, *each) in ((name, kind.split()) for name, kind in _STACKS.items())
    }


def read_checkpoint(path: Path, experiment: Experiment) -> dict[str, float]:
    """Put an experiment where a checkpoint says it stood; the seconds it took till then.

    Another learner than the network learns again what it had learned.
    """
    from ..model import Network

    n_tasks, network = len(experiment.tasks), experiment.by_network

    def is_ours(metadata: dict[str, Any], names: list[str]) -> None:
        if metadata.get("format") != FORMAT or metadata.get("version") != VERSION:
            raise ValueError(f"{path} is not a checkpoint of this version of lethenet.")
        if metadata.get("config") != experiment.config.to_json():
            raise ValueError(f"{path} belongs to another run: its configuration is not run.json's.")
        refuse_unknown(path, names, (_KNOWN if network else _OF_OTHERS).__contains__)
        check(metadata, {"seconds": {"learning": AMOUNT, "evaluation": AMOUNT}}, path)
        check_evaluations(metadata.get("evaluations"), n_tasks, path, network=network)

    arrays, metadata = read_arrays(path, is_ours)
    history, evaluations = experiment.history, metadata["evaluations"]
    try:
        if network:
            check(metadata, METADATA)
            history = _read_history(arrays, metadata, experiment)
            state = _read_state(arrays, metadata, experiment)
        else:
            check_arrays(
                arrays, _OF_OTHERS, e=len(evaluations), c=len(experiment.labels), t=n_tasks
            )
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if network:
        experiment.history, experiment.network = (
            history,
            Network(experiment.config.parameters, state),
        )
    else:
        for task in experiment.tasks[: len(evaluations)]:
            experiment.learn(task.indices)
        history.evaluations, history.confusion = evaluations, list(arrays["confusion"])
    return dict(metadata["seconds"])


def _read_state(
    arrays: dict[str, np.ndarray], metadata: dict[str, Any], experiment: Experiment
) -> State:
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
    own: dict[str, Any] = {name: np.array(arrays[f"record.{name}"], order="C") for name in _PLAIN}
    own |= {name: list(np.array(arrays[f"record.{name}"], order="C")) for name in _STACKS}
    own |= {name: Cost(**metadata["costs"][name]) for name in _COSTS}
    own |= {"since": SinceEvaluation(**metadata["since"]), "evaluations": metadata["evaluations"]}
    return replace(blank, **own)
