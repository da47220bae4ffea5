"""Where the two STDP rules take a weight vector (the paper's figure oja).

The rule should leave a vector that already points at its target alone. The model's own
:func:`move_weights` and :func:`normalise` are applied to:

* (A) one pair of weights and one target: the offset that is subtracted, and the change that results;
* (B) many starting points, each its own target: the change, and where each settles;
* the same for images of digits, 64 weights: how many are left, and how far they have gone astray.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lethenet.data import load
from lethenet.engine.compiling.kernels import kernel, specialised
from lethenet.engine.plasticity import move_weights, normalise
from lethenet.model import PAPER
from lethenet.model.constants import constants_of
from lethenet.model.rule import static_step

Rule = Literal["static", "oja"]
RULES: tuple[Rule, ...] = ("static", "oja")
MOVE = {
    "oja": move_weights,
    "static": specialised(move_weights, "static", step=kernel(static_step)),
}
STARTS = tuple(range(0, 91, 5))
SHOWN_UPDATES = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
Json = dict[str, Any]


def update(weights: np.ndarray, target: np.ndarray, rule: Rule, rate: float) -> np.ndarray:
    """One output spike: the weights after it, before they are normalised.

    The pre-synaptic trace is at its expected value, pre = τ_pre · target.
    """
    constants = constants_of(PAPER, len(weights))
    changed = weights.astype(np.float32)
    move = MOVE[rule]
    move(changed, target * PAPER.tau_pre, constants.inverse_tau_pre, rate, constants.static_offset)
    return changed


def settle(target: np.ndarray, rule: Rule, updates: tuple[int, ...]) -> list[np.ndarray]:
    """Start on the target; the weights after each of these numbers of updates."""
    weights, passed, done = target.astype(np.float32), [], 0
    for wanted in updates:
        for _ in range(wanted - done):
            weights = update(weights, target, rule, PAPER.learning_rate)
            normalise(weights)
        done = wanted
        passed.append(weights.copy())
    return passed


def example_vectors() -> Json:
    """Panel A: weights at 15°, a target at 30°, at a full learning rate so that it can be seen."""
    weights, target = _on_circle(15.0), _on_circle(30.0)
    offset = constants_of(PAPER, 2).static_offset
    return {
        "weights": _listed(weights),
        "target": _listed(target),
        "offset": {"static": [offset, offset], "oja": _listed(weights)},
        # the shift by which 1 × (pre/τ_pre − offset) moves the weights, without the cap at zero
        "change": {
            "static": _listed(target - offset),
            "oja": _listed(update(weights, target, "oja", 1.0) - weights),
        },
    }


def plane() -> list[Json]:
    """Panel B: two weights, each start its own target."""
    records = []
    for degrees in STARTS:
        start = _on_circle(float(degrees))
        record: Json = {"start": degrees}
        for rule in RULES:
            # a tenth of a step shows the direction before the cap at zero bends it
            change = update(start, start, rule, 0.1) - start
            settled = settle(start, rule, (5000,))[0]
            record[rule] = {
                "change": _listed(change),
                "settled": float(np.degrees(np.arctan2(settled[1], settled[0]))),
            }
        records.append(record)
    return records


def images(n_images: int) -> Json:
    """Images of digits, each its own target: weights above zero and degrees from the target."""
    X = load("digits").X_train[:n_images].astype(float)
    result: Json = {"updates": list(SHOWN_UPDATES), "images": n_images}
    for rule in RULES:
        left, astray = [], []
        for row in X / np.linalg.norm(X, axis=1, keepdims=True):
            passed = settle(row, rule, SHOWN_UPDATES)
            left.append([float((w > 1e-6).sum() / (row > 0).sum()) for w in passed])
            astray.append([_degrees_between(w, row) for w in passed])
        result[rule] = {
            name: {
                "median": _listed(np.median(values, axis=0)),
                "low": _listed(np.quantile(values, 0.05, axis=0)),
                "high": _listed(np.quantile(values, 0.95, axis=0)),
            }
            for name, values in (("left", left), ("astray", astray))
        }
    return result


def _on_circle(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def _degrees_between(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between vectors of length one; the arctangent is exact for small angles, too."""
    apart, along = np.linalg.norm(a - b), np.linalg.norm(a + b)
    return float(np.degrees(2 * np.arctan2(apart, along)))


def _listed(values: np.ndarray) -> list[float]:
    return [round(float(value), 6) for value in values]


def run(folder: Path) -> None:
    """Apply the rules and write where they lead."""
    result = {"example": example_vectors(), "plane": plane(), "images": images(100)}
    (folder / "stdp_stability.json").write_text(json.dumps(result, indent=1) + "\n")
