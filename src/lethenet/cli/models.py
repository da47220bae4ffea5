"""``lethenet evaluate`` and ``lethenet predict``: what a saved model can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import flag, value

if TYPE_CHECKING:
    import numpy as np

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, or the directory of a finished run.")
]
Threads = Annotated[int, value("INTEGER", "Threads; -1 takes all cores.")]


def evaluate(
    model: Model,
    dataset: Annotated[
        str | None,
        value("NAME|FILE|FOLDER", "What to test on; if left out, the data of its run, or mnist."),
    ] = None,
    label_column: Annotated[
        str | None, value("NAME", "Of a table: the column with the labels.")
    ] = None,
    as_json: Annotated[bool, flag("--json", "Print JSON.")] = False,
    n_jobs: Threads = -1,
) -> None:
    """Test a saved model on the test part of a data set."""
    from ..data import load
    from ..lifelong import evaluate as test
    from ..saving import load as load_model

    fitted = load_model(model)
    data = load(dataset or dataset_of_run(model) or "mnist", label_column=label_column)
    outcome = test(fitted, data, n_jobs=n_jobs)
    if as_json:
        typer.echo(json.dumps(outcome))
        return
    from rich.console import Console
    from rich.table import Table

    from .terminal import percent

    table = Table()
    for heading in ("Class", "Accuracy", "False positives"):
        table.add_column(heading, justify="right")
    for label, accuracy in outcome["class_accuracy"].items():
        table.add_row(label, percent(accuracy), str(outcome["false_positives"][label]))
    console = Console(highlight=False)
    console.print(table)
    console.print(
        f"{model}: {percent(outcome['accuracy'])} accuracy on {outcome['samples']} test samples of "
        f"{data.name}",
        soft_wrap=True,
        markup=False,
    )


def predict(
    model: Model,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An .npz file with X, a table (.csv, .npy, .parquet), with or without labels, or an IDX "
            "file of images (gzipped or not).",
        ),
    ],
    out: Annotated[
        Path | None, value("FILE", "Write a .csv or an .npz file instead of printing.")
    ] = None,
    n_jobs: Threads = -1,
) -> None:
    """Say which class each sample of a file belongs to, one per line."""
    if out is not None and out.suffix not in (".csv", ".npz"):
        raise ValueError(f"--out {out}: expected a name that ends in .csv or .npz.")
    from ..lifelong.evaluation import check_classifier
    from ..saving import load as load_model

    fitted: Any = load_model(model)
    X = _read_samples(file, fitted.n_features_in_)
    check_classifier(fitted, X.shape[1], str(file))
    (fitted[-1] if hasattr(fitted, "steps") else fitted).set_params(n_jobs=n_jobs)
    classes = fitted.predict(X)
    if out is None:
        typer.echo("\n".join(map(str, classes.tolist())))
    else:
        _write_classes(out, classes)


def dataset_of_run(model: Path) -> str | None:
    """The data set of the run in whose directory a model lies."""
    from ..lifelong.reading import RUN, read_run

    folder = model if model.is_dir() else model.parent
    return str(read_run(folder)["config"]["dataset"]) if (folder / RUN).exists() else None


def _read_samples(file: Path, n_features: int) -> np.ndarray:
    import zipfile

    from .._limits import check_file
    from ..data import read_idx
    from ..data.npz import read_npz
    from ..data.tables import SUFFIXES, read_table
    from ..data.validation import as_features

    if file.suffix in SUFFIXES:
        return as_features(read_table(file, None, n_features)[0], source=str(file), signed=True)[0]
    check_file(file)
    if not zipfile.is_zipfile(file):
        return as_features(read_idx(file), source=str(file))[0]
    return as_features(read_npz(file, "X")["X"], source=f"{file}: X", signed=True)[0]


def _write_classes(out: Path, classes: np.ndarray) -> None:
    import numpy as np

    from ..interchange import replacing

    with replacing(out) as draft:
        if out.suffix == ".npz":
            with draft.open("wb") as file:
                np.savez(file, y=classes)
        else:
            lines = [f"{row},{label}" for row, label in enumerate(classes.tolist())]
            draft.write_text("\n".join(["sample,class", *lines]) + "\n", encoding="utf-8")
    typer.echo(f"{len(classes)} predictions written to {out}")
