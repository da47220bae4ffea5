"""The figures of a run: which there are, and when one cannot be drawn."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..lifelong.results import Results, read_results
from . import figures
from .pictures import Drawing
from .style import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class RunFigure(NamedTuple):
    """One figure of a run; its title, caption and alt text stand in ``templates/figures.html``."""

    name: str
    draw: Callable[[Results], Figure]
    array: str | None = None
    """The array without which it cannot be drawn, if it needs one."""

    def missing(self, results: Results) -> str | None:
        """Why it cannot be drawn, or None if it can."""
        if self.name == "first_layer" and results.first_layer is None:
            return "the run has no first layer"
        if self.array == "dopamine_windows":
            rates = results.arrays.get(self.array)
            return None if rates is not None and rates.size else "no window of samples is complete"
        if not results.evaluations:
            return "no task has been finished yet"
        if self.name == "neurons_per_class" and not results.settings["neurons"]:
            return "the learner has no prototypes"
        if self.array is not None and not len(results.arrays.get(self.array, ())):
            return f"the run kept no {self.array.replace('_', ' ')}"
        return None


RUN_FIGURES = (
    RunFigure("accuracy_over_tasks", figures.accuracy_over_tasks),
    RunFigure("accuracy_per_class", figures.accuracy_per_class),
    RunFigure("accuracy_per_task", figures.accuracy_per_task),
    RunFigure("false_positives", figures.false_positives),
    RunFigure("accuracy_matrix", figures.accuracy_matrix),
    RunFigure("confusion_matrix", figures.confusion_matrix, "confusion"),
    RunFigure("weights", figures.weight_grid, "weights"),
    RunFigure("first_layer", figures.first_layer, "examples"),
    RunFigure("dopaminergic_activity", figures.dopaminergic_activity, "dopamine_windows"),
    RunFigure("neurons_per_class", figures.neurons_per_class),
    RunFigure("links_map", figures.links_map, "link_partners"),
)


def all_figures(folder: str | os.PathLike[str] | Results) -> dict[str, Figure]:
    """Draw every figure that a run directory has the data for, by name.

    Parameters
    ----------
    folder : path or Results
        A run directory, or what :func:`read_results` made of one.

    Examples
    --------
    >>> from lethenet.report.example import example_run
    >>> figures = all_figures(example_run().name)
    >>> figures["accuracy_matrix"].axes[0].get_xlabel()
    'Tested on task'
    """
    results = read_results(folder)
    require_matplotlib()
    return {
        figure.name: figure.draw(results) for figure in RUN_FIGURES if not figure.missing(results)
    }


def drawings(results: Results) -> dict[str, Drawing]:
    """Every figure that can be drawn, ready for files and page."""
    return {name: Drawing(figure) for name, figure in all_figures(results).items()}


def write_figures(folder: str | os.PathLike[str]) -> list[Path]:
    """Write every figure as ``figures/NAME.png`` and ``figures/NAME.svg`` into the run directory.

    Each file is moved into place when it is complete. Returns their paths. :func:`write_report` does
    this, too.

    >>> from lethenet.report.example import example_run
    >>> folder = example_run().name
    >>> [path.name for path in write_figures(folder)][:2]
    ['accuracy_over_tasks.png', 'accuracy_over_tasks.svg']
    """
    results = read_results(folder)
    target = results.folder / "figures"
    drawn = drawings(results).items()
    return [path for name, drawing in drawn for path in drawing.write(target, name)]
