"""Figures as files and as bytes inside a page."""

from __future__ import annotations

import base64
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ..lifelong.results import Results, read_results
from .gallery import ENTRIES
from .style import require_matplotlib, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SVG_BYTES = 400_000
"""A larger drawing goes into a page as PNG."""


def all_figures(folder: str | os.PathLike[str] | Results) -> dict[str, Figure]:
    """Draw every figure that a run directory has the data for, by name.

    Parameters
    ----------
    folder : path or Results
        A run directory, or what :func:`read_results` made of one.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.lifelong import Config, run
    >>> folder = tempfile.mkdtemp()
    >>> config = Config.of(dataset="digits", neurons=40, threshold=12.0, classes=(0, 1))
    >>> result = run(config, folder)
    >>> figures = all_figures(folder)
    >>> figures["accuracy_matrix"].axes[0].get_xlabel()
    'Tested on task'
    """
    results = read_results(folder)
    require_matplotlib()
    return {entry.name: entry.draw(results) for entry in ENTRIES if not entry.missing(results)}


def write_figures(folder: str | os.PathLike[str]) -> list[Path]:
    """Write every figure as ``figures/NAME.png`` and ``figures/NAME.svg`` into the run directory.

    Each file is moved into place when it is complete. Returns their paths.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.lifelong import Config, run
    >>> folder = tempfile.mkdtemp()
    >>> config = Config.of(dataset="digits", neurons=40, threshold=12.0, classes=(0, 1))
    >>> result = run(config, folder)
    >>> [path.name for path in write_figures(folder)][:2]
    ['accuracy_over_tasks.png', 'accuracy_over_tasks.svg']
    """
    results = read_results(folder)
    target = results.folder / "figures"
    target.mkdir(exist_ok=True)
    drawn = all_figures(results)
    return [path for name, figure in drawn.items() for path in write_figure(figure, target, name)]


def write_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write one figure as ``NAME.png`` and ``NAME.svg``, each moved into place when it is complete."""
    from ..interchange import replacing

    paths = [folder / f"{name}.{kind}" for kind in ("png", "svg")]
    for path in paths:
        with replacing(path) as draft:
            draft.write_bytes(rendered(figure, path.suffix[1:]))
    return paths


@styled
def rendered(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file of this kind ("png" or "svg"); the same data, the same bytes."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(buffer, format=kind, metadata=metadata, facecolor="white")
    return buffer.getvalue()


def data_uri(figure: Figure, *, raster: bool = False) -> str:
    """A figure as a ``data:`` address: SVG, or PNG where asked for or where SVG would be large."""
    kind, content = "svg+xml", b"" if raster else rendered(figure, "svg")
    if raster or len(content) > MAX_SVG_BYTES:
        kind, content = "png", rendered(figure, "png")
    return f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
