"""What is done with a damaged file: it is refused by an error that names it, or used as it is meant to be.

After it was accepted there is no more excuse: whatever goes wrong then is a finding.
"""

from __future__ import annotations

import random
import shutil
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mutations import damaged
from originals import N_FEATURES

FIGURES, FIGURE_SECONDS = 0.002, 30.0
"""How often figures are drawn, too: those of a sound run take two seconds, on a busy machine more."""
BLANK = SimpleNamespace(data_uri="data:,")
Case = Callable[[Path, random.Random], str]


class RefusedError(Exception):
    """The file was turned down, as it should be; what was done to it."""


def model_case(folder: Path, chance: random.Random) -> str:
    """A model file: load, predict, learn, save, load."""
    import lethenet

    path = chance.choice(sorted((folder / "models").iterdir()))
    done = _damage(path, chance)
    model = _unless_refused(lambda: lethenet.load(path), path, done)
    _use_model(model, path)
    return done


def _use_model(model: Any, path: Path) -> None:
    import numpy as np

    import lethenet

    rng = np.random.default_rng(1)
    if isinstance(model, lethenet.model.Network):
        X = rng.random((3, model.state.n_features))
        model.recognise(X)
        model.learn(X)
    else:
        X = rng.random((3, model.n_features_in_))
        model.predict(X)
        final = model[-1] if hasattr(model, "steps") else model
        labels = final.classes_[np.zeros(3, int)] if hasattr(final, "classes_") else None
        if (
            labels is not None and not final.stop_after_imprint
        ):  # it says that only fit takes labels
            final.network_.learn(rng.random((3, final.network_.state.n_features)))
        else:
            model.partial_fit(X, labels)
        model.predict(X)
    lethenet.save(model, path)
    lethenet.load(path)


def checkpoint_case(folder: Path, chance: random.Random) -> str:
    """A checkpoint of the network or of another learner: resume to the end, read, use the model."""
    from lethenet.lifelong import resume

    where = folder / "half" / chance.choice(("", "", "", "other"))
    path = where / "checkpoint.safetensors"
    done = _damage(path, chance)
    result = _unless_refused(lambda: resume(where), path, done)
    _use_result(result)
    if result.by_network:
        _use_model(result.model, folder / "model.safetensors")
    return done


def run_case(folder: Path, chance: random.Random) -> str:
    """A file of a run, its twin or one of another learner: read, show, report, resume, use the model."""
    from lethenet.lifelong import Result, resume
    from lethenet.report.comparison import comparison_html
    from lethenet.report.run_figures import RUN_FIGURES
    from lethenet.report.run_report import report_html

    where = folder / "run" / chance.choice(("", "", "twin", "other"))
    path = where / chance.choice(("run.json", "run.json", "arrays.safetensors"))
    if (where / "model.safetensors").exists() and chance.random() < 0.25:
        path = where / "model.safetensors"
    done = _damage(path, chance)
    result = _unless_refused(lambda: Result.load(where), path, done)
    _unless_refused(lambda: result.arrays, path, done)
    _unless_refused(lambda: result.twin and result.twin.arrays, path, done)
    _unless_refused(lambda: result.first_layer, path, done)
    has_model = result.finished and result.by_network
    model = _unless_refused(lambda: result.model, path, done) if has_model else None
    _use_result(result)
    report_html(result, {f.name: BLANK for f in RUN_FIGURES if not f.missing(result)})
    if chance.random() < FIGURES:
        signal.setitimer(signal.ITIMER_REAL, FIGURE_SECONDS)
        report_html(result)
        comparison_html({"one": result, "other": Result.load(where)})
    _unless_refused(lambda: resume(where if where.name == "other" else folder / "run"), path, done)
    if model is not None:
        _use_model(model, folder / "model.safetensors")
    return done


def data_case(folder: Path, chance: random.Random) -> str:
    """A data file: load it as a data set, learn and recognise; read it as samples to predict."""
    from lethenet.cli.models import _read_samples
    from lethenet.data import load
    from lethenet.model import PAPER, Network, initial_state

    name = chance.choice(("whole.npz", "parts.npz", "idx", "idx", "table.csv", "table.npy"))
    path = folder / "data" / name
    file = chance.choice(sorted(path.iterdir())) if path.is_dir() else path
    done = _damage(file, chance)
    if file.suffix != ".gz" and chance.random() < 0.3:
        _unless_refused(lambda: _read_samples(file, N_FEATURES), file, done)
        return done
    data = _unless_refused(lambda: load(path), path, done)
    network = Network(PAPER, initial_state(4, data.n_features, 0))
    network.learn(data.X_train[:3])
    network.recognise(data.X_test[:3])
    return done


KINDS: dict[str, tuple[Case, str]] = {
    "model": (model_case, "models"), "checkpoint": (checkpoint_case, "half"),
    "run": (run_case, "run"), "data": (data_case, "data"),
}  # fmt: skip
"""What a case of each kind does, and which of the sound files it needs."""


def do(kind: str, sound: Path, folder: Path, chance: random.Random) -> str:
    """Do one case in a fresh copy of the sound files; what was done to them. RefusedError, or a finding."""
    case, needed = KINDS[kind]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound / needed, folder / needed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case(folder, chance)


def _damage(path: Path, chance: random.Random) -> str:
    content, done = damaged(path.read_bytes(), path.suffix, chance)
    path.write_bytes(content)
    return done


def _unless_refused(read: Callable[[], Any], path: Path, done: str) -> Any:
    """What was read; RefusedError if an error says in plain words that it is this file which is wrong."""
    try:
        return read()
    except (ValueError, OSError) as error:
        named = str(path.parent) in str(error) or path.name in str(error)
        if not named or "\n" in str(error).strip() or len(str(error)) > 1500:
            raise RuntimeError(f"unclear: {error}") from error
        raise RefusedError(done) from error


def _use_result(result: Any) -> None:
    from lethenet.cli.display import headline_table

    str(result.accuracy_matrix), result.task_names, result._repr_html_(), result.label
    if result.finished:
        headline_table(result)
        _ = result.accuracy, result.forgetting, result.classes, result.image_shape, result.diagnosis
