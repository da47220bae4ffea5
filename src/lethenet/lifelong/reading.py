"""Read a run directory (docs/run-directory.md) with suspicion. Nothing else in lethenet does.

``run.json`` and ``arrays.safetensors`` may come from anyone: what is used later is checked here.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from .._limits import check_file
from .._schema import (
    AMOUNT,
    COUNT,
    FLAG,
    LABEL,
    PLAIN,
    SHARE,
    SIGNED_SHARE,
    TEXT,
    Each,
    Kind,
    Maybe,
    check,
    check_arrays,
    is_text,
    whole,
)

FORMAT, VERSION = "lethenet-run", 1
STATUSES = ("running", "interrupted", "finished")
MAX_JSON_BYTES = 32 * 2**20
"""A larger run.json is not one of ours."""

RUN, ARRAYS, CHECKPOINT = "run.json", "arrays.safetensors", "checkpoint.safetensors"
MODEL, TWIN, REPORT, FIGURES = "model.safetensors", "twin", "report.html", "figures"

REMEDY = "Use a copy of the folder, or run it again."
CONFIG = {
    "dataset": TEXT,
    "layer?": ("none", "edges", "patches", "on-off"),
    "learner?": TEXT,
    "stream?": TEXT,
    "neurons": whole(0, 10_000_000),
    "epochs": whole(1, 1_000_000),
    "order": ("sequential", "interleaved"),
    "classes": [LABEL],
    "preset?": TEXT,
    "readout?": Maybe(TEXT),
    "parameters": Each(Kind("a number, a switch, a name or a rule", lambda v: PLAIN.fits(v)
                            or (isinstance(v, dict) and all(map(is_text, v.values()))))),
}  # fmt: skip
"""What is shown of a configuration; to go on with it, :class:`.Config` checks the rest."""
EVALUATION = {
    "task": TEXT,
    "samples_seen": COUNT,
    "classes_seen": [LABEL],
    "train_accuracy": SHARE,
    "test_accuracy": SHARE,
    "test_accuracy_histogram?": SHARE,
    "test_accuracy_evidence?": SHARE,
    "task_accuracy": [Maybe(SHARE)],
    "class_accuracy": Each(SHARE),
    "false_positives": Each(COUNT),
    "neurons_per_class?": Each(COUNT),
    "neurons_unlabelled?": COUNT,
}
OF_THE_NETWORK = {
    "test_accuracy_histogram": SHARE,
    "neurons_per_class": Each(COUNT),
    "neurons_unlabelled": COUNT,
    "neurons_replaced": COUNT,
    "neurons_preserved": COUNT,
    "neurons_new": COUNT,
    "dopaminergic_spikes": COUNT,
    "input_spikes?": AMOUNT,
    "output_spikes?": COUNT,
    "recognition_operations_per_sample?": AMOUNT,
}
_SPENT = "dopaminergic_spikes", "input_spikes", "synaptic_operations", "recognition_operations"
SUMMARY = {
    "accuracy": SHARE,
    "accuracy_histogram?": Maybe(SHARE),
    "train_accuracy": SHARE,
    "acc": SHARE,
    "bwt": SIGNED_SHARE,
    "forgetting": SIGNED_SHARE,
    "sequential_penalty": Maybe(SIGNED_SHARE),
    **{f"{name}_per_sample?": AMOUNT for name in _SPENT},
}
DOCUMENT = {
    "format": (FORMAT,),
    "version": (VERSION,),
    "status": STATUSES,
    "lethenet": TEXT,
    "command": Maybe([TEXT]),
    "config": CONFIG,
    "supervised?": FLAG,
    "machine": Each(PLAIN),
    "started": TEXT,
    "finished": Maybe(TEXT),
    "seconds": {"learning": AMOUNT, "evaluation": AMOUNT},
    "simulated?": {"learned": Maybe(AMOUNT), "recognised": Maybe(AMOUNT)},
    "data": {
        "name": TEXT,
        "n_features": whole(1),
        "image_shape?": Maybe([whole(1, 10**6)]),
        "class_names?": Maybe([TEXT]),
        "n_train": COUNT,
        "n_test": COUNT,
        "sha256?": TEXT,
    },
    "progress": {"samples_done": COUNT, "samples_total": COUNT, "tasks_done?": COUNT},
    "tasks": [{"name": TEXT, "classes": [LABEL], "samples?": COUNT}],
    "evaluations": [EVALUATION],
    "summary?": Maybe(SUMMARY),
    "diagnosis?": [TEXT],
}
OF_ALL = {"confusion": "int64 e c c", "task_ends?": "int64 t"}
OF_NETWORKS = {
    "label_counts": "int64 e n c",
    "imprinted_in_task": "uint8 e n",
    "weights?": "float32 w n f",
    "dopamine_windows?": "float64 v",
    "input_spike_windows?": "float64 v",
    "examples?": "float32 k s",
    "patches?": "float32 p i",
}
LINKS = {"link_partners": "int32 n l", "link_counts": "int32 n l", "link_spikes": "int64 n"}
"""The arrays of a run: types, and letters for their sizes (docs/run-directory.md)."""


def read_run(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """``run.json``, checked; ValueError if it is missing, foreign, damaged or of another format."""
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
            f"{path} has format version {document.get('version')!r:.60}; this lethenet reads "
            f"{VERSION}. Use the version that wrote it."
        )
    check(document, DOCUMENT, path, REMEDY)
    n_tasks, network = len(document["tasks"]), by_network(document)
    check_evaluations(document["evaluations"], n_tasks, path, network=network)
    _check_together(document, path)
    return document


def by_network(document: dict[str, Any]) -> bool:
    """Whether a run is the network's, and not that of another learner."""
    return bool(document["config"].get("learner", "cfn") == "cfn")


def check_evaluations(
    evaluations: Any, n_tasks: int, source: Any = "", *, network: bool = True
) -> None:
    """ValueError if these cannot be the evaluations of so many tasks, by a network or another learner."""
    kind = {**EVALUATION, **OF_THE_NETWORK} if network else EVALUATION
    check(evaluations, [kind], source, REMEDY, "evaluations")
    _require(len(evaluations) <= n_tasks, source, f"it has more evaluations than tasks ({n_tasks})")
    whole_rows = all(len(evaluation["task_accuracy"]) == n_tasks for evaluation in evaluations)
    _require(whole_rows, source, f"task_accuracy has not one value for each of {n_tasks} tasks")


def _check_together(document: dict[str, Any], path: Path) -> None:
    """What fields must be to each other."""
    config, data, finished = document["config"], document["data"], document["status"] == "finished"
    labels, names = config["classes"], data.get("class_names")
    numbers = [label for label in labels if isinstance(label, int)]
    named = names is None or all(0 <= label < len(names) for label in numbers)
    done = len(document["evaluations"]) == len(document["tasks"]) and document.get("summary")
    shape, n_features = data.get("image_shape"), data["n_features"]
    fits = shape is None or config.get("layer", "none") != "none"
    fits = fits or (len(shape) in (2, 3) and math.prod(shape) == n_features)
    for condition, what in (
        (labels, "config.classes is empty"),
        (len(set(labels)) == len(labels), "config.classes has a class twice"),
        (named, f"config.classes has numbers that data.class_names ({len(names or ())}) has not"),
        (document["tasks"], "tasks is empty"),
        (done or not finished, "it is finished, but evaluations or summary are missing"),
        (fits, f"data.image_shape {shape} is not that of {n_features} features"),
    ):
        _require(bool(condition), path, what)


def _require(condition: bool, source: Any, what: str) -> None:
    if not condition:
        raise ValueError(f"{source} is damaged: {what}. {REMEDY}" if source else f"{what}.")


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
    from ..interchange.files import read_arrays, refuse_unknown

    def is_ours(metadata: dict[str, Any], names: list[str]) -> None:
        known = {name.removesuffix("?") for name in (*OF_ALL, *OF_NETWORKS, *LINKS)}
        refuse_unknown(path, names, known.__contains__)
        check(metadata, {"window?": whole(1)}, path, REMEDY)

    arrays, metadata = read_arrays(path, is_ours)
    held = len(arrays["confusion"]) if "confusion" in arrays else 0
    if held != known and finished:
        raise ValueError(f"{folder} is damaged: {RUN} has {known} evaluations, {ARRAYS} {held}.")
    common = min(held, known)
    for name in ("confusion", "label_counts", "imprinted_in_task"):
        if name in arrays:
            arrays[name] = arrays[name][:common]
    if len(arrays.get("weights", ())) > 1:
        arrays["weights"] = arrays["weights"][:common]
    try:
        _check_arrays(arrays, common, document)
    except ValueError as error:
        raise ValueError(f"{path} does not belong to its {RUN}: {error} {REMEDY}") from error
    return arrays, metadata.get("window", 1)


def _check_arrays(arrays: dict[str, np.ndarray], common: int, document: dict[str, Any]) -> None:
    config, features = document["config"], document["data"]["n_features"]
    sizes = {"e": common, "n": config["neurons"], "c": len(config["classes"]), "f": features}
    table = {**OF_ALL, **(OF_NETWORKS if by_network(document) else {})}
    if common == 0:
        table = {name if name.endswith("?") else f"{name}?": kind for name, kind in table.items()}
    check_arrays(arrays, table, **sizes)
    if len(arrays.get("weights", ())) not in (0, 1, common):
        raise ValueError(f"weights of {len(arrays['weights'])} evaluations, expected {common}.")
    if "link_partners" in arrays:
        from ..model.links import check_links

        check_arrays(arrays, LINKS, {"link_partners": (-1, config["neurons"])}, **sizes)
        check_links(arrays["link_partners"], arrays["link_counts"])
