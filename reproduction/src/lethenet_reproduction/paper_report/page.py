"""The report of the reproduction: one HTML file, with a README, figures and tables beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from lethenet._version import __version__
from lethenet.report.pictures import Drawing
from lethenet.report.rendering import render
from lethenet.report.style import require_matplotlib
from lethenet.report.wording import NONE, duration

from .. import published
from ..folders import folder_for
from ..paper import agreement
from ..paper.cells import fit_cell, table_cell
from ..paper.commands import cell_command, report_command
from ..paper.final import mean_penalty
from ..paper.scales import Scale
from ..studies.tables import markdown, mean_sd
from ..texts import discussion_by_section, markdown_page
from . import words
from .course_tables import (
    digit_table,
    forgotten_table,
    k_means_table,
    over_tasks_table,
    stability_table,
    weights_table,
)  # fmt: skip
from .csv_files import write_tables
from .findings import Findings, read_findings
from .gallery import FIGURES
from .page_tables import (
    Maker,
    agreement_table,
    best_table,
    final_table,
    fit_table,
    precision_table,
    source_table,
    trend_table,
)  # fmt: skip
from .panels import without_headings
from .run_section import SOURCE

Drawn = Mapping[str, Drawing]

ALLOWED = 0.5
"""Points by which the best cell of a size may stay below the paper's to count as reached."""


class Section(NamedTuple):
    """A part of the page: figures, what was written about them, tables."""

    anchor: str
    title: str
    stage: str
    tables: tuple[Maker, ...]
    figures: tuple[str, ...] = ()


SECTIONS = (
    Section("fit", "Two constants that the paper does not state", "fit", (fit_table,)),
    Section(
        "table1",
        "Table 1: training accuracy",
        "table1",
        (agreement_table, trend_table, best_table),
        ("table_1",),
    ),
    Section(
        "final",
        "Final accuracy, and the price of learning in turn",
        "final",
        (final_table,),
        ("final_total_comparison",),
    ),
    Section("course", "Graceful degradation", "final", (over_tasks_table,), ("acc_deg_test",)),
    Section("digits", "Each digit at the end", "final", (digit_table,), ("per_digit_final",)),
    Section("weights", "What the neurons stand for", "visual", (weights_table,), ("100_visual",)),
    Section(
        "supplement",
        "Supplement: digit by digit over time",
        "final",
        (forgotten_table,),
        ("acc_per_digit", "fals_pos_per_digit"),
    ),
    Section(
        "precision",
        "Many epochs in small layers: a matter of precision?",
        "precision",
        (precision_table,),
        ("precision",),
    ),
    Section("kmeans", "Thresholds and k-means", "kmeans", (k_means_table,), ("kmeans",)),
    Section("oja", "Stability of STDP", "oja", (stability_table,), ("oja",)),
)


def write_reproduction(scale: Scale, folder: str | os.PathLike[str] | None = None) -> Path:
    """Write report, figures, CSV tables and a README from what a folder holds; the report's path.

    What is missing is named as missing.

    >>> import tempfile
    >>> from lethenet_reproduction.paper import SCALES
    >>> write_reproduction(SCALES["smoke"], tempfile.mkdtemp()).name
    'report.html'
    """
    from lethenet.interchange import replacing

    require_matplotlib()
    target = folder_for(folder, scale.folder)
    target.mkdir(parents=True, exist_ok=True)
    found = read_findings(scale, target)
    drawn = draw(found)
    write_tables(found, target / "tables")
    (target / "figures").mkdir(exist_ok=True)
    for name, drawing in drawn.items():
        drawing.write(target / "figures", name)
    pages = {"README.md": readme(found, drawn), "report.html": report_html(found, drawn)}
    for name, text in pages.items():
        with replacing(target / name) as draft:
            draft.write_text(text, "utf-8")
    return target / "report.html"


def draw(found: Findings) -> Drawn:
    """Every figure that there are results for, by its name."""
    return {
        figure.name: Drawing(without_headings(figure.draw(found)))  # pages and captions name them
        for figure in FIGURES
        if figure.there(found)
    }


def report_html(found: Findings, drawn: Drawn) -> str:
    """The report, with the figures that :func:`draw` made."""
    values = page_values(found, drawn)
    return render("reproduction.html", package="lethenet_reproduction", **values)


def readme(found: Findings, drawn: Drawn) -> str:
    """The same in Markdown, for those who browse the folder."""
    return markdown_page("reproduction.md", **page_values(found, drawn))


def page_values(found: Findings, drawn: Drawn) -> dict[str, Any]:
    """What the templates of report and README show."""
    scale, written = found.scale, discussion_by_section(found.folder)
    first = scale.points[0]
    one_cell = {
        "fit": cell_command(fit_cell(scale, scale.fit_points[0], "usage", 0.1)),
        "table1": cell_command(table_cell(scale, first), seeds=len(scale.seeds_of(first.neurons))),
    }
    named = [(section.anchor, section.title) for section in SECTIONS]
    return {
        "version": __version__,
        "found": found,
        "scale": scale,
        "source": SOURCE,
        "published": published,
        "words": words,
        "markdown": markdown,
        "mean_sd": mean_sd,
        "written": written,
        "contents": [("about", "What this is"), *named, ("sources", "Where the numbers come from")],
        "sections": [_section(found, drawn, section, written) for section in SECTIONS],
        "one_cell": one_cell,
        "headline": list(_headline(found)),
        "lacking": [source for source in found.sources if source.there < source.wanted],
        "sources": source_table(found),
        "report_command": report_command(scale, found.folder),
    }


def _section(
    found: Findings, drawn: Drawn, section: Section, written: Mapping[str, str]
) -> dict[str, Any]:
    """What a template needs to know of a section."""
    tables = [make(found) for make in section.tables]
    figures = [figure for figure in FIGURES if figure.name in section.figures]
    return {
        "anchor": section.anchor,
        "title": section.title,
        "text": written.get(section.title, ""),
        "tables": [table for table in tables if table.rows],
        "figures": [(f, drawn[f.name].data_uri if f.name in drawn else None) for f in figures],
        "command": found.command(section.stage),
    }


def _headline(found: Findings) -> Iterator[tuple[str, str, str]]:
    """The numbers that a reader looks for first: name, value, what it is."""
    table = found.table
    close = agreement.closeness(table.results)
    yield (
        "Cells of Table 1 within 1 point",
        NONE if close is None else words.of(close.within_one, close.cells),
        f"Training accuracy; {len(table.there)} of {len(table.results)} cells are measured.",
    )
    best = agreement.best_of_sizes(table)
    reached = [size for size in best if size.difference >= -ALLOWED]
    yield (
        "Sizes whose best cell reaches the paper's",
        words.of(len(reached), len(best)) if best else NONE,
        f"Training accuracy at least the paper's best of the size minus {ALLOWED:g} points.",
    )
    largest = found.largest
    yield (
        f"Test accuracy, {found.scale.sizes[-1]} neurons, digits in turn",
        words.pct(mean(largest.online) if largest is not None and largest.online else None),
        f"The best cell by training accuracy. The paper: {words.pct(published.TEST_ACCURACY_6400)}.",
    )
    penalty = mean_penalty(found.final)
    yield (
        "Penalty of learning in turn",
        NONE if penalty is None else f"{words.plain(penalty)} points",
        f"Mean over the sizes, against interleaved. The paper: {published.MEAN_PENALTY} points.",
    )
    source = next(source for source in found.sources if source.stage == "table1")
    yield (
        "Time for Table 1 on two cores",
        duration(found.one_seed_seconds / 2) if source.there else NONE,
        f"Half of the {duration(found.one_seed_seconds)} that one seed of each of the "
        f"{len(table.there)} cells took one core, as each run recorded it; with further seeds, all "
        f"{source.there} runs: {duration((source.seconds or 0.0) / 2)}.",
    )
