"""The report of the reproduction: one HTML file, with the figures and tables as files beside it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from lethenet._version import __version__
from lethenet.report.html import Html, inside, tag
from lethenet.report.page import contents, page, picture, section
from lethenet.report.pictures import MAX_SVG_BYTES, rendered
from lethenet.report.style import require_matplotlib, without_headings

from ..paper.scales import Scale
from . import discussion, discussion_course, precision, section_table, sections
from .findings import Findings, read_findings
from .gallery import ENTRIES, Entry
from .readme import readme
from .tables import write_tables

Talk = Callable[[Findings], list[str]]
Drawn = Mapping[str, bytes]

WORDS: dict[str, Talk] = {
    "final_total_comparison": discussion.on_the_end,
    "acc_deg_test": discussion_course.on_the_course,
    "per_digit_final": discussion_course.on_the_digits,
    "100_visual": discussion_course.on_the_weights,
    "fals_pos_per_digit": discussion_course.on_the_supplement,
    "precision": precision.on_precision,
    "kmeans": discussion_course.on_k_means,
    "oja": discussion_course.on_stability,
}
"""What is said below a figure, besides its caption."""


def write_reproduction(scale: Scale, folder: str | os.PathLike[str] | None = None) -> Path:
    """Write report, figures, CSV tables and a README from what a folder holds; the report's path.

    What is missing is named as missing.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet_reproduction.paper import SCALES
    >>> write_reproduction(SCALES["smoke"], tempfile.mkdtemp()).name
    'report.html'
    """
    from lethenet.interchange import replacing

    require_matplotlib()
    target = Path(folder) if folder is not None else scale.folder
    target.mkdir(parents=True, exist_ok=True)
    found = read_findings(scale, target)
    drawn = draw(found)
    write_tables(found, target / "tables")
    (target / "figures").mkdir(exist_ok=True)
    for name, content in drawn.items():
        with replacing(target / "figures" / name) as draft:
            draft.write_bytes(content)
    for name, text in (("README.md", readme(found)), ("report.html", report_html(found, drawn))):
        with replacing(target / name) as draft:
            draft.write_text(text, "utf-8")
    return target / "report.html"


def draw(found: Findings) -> Drawn:
    """Every figure that there are results for, as the bytes of files by their names."""
    drawn = {}
    for entry in ENTRIES:
        if entry.there(found):
            figure = without_headings(entry.draw(found))  # pages and captions name them
            for kind in ("png",) if entry.raster else ("png", "svg"):
                drawn[f"{entry.name}.{kind}"] = rendered(figure, kind)
    return drawn


def report_html(found: Findings, drawn: Drawn) -> str:
    """The report as text, with the figures that :func:`draw` made inside."""

    def shown(name: str, more: Callable[[Findings], Html] | None = None) -> Html:
        return _shown(found, drawn, name, more)

    parts = [
        ("about", "What this is", inside(sections.about(found), sections.headline(found))),
        ("fit", "Two constants that the paper does not state", section_table.open_constants(found)),
        ("table1", "Table 1: training accuracy", shown("table_1", section_table.table_one)),
        (
            "final",
            "Final accuracy, and the price of learning in turn",
            shown("final_total_comparison", sections.final_accuracies),
        ),
        ("course", "Graceful degradation", shown("acc_deg_test")),
        ("digits", "Each digit at the end", shown("per_digit_final")),
        ("weights", "What the neurons stand for", shown("100_visual")),
        (
            "supplement",
            "Supplement: digit by digit over time",
            inside(shown("acc_per_digit"), shown("fals_pos_per_digit")),
        ),
        (
            "precision",
            "Many epochs in small layers: a matter of precision?",
            shown("precision", precision.precision_table),
        ),
        ("kmeans", "Thresholds and k-means", shown("kmeans")),
        ("oja", "Stability of STDP", shown("oja")),
        ("sources", "Where the numbers come from", sections.provenance(found)),
    ]
    header = inside(
        tag("h1", "Controlled Forgetting, reproduced"),
        tag("p", _lead(found), class_="lead"),
        contents([(anchor, title) for anchor, title, _ in parts]),
    )
    main = inside([section(anchor, title, content) for anchor, title, content in parts])
    footer = (
        f"Made by lethenet {__version__} from the results in this folder. This file is self-contained: "
        "it fetches nothing."
    )
    return page("Controlled Forgetting, reproduced: lethenet", header, main, footer)


def _lead(found: Findings) -> str:
    sizes = found.scale.sizes
    return (
        f"{found.scale.dataset}, {sizes[0]} to {sizes[-1]} neurons, digits strictly in turn, without "
        f"labels; scale “{found.scale.name}”"
    )


def _shown(
    found: Findings, drawn: Drawn, name: str, more: Callable[[Findings], Html] | None
) -> Html:
    """A figure, what is said of it, and its numbers."""
    entry = next(entry for entry in ENTRIES if entry.name == name)
    words = WORDS[name](found) if name in WORDS else []
    return inside(
        _picture(found, drawn, entry),
        sections.paragraphs(words),
        more(found) if more is not None else None,
        # the table says by itself what it was made by
        None if name == "table_1" else sections.made_by(found.command(entry.stage)),
    )


def _picture(found: Findings, drawn: Drawn, entry: Entry) -> Html:
    raster, vector = drawn.get(f"{entry.name}.png"), drawn.get(f"{entry.name}.svg")
    if raster is None:
        command = tag("code", found.command(entry.stage))
        return inside(
            tag("h3", entry.title),
            tag("p", "Its results are missing. Make them with ", command, "."),
        )
    small = vector is not None and len(vector) <= MAX_SVG_BYTES
    kind, content = ("svg+xml", vector) if small else ("png", raster)
    return picture(
        f"data:image/{kind};base64,{base64.b64encode(content or b'').decode('ascii')}",
        entry.title,
        entry.caption,
        entry.alt(found),
        medium=entry.name in ("acc_deg_test", "per_digit_final", "kmeans"),
    )
