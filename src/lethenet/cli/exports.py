"""``lethenet export``: a saved network for other machines."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .models import Model, dataset_of_run
from .options import flag, value

if TYPE_CHECKING:
    from ..interchange.c.project import Samples


def export(
    model: Model,
    to: Annotated[
        str, value("FORMAT", "c: sources for a device. nir: a file for other simulators.")
    ],
    out: Annotated[Path, value("FOLDER|FILE", "Where it goes.")] = Path("device"),
    bits: Annotated[int, value("INTEGER", "Of a weight: 8 or 16; fewer with --frozen.")] = 8,
    frozen: Annotated[bool, flag("--frozen", "Without learning: weights stay in flash.")] = False,
    dataset: Annotated[
        str | None,
        value("NAME|FILE|FOLDER", "Samples for the example; if left out, the data of its run."),
    ] = None,
    samples: Annotated[int, value("INTEGER", "How many of them.")] = 10,
) -> None:
    """Write a saved model for a device, as C99 that goes on learning in integers, or for a simulator."""
    if to not in FORMATS:
        raise ValueError(f"--to {to} is unknown: expected one of {', '.join(FORMATS)}.")
    FORMATS[to](model, out, bits=bits, frozen=frozen, dataset=dataset, samples=samples)


def _to_c(
    model: Path, out: Path, *, bits: int, frozen: bool, dataset: str | None, samples: int
) -> None:
    from ..interchange.c import write_c
    from ..model import quantise
    from ..saving import load

    if bits not in (8, 16) and not frozen:
        raise ValueError(
            f"--bits {bits}: a device learns in 8 bits, or 16; fewer only with --frozen (what was "
            "tried is in results/bits)."
        )
    if samples < 1:
        raise ValueError(f"--samples {samples}: expected 1 or more.")
    fitted: Any = load(model)
    layered = hasattr(fitted, "steps")  # the C begins behind the first layer
    integers = quantise(fitted[-1] if layered else fitted, bits=bits)
    shown = _samples(fitted, dataset or dataset_of_run(model), samples)
    files = write_c(out, integers, learning=not frozen, samples=shown)
    sizes = next(file for file in files if file.name == "SIZES.md")
    typer.echo(sizes.read_text("utf-8"))
    if layered:
        typer.echo("The first layer is not in the C: a sample is that layer's features, as bytes.")
    typer.echo(f"{len(files)} files written to {out}. Try: make -C {out}")


def _samples(fitted: Any, name: str | None, n: int) -> Samples | None:
    """The first test samples of each class in turn, if the data are known and the model has classes."""
    import numpy as np

    from ..data import load
    from ..interchange.c.project import Samples
    from ..lifelong.evaluation import check_classifier
    from ..model import as_bytes

    if name is None:
        return None
    data = load(name)
    classes = check_classifier(fitted, data.n_features, data.name)
    of_each = [np.flatnonzero(data.y_test == label) for label in classes]
    in_turn = [row for turn in zip_longest(*of_each) for row in turn if row is not None][:n]
    if not in_turn:
        raise ValueError(f"{data.name} has none of the model's classes {classes}.")
    labels = np.searchsorted(np.array(classes), data.y_test[in_turn])
    about = f"The first test samples of {data.name}, a class after the other."
    X = data.X_test[in_turn]
    return Samples(
        as_bytes(fitted[:-1].transform(X) if hasattr(fitted, "steps") else X), labels, about
    )


def _to_nir(model: Path, out: Path, **not_for_nir: Any) -> None:
    from ..saving import load, write_nir

    write_nir(out, load(model))
    typer.echo(f"Written to {out}")


FORMATS: dict[str, Callable[..., None]] = {"c": _to_c, "nir": _to_nir}
"""What a network can be exported to: one more is one more line."""
