"""``lethenet evaluate`` and ``lethenet predict``: what a saved model can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, or the directory of a finished run.")
]
Threads = Annotated[
    int, typer.Option("--n-jobs", metavar="INTEGER", help="Threads; -1 takes all cores.")
]


def evaluate(
    model: Model,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE|FOLDER",
            help="What to test on; if left out, the data of its run, or mnist.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print JSON.")] = False,
    n_jobs: Threads = -1,
) -> None:
    """Test a saved model on the test part of a data set."""
    from ..data import load
    from ..lifelong import evaluate as test
    from ..saving import load as load_model

    path, own_dataset = _find(model)
    fitted = load_model(path)
    data = load(dataset or own_dataset or "mnist")
    outcome = test(fitted, data, n_jobs=n_jobs)
    if as_json:
        typer.echo(json.dumps(outcome))
        return
    from rich.console import Console
    from rich.table import Table

    from .terminal import percent

    table = Table("Class", "Accuracy", "False positives")
    for column in table.columns:
        column.justify = "right"
    for label, accuracy in outcome["class_accuracy"].items():
        mistaken = outcome["false_positives"][label]
        table.add_row(label, percent(accuracy), str(mistaken))
    console = Console(highlight=False)
    console.print(table)
    console.print(
        f"{path}: {percent(outcome['accuracy'])} accuracy on {outcome['samples']} test samples of "
        f"{data.name}",
        soft_wrap=True,
        markup=False,
    )


def predict(
    model: Model,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="An .npz file with X, or an IDX file of images (gzipped or not)."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a .csv or an .npz file instead of printing."),
    ] = None,
    n_jobs: Threads = -1,
) -> None:
    """Say which class each sample of a file belongs to, one per line."""
    if out is not None and out.suffix not in (".csv", ".npz"):
        raise ValueError(f"--out {out}: expected a name that ends in .csv or .npz.")
    from ..lifelong.evaluation import check_classifier
    from ..saving import load as load_model

    fitted: Any = load_model(_find(model)[0])
    X = _read_samples(file)
    check_classifier(fitted, X.shape[1], str(file))
    classes = fitted.set_params(n_jobs=n_jobs).predict(X)
    if out is None:
        typer.echo("\n".join(map(str, classes.tolist())))
    else:
        _write_classes(out, classes)


def _find(model: Path) -> tuple[Path, str | None]:
    """The model file, and the data set of its run if it lies in a run directory."""
    from ..lifelong.reading import MODEL, RUN, read_run

    folder = model if model.is_dir() else model.parent
    dataset = None
    if model.is_dir() or (model.name == MODEL and (folder / RUN).exists()):
        document = read_run(folder)
        dataset = str(document["config"]["dataset"])
        if not (folder / MODEL).exists():
            raise ValueError(
                f"{folder} has no {MODEL} yet: the run is {document['status']}. "
                f"Go on with: lethenet resume {folder}"
            )
    return (folder / MODEL if model.is_dir() else model), dataset


def _read_samples(file: Path) -> np.ndarray:
    import zipfile

    import numpy as np

    from ..data import read_idx
    from ..data.validation import as_features

    if not zipfile.is_zipfile(file):
        file.open("rb").close()  # a missing file is that, not a bad format
        return as_features(read_idx(file), source=str(file))[0]
    try:
        with np.load(file, allow_pickle=False) as archive:
            if "X" not in archive.files:
                raise ValueError(f"it has {sorted(archive.files)} but no X")
            return as_features(archive["X"], source=f"{file}: X")[0]
    except (zipfile.BadZipFile, EOFError, KeyError, ValueError) as error:
        raise ValueError(f"{file} cannot be used: {error}.") from error


def _write_classes(out: Path, classes: np.ndarray) -> None:
    import io

    import numpy as np

    from ..interchange import replacing

    with replacing(out) as draft:
        if out.suffix == ".npz":
            content = io.BytesIO()
            np.savez(content, y=classes)
            draft.write_bytes(content.getvalue())
        else:
            lines = [f"{row},{label}" for row, label in enumerate(classes.tolist())]
            draft.write_text("\n".join(["sample,class", *lines]) + "\n", encoding="utf-8")
    typer.echo(f"{len(classes)} predictions written to {out}")
