"""Runs side by side in one HTML file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._version import __version__
from ..lifelong.results import Results, read_results
from . import figures
from .html import Html, inside, table, tag
from .measures import MEASURES, Measure
from .page import contents, page, picture, section
from .pictures import data_uri
from .sections import flat, shown
from .style import plain, require_matplotlib, without_headings
from .wording import joined, percent, plural


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
    >>> import tempfile
    >>> from lethenet.lifelong import Config, run
    >>> folders = [tempfile.mkdtemp(), tempfile.mkdtemp()]
    >>> for threshold, folder in zip((12.0, 12.5), folders):
    ...     config = Config.of(dataset="digits", neurons=40, threshold=threshold, classes=(0, 1))
    ...     result = run(config, folder)
    >>> write_comparison(folders, folders[0]).name
    'comparison.html'
    """
    from ..interchange import replacing

    if len(folders) < 2:
        raise ValueError(f"{plural(len(folders), 'run')} given: a comparison needs at least two.")
    runs = named([read_results(folder) for folder in folders])
    target = Path(out)
    target = target / "comparison.html" if target.is_dir() else target
    content = comparison_html(runs)
    with replacing(target) as draft:
        draft.write_text(content, "utf-8")
    return target


def named(runs: Sequence[Results]) -> dict[str, Results]:
    """Each run with a short name of its own: its folder's, with more of the path if two agree."""
    paths = [run.folder.resolve() for run in runs]
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        names = [plain("/".join(path.parts[-depth:]), 60) for path in paths]
        if len(set(names)) == len(names):
            return dict(zip(names, runs, strict=True))
    return {
        f"{number + 1}: {name}": run
        for number, (name, run) in enumerate(zip(names, runs, strict=True))
    }


def comparison_html(runs: Mapping[str, Results]) -> str:
    """The comparison as text; ``runs`` are named by their keys."""
    require_matplotlib()
    parts = [
        ("numbers", "Measures", inside(_unfinished(runs), _measures(runs), _definitions(runs))),
        ("differences", "What differs", _differences(runs)),
        ("figures", "Figures", _pictures(runs)),
    ]
    header = inside(
        tag("h1", f"{plural(len(runs), 'run')} side by side"),
        tag("ul", [tag("li", tag("strong", name), f": {run.label}") for name, run in runs.items()]),
        contents([(anchor, title) for anchor, title, _ in parts]),
    )
    main = inside([section(anchor, title, content) for anchor, title, content in parts])
    footer = f"Made by lethenet {__version__}. This file is self-contained: it fetches nothing."
    return page(f"{plural(len(runs), 'run')} side by side: lethenet", header, main, footer)


def _measures(runs: Mapping[str, Results]) -> Html:
    rows, marked = [], []
    measures = [m for m in MEASURES if any(m.value(run) is not None for run in runs.values())]
    for number, measure in enumerate(measures):
        rows.append([measure.label, *(measure.shown(run) for run in runs.values())])
        marked += [(number, 1 + place) for place in _best(measure, runs)]
    caption = "Measures of each run; bold: the best where more or less is better."
    return table(caption, ["Measure", *runs], rows, class_="measures", marked=marked)


def _best(measure: Measure, runs: Mapping[str, Results]) -> list[int]:
    """The places of the best values, none if nothing is better or all are equal."""
    values = [measure.value(run) for run in runs.values()]
    known = [value for value in values if value is not None]
    if not measure.better or len(set(known)) < 2:
        return []
    best = max(known, key=lambda value: measure.better * value)
    return [place for place, value in enumerate(values) if value == best]


def _definitions(runs: Mapping[str, Results]) -> Html:
    first = next(iter(runs.values()))
    items = [[m.label, m.meaning(first)] for m in MEASURES]
    return tag(
        "details",
        tag("summary", "What each measure means"),
        table("Definitions", ["Measure", "Definition"], items, class_="words"),
    )


def _unfinished(runs: Mapping[str, Results]) -> Html | None:
    names = [name for name, run in runs.items() if not run.finished]
    if not names:
        return None
    text = f"Unfinished, with the numbers of the last evaluation: {joined(names)}."
    return tag("p", text, class_="note", role="note")


def _differences(runs: Mapping[str, Results]) -> Html:
    configs = [flat(run.config) for run in runs.values()]
    keys = dict.fromkeys(key for config in configs for key in config)
    rows = [
        [key, *(shown(config.get(key)) for config in configs)]
        for key in keys
        if any(_of(config, key) != _of(configs[0], key) for config in configs)
    ]
    if not rows:
        return tag("p", "All settings are the same.")
    same = f"Settings that differ; the other {len(keys) - len(rows)} are the same."
    return table(same, ["Setting", *runs], rows, class_="measures")


def _of(config: dict[str, Any], key: str) -> Any:
    return config.get(key, "not set")


def _pictures(runs: Mapping[str, Results]) -> Html:
    measured = {name: run for name, run in runs.items() if run.evaluations}
    if not measured:
        return tag("p", "No run has finished a task yet.")
    finals = joined(
        f"{name} {percent(run.last['test_accuracy'])}" for name, run in measured.items()
    )
    return inside(
        picture(
            data_uri(without_headings(figures.compared_accuracy_over_tasks(measured))),
            "Accuracy as tasks are added",
            "Test accuracy on all classes met up to then. Look for where the lines part: that task, and "
            "how room was made for it, is what the runs do differently.",
            f"Line chart with one line per run. At the end: {finals}.",
        ),
        picture(
            data_uri(without_headings(figures.compared_accuracy_per_class(measured))),
            "Each class at the end",
            "Test accuracy of each class after the last evaluation of each run. Look for classes where "
            "one run falls behind all others.",
            f"Dot chart of the accuracy of each class in {plural(len(measured), 'run')}.",
        ),
    )
