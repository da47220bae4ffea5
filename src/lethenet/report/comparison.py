"""Runs side by side in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._version import __version__
from ..lifelong.results import Results, read_results
from . import figures
from .headline_numbers import MEASURES, Measure
from .pictures import Drawing
from .rendering import render, write_page
from .run_report import settings
from .style import plain, require_matplotlib
from .wording import plural


def write_comparison(
    folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]
) -> Path:
    """Put runs side by side in one self-contained HTML file and return its path.

    Parameters
    ----------
    folders : sequence of paths
        Two or more run directories.
    out : path
        The file to write; a folder gets ``comparison.html`` in it.

    Examples
    --------
    >>> from lethenet.report.example import example_run
    >>> folder = example_run().name
    >>> write_comparison([folder, f"{folder}/twin"], folder).name
    'comparison.html'
    """
    if len(folders) < 2:
        raise ValueError(f"{plural(len(folders), 'run')} given: a comparison needs at least two.")
    runs = named([read_results(folder) for folder in folders])
    target = Path(out)
    target = target / "comparison.html" if target.is_dir() else target
    return write_page(target, comparison_html(runs))


def named(runs: Sequence[Results]) -> dict[str, Results]:
    """Each run with a short name of its own: its folder's, with more of the path if two agree."""
    paths = [run.folder.resolve() for run in runs]
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        names = [plain("/".join(path.parts[-depth:]), 60) for path in paths]
        if len(set(names)) == len(names):
            return dict(zip(names, runs, strict=True))
    return {f"{n}: {name}": run for n, (name, run) in enumerate(zip(names, runs, strict=True), 1)}


def comparison_html(runs: Mapping[str, Results]) -> str:
    """The comparison as text; ``runs`` are named by their keys."""
    require_matplotlib()
    measured = {name: run for name, run in runs.items() if run.evaluations}
    configs = [settings(run.settings) for run in runs.values()]
    keys = dict.fromkeys(key for config in configs for key in config)
    found = {key: [config.get(key, "not set") for config in configs] for key in keys}
    differing = [key for key, values in found.items() if values.count(values[0]) < len(values)]
    over_tasks, per_class = (
        (Drawing(draw(measured)).data_uri if measured else None)
        for draw in (figures.compared_accuracy_over_tasks, figures.compared_accuracy_per_class)
    )
    return render(
        "comparison.html",
        runs=runs,
        version=__version__,
        definitions=MEASURES,
        measures=[m for m in MEASURES if any(m.value(run) is not None for run in runs.values())],
        best=best,
        unfinished=[name for name, run in runs.items() if not run.finished],
        settings=[(key, [config.get(key) for config in configs]) for key in differing],
        n_same=len(keys) - len(differing),
        measured=measured,
        over_tasks=over_tasks,
        per_class=per_class,
    )


def best(measure: Measure, runs: Mapping[str, Results]) -> Any:
    """The best value of a measure; None if nothing is better or all are equal."""
    values = {measure.value(run) for run in runs.values()} - {None}
    if not measure.better or len(values) < 2:
        return None
    return max(values, key=lambda value: measure.better * value)
