"""Settings for all tests, and run directories made up for those that read them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from lethenet.interchange import write_arrays

# A shell starts what it puts in the background with Ctrl-C ignored; tests send it to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Kernels compile in the first example; and CI should not depend on luck.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

WINDOW = 50
SAMPLES_PER_CLASS = 300
TEST_PER_CLASS = 100


def make_run(
    folder: Path,
    *,
    dataset: str = "mnist",
    classes: list[int] | None = None,
    names: list[str] | None = None,
    neurons: int = 60,
    image_shape: list[int] | None = (8, 8),  # type: ignore[assignment]
    features: int = 64,
    order: str = "sequential",
    status: str = "finished",
    tasks_done: int | None = None,
    twin: bool = False,
    keep_weights: str = "all",
    accuracy: float = 0.9,
    seed: int = 0,
    readout: str = "dominant",
    epochs: int = 1,
    threshold: float = 13.5,
    links: bool = True,
) -> Path:
    """Write a run directory in the documented form; its numbers agree, but nobody learned anything."""
    rng = np.random.default_rng(seed)
    classes = list(range(10)) if classes is None else classes
    n = len(classes)
    groups = [[c] for c in range(n)] if order == "sequential" else [list(range(n))]
    names = names or (
        [str(classes[g[0]]) for g in groups] if order == "sequential" else ["interleaved"]
    )
    done = len(groups) if tasks_done is None else tasks_done
    folder.mkdir(parents=True, exist_ok=True)
    patterns = rng.random((n, features)) ** 4
    weights = rng.random((neurons, features))
    owner = np.full(neurons, -1)
    evaluations: list[dict[str, Any]] = []
    held: dict[str, list[np.ndarray]] = {
        "confusion": [],
        "label_counts": [],
        "imprinted_in_task": [],
        "weights": [],
    }
    seen: list[int] = []
    for number, group in enumerate(groups[:done]):
        before = owner >= 0
        seen += group
        imprinted = rng.random(neurons) < 1.0 / (number + 1.2)
        imprinted[:2] = False  # two neurons are never used
        for neuron in np.flatnonzero(imprinted):
            owner[neuron] = rng.choice(group)
            weights[neuron] = patterns[owner[neuron]] + 0.2 * rng.random(features)
        confusion = np.zeros((n, n), np.int64)
        for true in seen:
            chances = np.zeros(n)
            chances[seen] = 0.0 if len(seen) == 1 else (1 - accuracy) / (len(seen) - 1)
            chances[true] = 1.0 if len(seen) == 1 else accuracy
            confusion[true] = rng.multinomial(TEST_PER_CLASS, chances)
        counts = np.zeros((neurons, n), np.int64)
        for neuron in np.flatnonzero(owner >= 0):
            counts[neuron, owner[neuron]] = rng.integers(5, 40)
        held["confusion"].append(confusion)
        held["label_counts"].append(counts)
        held["imprinted_in_task"].append(imprinted.astype(np.uint8))
        held["weights"].append(weights.astype(np.float32).copy())
        diagonal, totals = np.diag(confusion), confusion.sum(axis=1)
        test = float(diagonal.sum() / totals.sum())
        row = [float(diagonal[g].sum() / totals[g].sum()) for g in groups[: number + 1]]
        label = {c: str(classes[c]) for c in seen}
        evaluations.append(
            {
                "task": names[number],
                "tasks_seen": number + 1,
                "samples_seen": len(seen) * SAMPLES_PER_CLASS * epochs,
                "classes_seen": [classes[c] for c in seen],
                "train_accuracy": min(1.0, test + 0.004),
                "test_accuracy": test,
                "test_accuracy_histogram": min(1.0, test + 0.0075),
                "task_accuracy": row + [None] * (len(groups) - len(row)),
                "class_accuracy": {label[c]: float(diagonal[c] / totals[c]) for c in seen},
                "false_positives": {
                    label[c]: int(confusion[:, c].sum() - diagonal[c]) for c in seen
                },
                "neurons_per_class": {label[c]: int((owner == c).sum()) for c in seen},
                "neurons_unlabelled": int((owner < 0).sum()),
                "neurons_replaced": int((imprinted & before).sum()),
                "neurons_preserved": int((~imprinted & before).sum()),
                "neurons_new": int((imprinted & ~before).sum()),
                "dopaminergic_spikes": 111 + number,
                "output_spikes": 1400,
                "input_spikes_per_sample": 3300.25,
                "synaptic_operations_per_sample": 3300.25 * neurons,
                "duration_per_sample": 301.5,
            }
        )
    total = n * SAMPLES_PER_CLASS * epochs
    presented = evaluations[-1]["samples_seen"] if evaluations else 0
    if status != "finished":
        presented = min(total, presented + 120)
    windows = -(-presented // WINDOW)
    arrays = {name: np.array(parts) for name, parts in held.items() if parts}
    if "weights" in arrays and keep_weights != "all":
        arrays["weights"] = (
            arrays["weights"][-1:] if keep_weights == "last" else arrays["weights"][:0]
        )
    phase = np.arange(windows) % (SAMPLES_PER_CLASS // WINDOW)
    arrays["dopamine_windows"] = 0.2 + 0.7 * np.exp(-phase.astype(float))
    arrays["input_spike_windows"] = np.full(windows, 3300.25)
    arrays["task_ends"] = np.array([e["samples_seen"] for e in evaluations], np.int64)
    if links and neurons > 2:  # each with its two neighbours
        place = np.arange(neurons, dtype=np.int32)
        arrays["link_partners"] = np.stack([np.roll(place, 1), np.roll(place, -1)], axis=1)
        arrays["link_counts"] = np.full((neurons, 2), 5, np.int32)
        arrays["link_spikes"] = np.where(owner >= 0, 30, 0)
    write_arrays(folder / "arrays.safetensors", arrays, {"window": WINDOW})
    if twin:
        make_run(
            folder / "twin",
            dataset=dataset,
            classes=classes,
            neurons=neurons,
            image_shape=image_shape,
            features=features,
            order="interleaved",
            accuracy=min(1.0, accuracy + 0.03),
            seed=seed + 1,
        )
    record = {
        "format": "lethenet-run",
        "version": 1,
        "status": status,
        "lethenet": "0.1.0",
        "command": ["lethenet", "run", "--dataset", dataset, "--out", str(folder)],
        "config": {
            "dataset": dataset,
            "neurons": neurons,
            "epochs": epochs,
            "order": order,
            "classes": classes,
            "preset": "paper",
            "seed": 7,
            "twin": twin,
            "readout": readout,
            "train_per_class": None,
            "test_per_class": None,
            "parameters": {"threshold": threshold, "tau_mem": 15.0, "annealed": False},
        },
        "machine": {
            "python": "3.11.9",
            "numpy": "2.1.0",
            "numba": "0.61.0",
            "platform": "Linux-test",
            "processor": "made up",
            "cores": 2,
        },
        "started": "2025-11-15T22:00:00+00:00",
        "finished": "2025-11-15T22:01:15+00:00" if status == "finished" else None,
        "seconds": {"learning": 61.5, "evaluation": 13.5},
        "data": {
            "name": dataset,
            "n_features": features,
            "image_shape": list(image_shape) if image_shape else None,
            "n_train": n * SAMPLES_PER_CLASS,
            "n_test": n * TEST_PER_CLASS,
        },
        "progress": {"samples_done": presented, "samples_total": total, "tasks_done": done},
        "tasks": [
            {
                "name": names[number],
                "classes": [classes[c] for c in group],
                "samples": len(group) * SAMPLES_PER_CLASS,
            }
            for number, group in enumerate(groups)
        ],
        "evaluations": evaluations,
        "summary": _summary(folder, evaluations, twin) if status == "finished" else None,
    }
    (folder / "run.json").write_text(json.dumps(record, allow_nan=False), "utf-8")
    return folder


def _summary(folder: Path, evaluations: list[dict[str, Any]], twin: bool) -> dict[str, Any]:
    R = np.array([e["task_accuracy"] for e in evaluations], dtype=float)
    last = evaluations[-1]
    penalty = None
    if twin:
        other = json.loads((folder / "twin" / "run.json").read_text("utf-8"))
        penalty = other["summary"]["accuracy"] - last["test_accuracy"]
    several = len(R) > 1
    return {
        "accuracy": last["test_accuracy"],
        "accuracy_histogram": last["test_accuracy_histogram"],
        "train_accuracy": last["train_accuracy"],
        "acc": float(R[-1].mean()),
        "bwt": float((R[-1] - np.diag(R))[:-1].mean()) if several else 0.0,
        "forgetting": float((np.nanmax(R[:-1, :-1], axis=0) - R[-1, :-1]).mean())
        if several
        else 0.0,
        "sequential_penalty": penalty,
        "dopaminergic_spikes_per_sample": 0.371,
        "input_spikes_per_sample": 3300.25,
        "synaptic_operations_per_sample": 198015.0,
        "recognition_operations_per_sample": 372000.0,
    }


@pytest.fixture
def run_maker(tmp_path: Path) -> Callable[..., Path]:
    """``run_maker(name, **options)`` writes a run directory below ``tmp_path``."""

    def make(name: str = "run", **options: Any) -> Path:
        return make_run(tmp_path / name, **options)

    return make


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with a twin. Read it only; :func:`run_maker` makes one to write to."""
    return make_run(tmp_path_factory.mktemp("runs") / "finished", twin=True)
