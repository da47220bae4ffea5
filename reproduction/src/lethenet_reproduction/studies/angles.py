"""Angles between samples, with and without lateral inhibition: how much room a threshold has.

Training samples only. Prototypes are those of offline spherical k-means, where neurons would end; each has
the class that most of its samples have. Samples that k-means has not seen look for the nearest of their own
class and the nearest of another. Cosines come with the noise of the potential in the same unit,
√(τ/2 Σ λ w²)/τ, for the nearest prototype of the own class.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lethenet.data import Dataset, load
from lethenet.layers import Edges
from lethenet.model import PAPER
from lethenet.theory import nearest_prototypes, spherical_k_means

from .remembering import remembered
from .tables import Record, markdown

INHIBITIONS = (None, 0.0, 0.25, 0.5, 1.0)
"""None stands for raw pixels."""
PROTOTYPES, FITTED, HELD_OUT = 400, 10_000, 2_000


def angles(
    data: Dataset, inhibition: float | None, n_prototypes: int, fitted: int, held_out: int
) -> dict[str, float]:
    """Mean cosines and the noise, over held-out training samples.

    >>> found = angles(load("digits"), 0.5, n_prototypes=40, fitted=600, held_out=300)
    >>> found["same class"] > found["different classes"], found["gap"] > 0
    (True, True)
    """
    order = np.random.default_rng(0).permutation(len(data.X_train))[: fitted + held_out]
    X, y = data.X_train[order].astype(np.float32), data.y_train[order]
    if inhibition is not None:
        X = Edges(data.image_shape, inhibition=inhibition).fit_transform(X)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    prototypes = spherical_k_means(rows[:fitted], n_prototypes)
    classes, numbers = np.unique(y, return_inverse=True)
    counts = np.zeros((n_prototypes, len(classes)))
    np.add.at(counts, (nearest_prototypes(rows[:fitted], prototypes)[0], numbers[:fitted]), 1)
    of, rows, numbers = counts.argmax(axis=1), rows[fitted:], numbers[fitted:]
    cosines, likeness = rows @ prototypes.T, rows @ rows.T
    same, alike = numbers[:, None] == of, numbers[:, None] == numbers
    own = np.where(same, cosines, -1).max(axis=1)
    other = np.where(same, -1, cosines).max(axis=1)
    nearest = prototypes[np.where(same, cosines, -1).argmax(axis=1)]
    noise = np.sqrt((rows * nearest**2).sum(axis=1) / (2 * PAPER.tau_mem))
    apart = ~np.eye(len(rows), dtype=bool)
    found = {
        "active": (rows > 0).sum(axis=1).mean(),
        "total rate": rows.sum(axis=1).mean(),
        "all pairs": likeness[apart].mean(),
        "same class": likeness[alike & apart].mean(),
        "different classes": likeness[~alike].mean(),
        "untrained": np.sqrt(0.75 / rows.shape[1]) * rows.sum(axis=1).mean(),
        "nearest own": own.mean(),
        "nearest other": other.mean(),
        "gap": (own - other).mean(),
        "noise": noise.mean(),
        "gap over noise": ((own - other) / noise).mean(),
        "told apart, no noise": told_apart(own, other, 0.0),
        "told apart": told_apart(own, other, float(noise.mean())),
        "nearest is another's": (own < other).mean(),
        "sd own": own.std(),
    }
    return {name: round(float(value), 4) for name, value in found.items()}


def parts(data: Dataset, held_out: int) -> dict[str, float]:
    """Edges without inhibition as two orthogonal parts: the mean over directions, and what is left.

    ``common`` is the share of a sample's squared length in the mean; cosines are within each part.

    >>> found = parts(load("digits"), held_out=300)
    >>> 0 < found["common"] < 1, found["mean, different classes"] > found["rest, different classes"]
    (True, True)
    """
    order = np.random.default_rng(0).permutation(len(data.X_train))[:held_out]
    layer, y = Edges(data.image_shape, inhibition=0.0), data.y_train[order]
    rows = layer.fit_transform(data.X_train[order]).reshape(len(order), -1, layer.grid_shape_[2])
    mean = np.broadcast_to(rows.mean(axis=2, keepdims=True), rows.shape)
    alike, apart = y[:, None] == y, ~np.eye(len(y), dtype=bool)
    share = (mean**2).sum(axis=(1, 2)) / (rows**2).sum(axis=(1, 2))
    found = {"common": share.mean()}
    for name, part in (("mean", mean), ("rest", rows - mean)):
        flat = part.reshape(len(rows), -1)
        flat = flat / np.linalg.norm(flat, axis=1, keepdims=True)
        likeness = flat @ flat.T
        found[f"{name}, same class"] = likeness[alike & apart].mean()
        found[f"{name}, different classes"] = likeness[~alike].mean()
    return {name: round(float(value), 4) for name, value in found.items()}


def told_apart(own: np.ndarray, other: np.ndarray, noise: float) -> float:
    """How often one threshold for all samples ranks what is known above what is not: the AUROC.

    That is the chance that the reading of one sample's own prototype is above the reading of another
    sample's foreign one, each with this Gaussian noise.

    >>> told_apart(np.array([0.9, 0.8]), np.array([0.7, 0.85]), 0.0)
    0.75
    """
    from scipy.special import ndtr

    differences = own[:, None] - other
    higher = differences > 0 if noise == 0 else ndtr(differences / (np.sqrt(2) * noise))
    return float(higher.mean())


def records(folder: Path) -> list[Record]:
    """The angles of raw pixels and of edges, computed where they are missing."""
    found = []
    for inhibition in INHIBITIONS:
        sizes = {"n_prototypes": PROTOTYPES, "fitted": FITTED, "held_out": HELD_OUT}
        config: dict[str, Any] = {"part": "angles", "inhibition": inhibition, **sizes}
        compute = partial(angles, load("mnist"), inhibition, **sizes)
        found.append(remembered(folder / "angles.jsonl", config, compute))
    return found


def table(found: list[Record]) -> str:
    """The summary as Markdown."""
    columns = [name for name in found[0]["results"] if name not in ("active", "total rate")]
    rows = []
    for record in found:
        inhibition, r = record["config"]["inhibition"], record["results"]
        what = "raw pixels" if inhibition is None else f"edges, inhibition {inhibition:g}"
        sizes = [f"{r['active']:.0f}", f"{r['total rate']:.1f}"]
        rows.append([what, *sizes, *(f"{r[name]:.3f}" for name in columns)])
    return markdown(["", "active inputs", "Λ", *columns], rows)


def parts_table(folder: Path) -> str:
    """The two parts of edges without inhibition as Markdown, computed if missing."""
    config = {"part": "mean over directions", "held_out": HELD_OUT}
    compute = partial(parts, load("mnist"), HELD_OUT)
    found = remembered(folder / "angles.jsonl", config, compute)["results"]
    share, same, different = found["common"], "same class", "different classes"
    rows = [
        [
            name,
            f"{part:.3f}",
            f"{found[f'{name}, {same}']:.3f}",
            f"{found[f'{name}, {different}']:.3f}",
        ]
        for name, part in (("mean", share), ("rest", 1 - share))
    ]
    return markdown(["part", "share of the squared length", same, different], rows)
