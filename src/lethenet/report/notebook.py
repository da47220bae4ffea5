"""A report inside a notebook."""

from __future__ import annotations

import os

from ..lifelong.results import Results, read_results
from .rendering import render
from .run_report import report_html


class Shown:
    """A run's report as a notebook shows it; see :func:`show`."""

    def __init__(self, results: Results, height: int) -> None:
        self.results, self.height = results, height

    def _repr_html_(self) -> str:
        # In a frame of its own, so that the page's style and the notebook's leave each other alone
        return render("notebook.html", page=report_html(self.results), height=self.height)

    def __repr__(self) -> str:
        return f"<lethenet report of {str(self.results.folder)!r}: {self.results.label}>"


def show(folder: str | os.PathLike[str] | Results, *, height: int = 800) -> Shown:
    """Show the report of a run directory in a notebook. Nothing is written.

    Parameters
    ----------
    folder : path or Results
        A run directory, finished or not.
    height : int, default=800
        Height of the frame in pixels.

    Examples
    --------
    >>> from lethenet.report.example import example_run
    >>> folder = example_run().name
    >>> show(folder)
    <lethenet report of '...': digits, 20 neurons, threshold 15, 1 epoch, sequential, annealed>
    """
    return Shown(read_results(folder), int(height))
