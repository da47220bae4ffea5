"""One sound file of each sort, to be damaged: small, so that a case is quick."""

from __future__ import annotations

import gzip
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

N_FEATURES = 64
OF_ALL_LEARNERS = ("dataset", "train_per_class", "test_per_class", "classes", "n_jobs")


def make_all(folder: Path) -> None:
    """Models, a finished run with its twin, one that was interrupted, and data."""
    (folder / "models").mkdir(parents=True)
    make_models(folder / "models")
    make_runs(folder)
    make_data(folder / "data")


def make_models(folder: Path) -> None:
    """Model files of every kind that there is."""
    import numpy as np

    import lethenet
    from lethenet.estimators import NoveltyDetector, make_pipeline
    from lethenet.layers import Edges, OnOff, Patches

    rng = np.random.default_rng(0)
    X, y = rng.random((24, N_FEATURES)), np.arange(24) % 3
    own: dict[str, Any] = {"n_neurons": 6, "threshold": 12.0, "random_state": 0}
    classifier = lethenet.ControlledForgettingClassifier
    network = lethenet.ControlledForgettingNetwork(**own).fit(X)
    patches = Patches((8, 8), n_neurons=4, patch_side=3, random_state=0)
    models = {
        "network": network,
        "bare": network.network_,
        "links": classifier(links=3, readout="evidence", **own).partial_fit(X, y),
        "named": classifier(**own).fit(X, np.array(list("abc"))[y]),
        "edges": make_pipeline(Edges((8, 8)), classifier(**own)).fit(X, y),
        "patches": make_pipeline(patches, classifier(**own)).fit(X, y),
        "on-off": make_pipeline(OnOff(), lethenet.ControlledForgettingNetwork(**own)).fit(X - 0.5),
        "novelty": NoveltyDetector(**own).fit(X),
    }
    for name, model in models.items():
        lethenet.save(model, folder / f"{name}.safetensors")


def make_runs(folder: Path) -> None:
    """A finished run with a twin, and one that was interrupted and has a checkpoint."""
    from lethenet.lifelong import Config, Interrupted, run

    settings: dict[str, Any] = {
        "dataset": "digits", "neurons": 6, "threshold": 15.0, "train_per_class": 4, "test_per_class": 2,
        "links": 2, "classes": (0, 1, 2), "n_jobs": 1, "checkpoint_samples": 5,
    }  # fmt: skip

    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "learning" and event["samples_done"] > 8:
            os.kill(os.getpid(), signal.SIGTERM)

    run(Config.of(**settings, twin=True), folder / "run")
    with suppress(Interrupted):
        run(Config.of(**settings), folder / "half", interrupt)
    other = {name: settings[name] for name in OF_ALL_LEARNERS}
    run(Config.of(**other, learner="ncm"), folder / "run" / "other")
    with suppress(Interrupted):
        run(Config.of(**other, learner="ncm"), folder / "half" / "other", interrupt)
    for half in (folder / "half", folder / "half" / "other"):
        if not (half / "checkpoint.safetensors").exists():
            raise RuntimeError("the run was not interrupted: there is no checkpoint to damage")


def make_data(folder: Path) -> None:
    """Data files of the formats that are read."""
    import numpy as np

    from lethenet.data import write_idx

    (folder / "idx").mkdir(parents=True)
    rng = np.random.default_rng(0)
    X, y = rng.random((24, N_FEATURES)), np.arange(24) % 3
    images, labels = (16 * X).astype(np.uint8).reshape(-1, 8, 8), y.astype(np.uint8)
    np.savez(folder / "whole.npz", X=images, y=y)
    np.savez_compressed(folder / "parts.npz", X_train=X, y_train=y, X_test=X[:6], y_test=y[:6])
    for part in ("train", "t10k"):
        write_idx(folder / "idx" / f"{part}-images-idx3-ubyte", images)
        write_idx(folder / "idx" / f"{part}-labels-idx1-ubyte", labels)
    plain = folder / "idx" / "train-images-idx3-ubyte"
    plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    plain.unlink()
    rows = [[*row[:4].round(3), label] for row, label in zip(X, y, strict=True)]
    lines = ["a,b,c,d,label", *(",".join(map(str, row)) for row in rows)]
    np.save(folder / "table.npy", np.column_stack([X, y]))
    (folder / "table.csv").write_text("\n".join(lines) + "\n", "utf-8")
