"""The tables of the report and its README on Table 1, its fit, and the accuracies at the end."""

from __future__ import annotations

from collections.abc import Callable, Collection
from statistics import mean
from typing import NamedTuple

from lethenet.report.wording import NONE, duration

from ..paper import agreement, fit
from ..studies.tables import mean_sd
from .findings import Findings
from .words import of, pct, place, plain, signed

Row = list[str]


class PageTable(NamedTuple):
    """A table of a page; ``marked`` cells (row, column) are emphasised, ``words`` may break their lines."""

    caption: str
    header: Row
    rows: list[Row]
    marked: Collection[tuple[int, int]] = ()
    words: bool = False


Maker = Callable[[Findings], PageTable]


def fit_table(found: Findings) -> PageTable:
    """The pairs of the two open constants, the closest first."""
    best, running = fit.winner(found.fit), fit.undecided(found.fit)
    pairs = sorted(found.fit, key=lambda pair: (not pair.complete, pair.squares))
    rows = []
    for pair in pairs:
        there = pair.differences
        rows.append(
            [
                pair.push,
                f"{pair.forced_depression:g}",
                of(len(there), len(pair.accuracies)),
                NONE if not there else ("" if pair.complete else "≥ ") + plain(pair.squares),
                plain(pair.typical),
                signed(mean(there)) if there else NONE,
                signed(max(there, key=abs)) if there else NONE,
                _outcome(pair, best, running),
                "yes" if pair.is_the_presets else "",
            ]
        )
    return PageTable(
        "Training accuracy against Table 1, in points (sum: points²), one seed, the closest pair first; "
        "“≥”: the sum over the cells that were measured. A pair is given up when it cannot win any more.",
        ["push", "forced_depression", "cells", "sum of squares", "typical difference", "mean difference",
         "largest difference", "outcome", "in the preset paper"],
        rows,
        [(row, column) for row, pair in enumerate(pairs) if pair is best for column in range(1, 9)],
    )  # fmt: skip


def _outcome(pair: fit.Pair, best: fit.Pair | None, running: list[fit.Pair]) -> str:
    if pair is best:
        return "closest"
    if pair in running:
        return "open"
    return "" if pair.complete else "given up"


def agreement_table(found: Findings) -> PageTable:
    """How close the cells of Table 1 are to the paper's, group by group."""
    rows = []
    for name, results in agreement.groups(found.table).items():
        close = agreement.closeness(results)
        if close is not None:
            counts = (close.within_half, close.within_one, close.within_two, close.above)
            rows.append(
                [
                    name,
                    of(close.cells, len(results)),
                    *map(str, counts),
                    signed(close.mean),
                    plain(close.typical),
                    plain(close.overwritten),
                    plain(100 * close.unused, 1),
                ]
            )
    return PageTable(
        "Differences of training accuracy, ours minus the paper's, in points (typical: root of the mean "
        "square). Every dopaminergic spike overwrites a neuron; unused neurons (%) never fired.",
        ["cells", "measured", "within 0.5", "within 1", "within 2", "above", "mean", "typical",
         "dopaminergic spikes per sample", "unused"],
        rows,
    )  # fmt: skip


def trend_table(found: Findings) -> PageTable:
    """Whether accuracy moves along the axes as it does in the paper."""
    rows = [
        [
            name,
            *map(str, (trend.lines, trend.ours_up, trend.paper_up, trend.same)),
            signed(trend.ours_mean),
            signed(trend.paper_mean),
        ]
        for name, trend in agreement.trends(found.table).items()
    ]
    return PageTable(
        "How training accuracy changes along an axis of Table 1, all else equal; means in points.",
        ["from … to", "lines", "rises, ours", "rises, the paper", "same way", "mean, ours",
         "mean, the paper"],
        rows,
    )  # fmt: skip


def best_table(found: Findings) -> PageTable:
    """The best cell of each size, ours and the paper's."""
    rows = [
        [
            str(size.neurons),
            place(size.ours.point) + ("" if size.complete else " (cells are missing)"),
            pct(size.ours.ours),
            place(size.paper.point),
            pct(size.paper.paper),
            signed(size.difference),
            pct(found.table[size.paper.point].ours),
        ]
        for size in agreement.best_of_sizes(found.table)
    ]
    return PageTable(
        "Best cell of each size, by training accuracy.",
        ["neurons", "our best cell", "training", "the paper's best cell", "training", "difference",
         "ours at the paper's cell"],
        rows,
    )  # fmt: skip


def precision_table(found: Findings) -> PageTable:
    """The small sizes both ways, beside the paper's; last, the means over the thresholds."""
    rows = [
        [
            str(b.point.neurons),
            f"{b.point.threshold:g}",
            str(b.point.epochs),
            *(f"{accuracy:.2f}" for accuracy in (b.paper, b.ours, b.single)),
            signed(b.ours - b.paper),
            signed(b.single - b.paper),
        ]
        for b in found.precision
    ]
    return PageTable(
        "Training accuracy in percent, one seed; differences in points.",
        ["neurons", "threshold", "epochs", "the paper's", "logarithms", "single precision",
         "difference, logarithms", "difference, single precision"],
        rows,
    )  # fmt: skip


def final_table(found: Findings) -> PageTable:
    """Final test accuracy of each size, in turn and interleaved."""
    rows = [
        [
            str(size.point.neurons),
            place(size.point),
            str(len(size.sequential)),
            mean_sd(size.online),
            mean_sd(size.offline),
            plain(size.penalty),
            mean_sd(found.table[found.table.paper_best(size.point.neurons)].test),
        ]
        for size in found.final
    ]
    return PageTable(
        "Test accuracy in percent of the best cell of each size (mean ± sample standard deviation where "
        "there are several seeds) and the penalty in points; last, ours at the cell that the paper "
        "highlights.",
        ["neurons", "cell", "seeds", "in turn", "interleaved", "penalty",
         "in turn, at the paper's best cell"],
        rows,
    )  # fmt: skip


def source_table(found: Findings) -> PageTable:
    """Where every number comes from."""
    rows = [
        [
            source.stage,
            source.file,
            of(source.there, source.wanted),
            duration(source.seconds) if source.there else NONE,
            "; ".join(source.made_by) or NONE,
            f"{source.command}",
        ]
        for source in found.sources
    ]
    return PageTable(
        "Results, and what made them; times are of one core, as the runs recorded them.",
        ["stage", "results", "there", "time of all runs", "made with", "command"],
        rows,
        words=True,
    )
