"""A run in the middle, in one file: the network's state, the history, and whose they are.

One file, because two could disagree after a kill between them.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..interchange.files import refuse_unknown
from ..interchange.models import MOST_SPIKES
from ..model.state import ARRAY_FIELDS
from .energy import Cost
from .history import MAX_NEURONS_WITH_ALL_WEIGHTS, History, SinceEvaluation
from .reading import check_evaluations

if TYPE_CHECKING:
    from ..model import State
    from .protocol import Experiment

FORMAT = "lethenet-checkpoint"
VERSION = 1

_STACKS = ("confusion", "label_counts", "imprinted", "weights")
_COSTS = ("learned", "recognised")
_PLAIN = ("dopamine", "input_spikes", "imprint_counts_before", "online_counts")
_KNOWN = {f"record.{name}" for name in _STACKS + _PLAIN} | {f"state.{n}" for n in ARRAY_FIELDS}

T = TypeVar("T")


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
    return {
        name: np.stack(getattr(history, name)) if getattr(history, name) else np.zeros(shape, dtype)
        for name, (shape, dtype) in _stack_shapes(experiment).items()
    }


def read_checkpoint(path: str | os.PathLike[str], experiment: Experiment) -> dict[str, Any]:
    """Put an experiment where a checkpoint says it stood. ValueError if it is not this one's."""
    from ..interchange import read_arrays
    from ..model import Network

    def check(metadata: dict[str, Any], names: list[str]) -> None:
        if metadata.get("format") != FORMAT or metadata.get("version") != VERSION:
            raise ValueError(f"{path} is not a checkpoint of this version of lethenet.")
        if metadata.get("config") != experiment.config.to_json():
            raise ValueError(f"{path} belongs to another run: its configuration is not run.json's.")
        refuse_unknown(path, names, _KNOWN.__contains__)

    arrays, metadata = read_arrays(path, check)
    try:
        history = _read_history(arrays, metadata, experiment)
        state = _read_state(arrays, metadata, experiment)
        more = dict(metadata["more"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    experiment.history = history
    experiment.network = Network(experiment.config.parameters, state)
    return more


def _read_state(
    arrays: dict[str, np.ndarray], metadata: dict[str, Any], experiment: Experiment
) -> State:
    from ..interchange.models import state_from_file

    state = state_from_file(arrays, metadata, experiment.config.parameters)
    expected = (experiment.config.neurons, experiment.data.n_features)
    if state.weights.shape != expected:
        raise ValueError(f"weights of shape {state.weights.shape}, expected {expected}")
    presented, evaluated = state.n_presentations, len(metadata["evaluations"])
    ends = [0, *experiment.task_ends.tolist()]
    last_end = ends[min(evaluated + 1, len(ends) - 1)]
    if not ends[evaluated] <= presented <= last_end:
        raise ValueError(f"{presented} samples with {evaluated} evaluations cannot be")
    return state


def _read_history(
    arrays: dict[str, np.ndarray], metadata: dict[str, Any], experiment: Experiment
) -> History:
    blank = experiment.blank_history()
    check_evaluations(metadata["evaluations"], len(experiment.tasks), "it")
    n = len(metadata["evaluations"])
    plain = {
        name: _array(arrays, f"record.{name}", getattr(blank, name).shape, np.dtype(np.int64))
        for name in _PLAIN
    }
    for name, array in plain.items():
        if array.min(initial=0) < 0 or array.max(initial=0) > MOST_SPIKES:
            raise ValueError(f"record.{name} holds numbers that are no counts")
    stacked = {}
    for name, (shape, dtype) in _stack_shapes(experiment).items():
        several = name != "weights" or experiment.config.neurons <= MAX_NEURONS_WITH_ALL_WEIGHTS
        whole = (n if several else min(n, 1), *shape[1:])
        stacked[name] = list(_array(arrays, f"record.{name}", whole, dtype))
    costs = metadata.get("costs", {})  # a checkpoint of an older version has none
    cost = {name: _counted(Cost, costs.get(name, {})) for name in _COSTS}
    everything: dict[str, Any] = {**plain, **stacked, **cost}
    return History(
        window=blank.window,
        since=_counted(SinceEvaluation, metadata["since"]),
        evaluations=list(metadata["evaluations"]),
        **everything,
    )


def _counted(kind: type[T], values: dict[str, Any]) -> T:
    """A record of counts and sums from a file."""
    for name, value in values.items():
        if type(value) not in (int, float) or not 0 <= value <= MOST_SPIKES:
            raise ValueError(f"{name!r:.60} is {value!r:.60}: expected a count")
    return kind(**values)


def _stack_shapes(experiment: Experiment) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Shape before the first evaluation, and type, of each stack."""
    n, c, f = experiment.config.neurons, len(experiment.labels), experiment.data.n_features
    shapes: dict[str, tuple[int, ...]] = {
        "confusion": (0, c, c),
        "label_counts": (0, n, c),
        "imprinted": (0, n),
        "weights": (0, n, f),
    }
    types = {"imprinted": "uint8", "weights": "float32"}
    return {name: (shapes[name], np.dtype(types.get(name, "int64"))) for name in _STACKS}


def _array(
    arrays: dict[str, np.ndarray], name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray:
    array = arrays.get(name)
    if array is None or array.shape != shape or array.dtype != dtype:
        found = "nothing" if array is None else f"{array.dtype} {array.shape}"
        raise ValueError(f"expected {name} as {dtype} {shape}, found {found}")
    return np.array(array, order="C")  # loaded arrays may be read-only views of the file
