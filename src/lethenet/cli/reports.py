"""``lethenet report`` and ``lethenet compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Folder, value


def report(folder: Folder) -> None:
    """Make the HTML report of a run again, and its figures as PNG and SVG."""
    from ..lifelong.reading import read_run

    read_run(folder)  # says what is wrong with the folder before anything slow
    from ..report import write_report

    typer.echo(f"Report: {write_report(folder)}")


def compare(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", help="Two run directories or more.")
    ],
    out: Annotated[Path, value("FILE.html", "Where the comparison goes.")] = Path(
        "comparison.html"
    ),
) -> None:
    """Put runs side by side in one HTML page."""
    from ..lifelong.reading import read_run

    if len(folders) < 2:
        raise ValueError(f"{folders[0]} alone: expected two run directories or more to compare.")
    for folder in folders:
        read_run(folder)
    from ..report import write_comparison

    typer.echo(f"Comparison: {write_comparison(folders, out)}")
