"""The report on Table 1: the fit of the open constants, the table itself, the best cells."""

from __future__ import annotations

from statistics import mean

from lethenet.report.html import Html, inside, scrolling, table, tag
from lethenet.report.wording import NONE

from ..paper import agreement, fit
from ..paper.cells import fit_cell, table_cell
from ..paper.commands import cell_command
from ..paper.table1 import Table
from .discussion import on_table_1, on_the_best_cells, on_the_fit, on_what_else_is_open
from .findings import Findings
from .sections import made_by, paragraphs
from .words import of, pct, place, plain, signed, span, spread


def open_constants(found: Findings) -> Html:
    """The fit of the two constants that the paper does not state."""
    best, running = fit.winner(found.fit), fit.undecided(found.fit)
    rows, marked = [], []
    for number, pair in enumerate(sorted(found.fit, key=_rank)):
        there = len(pair.differences)
        rows.append(
            [
                pair.push,
                f"{pair.forced_depression:g}",
                of(there, len(pair.accuracies)),
                NONE if not there else ("" if pair.complete else "≥ ") + plain(pair.squares),
                NONE if pair.typical is None else plain(pair.typical),
                NONE if not there else signed(mean(pair.differences)),
                NONE if not there else signed(max(pair.differences, key=abs)),
                _standing(pair, best, running),
                "yes" if pair.is_the_presets else "",
            ]
        )
        if pair is best:
            marked += [(number, column) for column in range(1, 9)]
    header = ["push", "forced_depression", "cells", "sum of squares", "typical difference"]
    header += ["mean difference", "largest difference", "outcome", "in the preset paper"]
    caption = (
        "Training accuracy against Table 1, in points (sum: points²), the closest pair first; “≥”: the sum "
        "over the cells that were measured."
    )
    one = cell_command(fit_cell(found.scale, found.scale.fit_points[0], "usage", 0.1))
    return inside(
        paragraphs(on_the_fit(found)),
        table(caption, header, rows, marked=marked),
        made_by(found.command("fit"), one),
        paragraphs(on_what_else_is_open(found)),
    )


def _standing(pair: fit.Pair, best: fit.Pair | None, running: list[fit.Pair]) -> str:
    if pair is best:
        return "closest"
    if pair in running:
        return "open"
    return "" if pair.complete else "given up"


def _rank(pair: fit.Pair) -> tuple[bool, float]:
    return not pair.complete, pair.squares


def table_one(found: Findings) -> Html:
    """Table 1, ours beside the paper's."""
    scale = found.scale
    caption = (
        "Training accuracy in percent after all ten digits in turn: ours (mean ± sample standard "
        f"deviation where there are several seeds; {_seeds(found.table)}), the paper's, and the "
        "difference in points. In bold: the best cell of each size, ours and the paper's."
    )
    content = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", _heading(scale.epochs)),
        tag("tbody", [_rows_of_size(found.table, neurons) for neurons in scale.sizes]),
        style="font-size:.82rem",  # fourteen columns
    )
    first = scale.points[0]
    one = cell_command(table_cell(scale, first), seeds=len(scale.seeds_of(first.neurons)))
    return inside(
        scrolling(content, "Table 1, ours and the paper's"),
        paragraphs(on_table_1(found)),
        _best_cells(found),
        paragraphs(on_the_best_cells(found)),
        made_by(found.command("table1"), one),
    )


_NARROW = "min-width:0"


def _seeds(whole: Table) -> str:
    """How many seeds the cells of each size have."""
    parts = []
    for neurons in whole.scale.sizes:
        many = span(len(entry.train) for entry in whole.of_size(neurons))
        parts.append(f"{neurons} neurons: {many}")
    return ", ".join(parts)


def _heading(epochs: tuple[int, ...]) -> Html:
    above = [
        tag("th", word, scope="col", rowspan="2", style=_NARROW)
        for word in ("Neurons", "Threshold")
    ]
    above += [
        tag(
            "th",
            f"{n} epoch{'' if n == 1 else 's'}",
            scope="colgroup",
            colspan="3",
            style=f"{_NARROW};text-align:center",
        )
        for n in epochs
    ]
    words = ("ours", "paper", "diff.") * len(epochs)
    below = [tag("th", word, scope="col", style=f"{_NARROW};text-align:right") for word in words]
    return inside(tag("tr", above), tag("tr", below))


def _rows_of_size(whole: Table, neurons: int) -> Html:
    rows = []
    for number, threshold in enumerate(whole.scale.thresholds):
        cells = [tag("td", f"{threshold:g}")]
        if number == 0:
            lines = str(len(whole.scale.thresholds))
            cells.insert(0, tag("th", str(neurons), scope="rowgroup", rowspan=lines))
        for entry in whole.of_size(neurons):
            if entry.point.threshold != threshold:
                continue
            ours = spread(entry.train)
            mine = entry.point == whole.best(neurons)
            theirs = entry.point == whole.paper_best(neurons)
            cells += [
                tag("td", tag("strong", ours) if mine else ours),
                tag("td", tag("strong", f"{entry.paper:.2f}") if theirs else f"{entry.paper:.2f}"),
                tag("td", signed(entry.difference)),
            ]
        rows.append(tag("tr", cells))
    return inside(rows)


def _best_cells(found: Findings) -> Html:
    rows = []
    for size in agreement.best_of_sizes(found.table):
        there = found.table[size.paper.point]
        rows.append(
            [
                str(size.neurons),
                place(size.ours.point) + ("" if size.complete else " (cells are missing)"),
                pct(size.ours.ours),
                place(size.paper.point),
                pct(size.paper.paper),
                signed(size.difference),
                pct(there.ours),
            ]
        )
    header = ["Neurons", "Our best cell", "Training", "The paper's best cell", "Training"]
    header += ["Difference", "Ours at the paper's cell"]
    return table("Best cell of each size, by training accuracy.", header, rows)
