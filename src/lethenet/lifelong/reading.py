"""Read a run directory (docs/run-directory.md) with suspicion. Nothing else in lethenet does.

``run.json`` and ``arrays.safetensors`` may come from anyone: what is used later is checked here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .._limits import check_file

FORMAT, VERSION = "lethenet-run", 1
STATUSES = ("running", "interrupted", "finished")
MAX_JSON_BYTES = 32 * 2**20
"""A larger run.json is not one of ours."""

RUN, ARRAYS, CHECKPOINT = "run.json", "arrays.safetensors", "checkpoint.safetensors"
MODEL, TWIN, REPORT, FIGURES = "model.safetensors", "twin", "report.html", "figures"

_NUMBER = (int, float)
_DOCUMENT = {
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
    "task_accuracy": list,
    "class_accuracy": dict,
    "false_positives": dict,
}
_OF_THE_NETWORK = {
    "test_accuracy_histogram": _NUMBER,
    "neurons_per_class": dict,
    "neurons_unlabelled": int,
    "neurons_replaced": int,
    "neurons_preserved": int,
    "neurons_new": int,
    "dopaminergic_spikes": int,
}


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """``run.json``, checked; ValueError if it is missing, foreign, damaged or of another format.

    >>> read_run("/no/such/folder")
    Traceback (most recent call last):
    ...
    ValueError: /no/such/folder does not exist.
    """
    folder = Path(folder)
    path = folder / RUN
    if not folder.exists():
        raise ValueError(f"{folder} does not exist.")
    if not path.exists():
        raise ValueError(
            f"{folder} is not a run directory: it has no {RUN}. "
            "Give the folder that `lethenet run --out` wrote."
        )
    check_file(path, MAX_JSON_BYTES)
    from ..interchange.files import read_json

    document = read_json(path.read_bytes().decode("utf-8", "replace"), path)
    if document.get("format") != FORMAT:
        raise ValueError(f'{path} was not written by lethenet (no "format": "{FORMAT}").')
    if document.get("version") != VERSION:
        raise ValueError(
            f"{path} has format version {document.get('version')!r}; this lethenet reads "
            f"{VERSION}. Use the version that wrote it."
        )
    _check(document, _DOCUMENT, str(path))
    if document["status"] not in STATUSES:
        raise ValueError(f"{path}: status {document['status']!r} is not one of {STATUSES}.")
    _check(document["config"], _CONFIG, f"{path}: config")
    for number, task in enumerate(document["tasks"]):
        _check(task, _TASK, f"{path}: tasks[{number}]")
    n_tasks, network = len(document["tasks"]), by_network(document)
    check_evaluations(document["evaluations"], n_tasks, str(path), network=network)
    return document


def by_network(document: dict[str, Any]) -> bool:
    """Whether a run is the network's, and not that of another learner."""
    return bool(document["config"].get("learner", "cfn") == "cfn")


def check_evaluations(evaluations: Any, n_tasks: int, source: str, *, network: bool = True) -> None:
    """ValueError if these cannot be the evaluations of so many tasks, by a network or another learner."""
    if not isinstance(evaluations, list) or len(evaluations) > n_tasks:
        raise ValueError(f"{source} has more evaluations than tasks, or none that can be read.")
    for number, evaluation in enumerate(evaluations):
        where = f"{source}: evaluations[{number}]"
        _check(evaluation, {**_EVALUATION, **(_OF_THE_NETWORK if network else {})}, where)
        _check_row(evaluation["task_accuracy"], n_tasks, where)


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


def read_run_arrays(
    folder: str | os.PathLike[str], document: dict[str, Any]
) -> tuple[dict[str, np.ndarray], int]:
    """The arrays of a run, and the samples per window; empty before the first task is finished.

    The two files are replaced one after the other, so a run that is going on may be one evaluation
    ahead in either of them: arrays are cut to the evaluations that both know.
    """
    path = Path(folder) / ARRAYS
    known, finished = len(document["evaluations"]), document["status"] == "finished"
    if not path.exists():
        if known and finished:
            raise ValueError(f"{folder} is damaged: {ARRAYS} is missing.")
        return {}, 1
    from ..interchange import read_arrays

    arrays, metadata = read_arrays(path)
    held = len(arrays["confusion"]) if "confusion" in arrays else 0
    if held != known and finished:
        raise ValueError(f"{folder} is damaged: {RUN} has {known} evaluations, {ARRAYS} {held}.")
    common = min(held, known)
    for name in ("confusion", "label_counts", "imprinted_in_task"):
        if name in arrays:
            arrays[name] = arrays[name][:common]
    if len(arrays.get("weights", ())) > 1:
        arrays["weights"] = arrays["weights"][:common]
    _check_shapes(arrays, common, document, path)
    window = metadata.get("window", 1)
    if not isinstance(window, int) or window < 1:
        raise ValueError(f"{path} is damaged: window is {window!r}, expected a whole number.")
    return arrays, window


def _check_shapes(
    arrays: dict[str, np.ndarray], n_evaluations: int, document: dict[str, Any], path: Path
) -> None:
    config = document["config"]
    n_neurons, n_classes = config["neurons"], len(config["classes"])
    expected: dict[str, tuple[int, ...]] = {
        "confusion": (n_evaluations, n_classes, n_classes),
        "label_counts": (n_evaluations, n_neurons, n_classes),
        "imprinted_in_task": (n_evaluations, n_neurons),
    }
    for name, shape in expected.items():
        needed = name == "confusion" or by_network(document)
        if n_evaluations and needed and name not in arrays:
            raise ValueError(f"{path} is damaged: the array {name!r} is missing.")
        if name in arrays and arrays[name].shape != shape:
            raise ValueError(
                f"{path} does not belong to its {RUN}: {name!r} has shape "
                f"{arrays[name].shape}, expected {shape}."
            )
    if "link_partners" in arrays:
        from ..model.links import check_links

        partners, counts = arrays["link_partners"], arrays.get("link_counts")
        spikes = arrays.get("link_spikes", np.zeros(0))
        fitting = partners.ndim == 2 and counts is not None and counts.shape == partners.shape
        if not fitting or len(partners) != n_neurons or spikes.shape != (n_neurons,):
            raise ValueError(f"{path}: its links do not fit its {RUN}.")
        check_links(partners, counts)
    weights = arrays.get("weights")
    if weights is not None and (
        weights.ndim != 3
        or weights.shape[1] != n_neurons
        or len(weights) not in (0, 1, n_evaluations)
    ):
        raise ValueError(f"{path}: weights of shape {weights.shape} do not fit its {RUN}.")
