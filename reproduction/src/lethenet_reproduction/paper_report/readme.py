"""The reproduction on one page of Markdown, for those who browse the results folder."""

from __future__ import annotations

from lethenet.report.wording import NONE, duration

from ..paper import agreement
from ..paper.commands import report_command
from ..studies.tables import markdown
from .discussion import on_table_1, on_the_best_cells, on_the_end, on_the_fit, on_what_else_is_open
from .discussion_course import (
    on_k_means,
    on_stability,
    on_the_course,
    on_the_digits,
    on_the_supplement,
    on_the_weights,
)
from .findings import Findings
from .gallery import ENTRIES
from .precision import on_precision
from .words import of, pct, place, plain, signed, spread


def readme(found: Findings) -> str:
    """Table 1, the final accuracies, what is said of both, and the figures."""
    scale = found.scale
    parts = ["# The paper, reproduced", _about(found)]
    parts += ["## The two open constants", *on_the_fit(found), *on_what_else_is_open(found)]
    parts += ["## Table 1: training accuracy in percent, ours / the paper's", table_1(found)]
    parts += [*on_table_1(found), *on_the_best_cells(found)]
    parts += ["## Many epochs in small layers: a matter of precision?"]
    parts += on_precision(found) or [_missing(found, "precision")]
    parts += ["## Test accuracy of the best cell of each size"]
    parts += [final(found), *on_the_end(found)] if found.final else [_missing(found, "final")]
    parts += [*on_the_course(found), *on_the_digits(found), *on_the_supplement(found)]
    parts += ["## Weights, thresholds, stability"]
    parts += on_the_weights(found) or [_missing(found, "visual")]
    parts += on_k_means(found) or [_missing(found, "kmeans")]
    parts += on_stability(found) or [_missing(found, "oja")]
    parts += ["## Figures"]
    parts += [
        f"![{entry.title}](figures/{entry.name}.png)" for entry in ENTRIES if entry.there(found)
    ]
    parts += ["## Where the numbers come from", sources(found)]
    if not scale.is_the_papers:
        parts.insert(
            1, f"**Scale “{scale.name}”: a trial of the machinery. Differences mean nothing.**"
        )
    return "\n\n".join(parts) + "\n"


def _missing(found: Findings, stage: str) -> str:
    return f"Not measured yet: `{found.command(stage)}`."


def _about(found: Findings) -> str:
    command = report_command(found.scale, found.folder)
    return (
        f"Made by `{command}` from the results in this folder; `report.html` is the same with all "
        "figures and tables, `tables/` has every number as CSV with the command that makes it. "
        "Accuracies in percent with hard votes, as in the paper; differences are ours minus the "
        "paper's, in points."
    )


def table_1(found: Findings) -> str:
    """Table 1, the best cell of each size in bold."""
    table, rows = found.table, []
    for neurons in found.scale.sizes:
        entries = table.of_size(neurons)
        for threshold in found.scale.thresholds:
            row = [str(neurons), f"{threshold:g}"]
            for entry in entries:
                if entry.point.threshold != threshold:
                    continue
                ours = spread(entry.train).replace(" ", "\u00a0")
                theirs = f"{entry.paper:.2f}"
                ours = f"**{ours}**" if entry.point == table.best(neurons) else ours
                theirs = f"**{theirs}**" if entry.point == table.paper_best(neurons) else theirs
                row.append(f"{ours}\u00a0/\u00a0{theirs}")
            rows.append(row)
    header = ["neurons", "threshold"]
    header += [f"{e} epoch{'' if e == 1 else 's'}" for e in found.scale.epochs]
    return markdown(header, rows)


def final(found: Findings) -> str:
    """Test accuracy of each size, in turn and interleaved."""
    best = {size.neurons: size for size in agreement.best_of_sizes(found.table)}
    rows = []
    for size in found.final:
        here = best[size.point.neurons]
        rows.append(
            [
                size.point.neurons,
                place(size.point),
                f"{pct(here.ours.ours)} / {pct(here.paper.paper)} ({signed(here.difference)})",
                len(size.sequential),
                spread(size.online),
                spread(size.offline),
                NONE if size.penalty is None else plain(size.penalty),
                spread(found.table[here.paper.point].test),
            ]
        )
    header = ["neurons", "our best cell", "training, ours / the paper's best", "seeds"]
    header += ["test, in turn", "test, interleaved", "penalty"]
    return markdown([*header, "test, in turn, at the paper's best cell"], rows)


def sources(found: Findings) -> str:
    """Which file holds what, and the command that makes it."""
    rows = [
        [
            source.stage,
            f"`{source.file}`",
            of(source.there, source.wanted),
            duration(source.seconds) if source.there else NONE,
            f"`{source.command}`",
        ]
        for source in found.sources
    ]
    return markdown(["stage", "results", "there", "time of all runs", "command"], rows)
