"""The two files of a run directory, read with suspicion: what the figures need must be there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

FORMAT = "lethenet-run"
FORMAT_VERSION = 1
STATUSES = ("running", "interrupted", "finished")
MAX_JSON_BYTES = 256 * 2**20
"""A larger run.json is not one of ours."""

_NUMBER = (int, float)
_RECORD = {
    "status": str,
    "config": dict,
    "data": dict,
    "progress": dict,
    "tasks": list,
    "evaluations": list,
}
_CONFIG = {
    "dataset": str,
    "neurons": int,
    "epochs": int,
    "order": str,
    "classes": list,
    "parameters": dict,
}
_TASK = {"name": str, "classes": list}
_EVALUATION = {
    "task": str,
    "samples_seen": int,
    "classes_seen": list,
    "train_accuracy": _NUMBER,
    "test_accuracy": _NUMBER,
    "test_accuracy_histogram": _NUMBER,
    "task_accuracy": list,
    "class_accuracy": dict,
    "false_positives": dict,
    "neurons_per_class": dict,
    "neurons_unlabelled": int,
    "neurons_replaced": int,
    "neurons_preserved": int,
    "neurons_new": int,
    "dopaminergic_spikes": int,
}


def read_record(folder: Path) -> dict[str, Any]:
    """``run.json``, checked; ValueError if it is foreign, damaged or of another format."""
    path = folder / "run.json"
    if not path.is_file():
        raise ValueError(
            f"{folder} is not a run directory: it has no run.json. "
            "Give the folder that `lethenet run --out` wrote."
        )
    if path.stat().st_size > MAX_JSON_BYTES:
        raise ValueError(f"{path} is too large: lethenet reads up to {MAX_JSON_BYTES} bytes.")
    try:
        record = json.loads(path.read_text("utf-8"), parse_constant=_not_a_number)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f'{path} was not written by lethenet (no "format": "{FORMAT}").')
    if record.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{path} has format version {record.get('version')!r}; this lethenet reads "
            f"{FORMAT_VERSION}. Use the version that wrote it."
        )
    _check(record, _RECORD, str(path))
    if record["status"] not in STATUSES:
        raise ValueError(f"{path}: status {record['status']!r} is not one of {STATUSES}.")
    _check(record["config"], _CONFIG, f"{path}: config")
    for number, task in enumerate(record["tasks"]):
        _check(task, _TASK, f"{path}: tasks[{number}]")
    for number, evaluation in enumerate(record["evaluations"]):
        where = f"{path}: evaluations[{number}]"
        _check(evaluation, _EVALUATION, where)
        _check_row(evaluation["task_accuracy"], len(record["tasks"]), where)
    return record


def _not_a_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def _check(found: Any, expected: dict[str, Any], where: str) -> None:
    if not isinstance(found, dict):
        raise ValueError(f"{where} is damaged: expected an object, found {type(found).__name__}.")
    for key, kind in expected.items():
        if key not in found:
            raise ValueError(f"{where} is damaged: {key!r} is missing.")
        value = found[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{where} is damaged: {key!r} is {value!r:.60}.")


def _check_row(row: list[Any], n_tasks: int, where: str) -> None:
    fine = all(value is None or isinstance(value, _NUMBER) for value in row)
    if len(row) != n_tasks or not fine:
        raise ValueError(
            f"{where} is damaged: 'task_accuracy' must hold a number or null for each of "
            f"the {n_tasks} tasks."
        )


def read_run_arrays(folder: Path, record: dict[str, Any]) -> tuple[dict[str, np.ndarray], int]:
    """The arrays, cut to the evaluations that ``run.json`` and the arrays file both know.

    The two files are replaced one after the other, so a run that is going on may be one evaluation
    ahead in either of them.
    """
    path = folder / "arrays.safetensors"
    if not path.exists():
        if record["evaluations"] and record["status"] == "finished":
            raise ValueError(f"{folder} is damaged: arrays.safetensors is missing.")
        record["evaluations"].clear()
        return {}, 1
    from ..interchange import read_arrays

    arrays, metadata = read_arrays(path)
    counts = arrays.get("confusion")
    known = len(record["evaluations"])
    held = 0 if counts is None else len(counts)
    if held != known and record["status"] == "finished":
        raise ValueError(
            f"{folder} is damaged: run.json has {known} evaluations, arrays.safetensors {held}."
        )
    common = min(held, known)
    del record["evaluations"][common:]
    for name in ("confusion", "label_counts", "imprinted_in_task"):
        if name in arrays:
            arrays[name] = arrays[name][:common]
    if "weights" in arrays and len(arrays["weights"]) > 1:
        arrays["weights"] = arrays["weights"][:common]
    _check_shapes(arrays, record, path)
    window = metadata.get("window", 1)
    if not isinstance(window, int) or window < 1:
        raise ValueError(f"{path} is damaged: window is {window!r}, expected a whole number.")
    return arrays, window


def _check_shapes(arrays: dict[str, np.ndarray], record: dict[str, Any], path: Path) -> None:
    n_evaluations, n_neurons = len(record["evaluations"]), record["config"]["neurons"]
    n_classes = len(record["config"]["classes"])
    expected: dict[str, tuple[int, ...]] = {
        "confusion": (n_evaluations, n_classes, n_classes),
        "label_counts": (n_evaluations, n_neurons, n_classes),
        "imprinted_in_task": (n_evaluations, n_neurons),
    }
    for name, shape in expected.items():
        if n_evaluations and name not in arrays:
            raise ValueError(f"{path} is damaged: the array {name!r} is missing.")
        if name in arrays and arrays[name].shape != shape:
            raise ValueError(
                f"{path} does not belong to its run.json: {name!r} has shape "
                f"{arrays[name].shape}, expected {shape}."
            )
    weights = arrays.get("weights")
    fits = weights is None or (
        weights.ndim == 3
        and weights.shape[1] == n_neurons
        and len(weights) in (0, 1, n_evaluations)
    )
    if not fits and weights is not None:
        raise ValueError(f"{path}: weights of shape {weights.shape} do not fit its run.json.")
