"""The report of one run: one HTML file that a colleague can read without the program."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

from .._version import __version__
from ..lifelong.results import Results, read_results
from . import sections
from .gallery import ENTRIES
from .html import Html, inside, tag
from .page import contents, page, picture, section
from .pictures import data_uri
from .style import require_matplotlib, without_headings


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write ``report.html`` into a run directory and return its path.

    The file holds everything, pictures included; it fetches nothing and needs no script.

    Parameters
    ----------
    folder : path
        A run directory, finished or not.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.lifelong import Config, run
    >>> folder = tempfile.mkdtemp()
    >>> config = Config.of(dataset="digits", neurons=40, threshold=15.0, classes=(0, 1))
    >>> result = run(config, folder)
    >>> write_report(folder).name
    'report.html'
    """
    from ..interchange import replacing

    results = read_results(folder)
    target = results.folder / "report.html"
    content = report_html(results)
    with replacing(target) as draft:
        draft.write_text(content, "utf-8")
    return target


def report_html(results: Results) -> str:
    """The report as text."""
    require_matplotlib()
    parts = [
        ("run", "What was run", sections.in_words(results)),
        ("numbers", "Headline numbers", sections.headline(results)),
        *further_sections(results),
        ("tasks", "Task by task", sections.per_task(results)),
        ("figures", "Figures", _pictures(results)),
        ("reproduce", "How to reproduce it", sections.reproduction(results)),
        ("settings", "Settings", sections.parameters(results)),
    ]
    shown = [(anchor, title, content) for anchor, title, content in parts if content]
    header = inside(
        tag("h1", f"Lifelong learning on {results.config['dataset']}"),
        tag("p", results.label, class_="lead"),
        sections.unfinished_note(results),
        contents([(anchor, title) for anchor, title, _ in shown]),
    )
    main = inside([section(anchor, title, content) for anchor, title, content in shown])
    footer = (
        f"Made by lethenet {__version__} from the run directory {results.folder.name}. "
        "This file is self-contained: it fetches nothing."
    )
    return page(f"{results.label}: lethenet report", header, main, footer)


def further_sections(results: Results) -> list[tuple[str, str, Html | None]]:
    """Sections that other installed packages add: (anchor, title, content), None where there is nothing."""
    return [plug.load()(results) for plug in entry_points(group="lethenet.report_sections")]


def _pictures(results: Results) -> Html:
    drawn: list[Html] = []
    for entry in ENTRIES:
        reason = entry.missing(results)
        if reason is not None:
            drawn.append(tag("p", f"“{entry.title}” cannot be drawn: {reason}."))
            continue
        drawn.append(
            picture(
                data_uri(without_headings(entry.draw(results)), raster=entry.raster),
                entry.title,
                entry.caption(results),
                entry.alt(results),
                medium=entry.name not in ("weights", "dopaminergic_activity"),
            )
        )
    return inside(drawn)
