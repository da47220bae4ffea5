"""The parts of the report in words and tables."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean

from lethenet.report.html import Html, inside, table, tag
from lethenet.report.wording import NONE, duration

from .. import published
from ..paper import agreement
from ..paper.commands import report_command
from ..paper.final import mean_penalty
from .discussion import ALLOWED
from .findings import Findings
from .run_section import SOURCE
from .words import of, pct, place, plain, spread


def paragraphs(texts: Iterable[str]) -> Html:
    """Sentences as paragraphs."""
    return inside([tag("p", text) for text in texts])


def made_by(command: str, one: str | None = None) -> Html:
    """The command that makes the numbers above, and the one for a single one of them."""
    more = ["; one of its cells alone: ", tag("code", one)] if one else []
    return tag("p", "Made by ", tag("code", command), *more, ".")


def about(found: Findings) -> Html:
    """What this page is."""
    scale = found.scale
    text = (
        f"The evaluation of {SOURCE}, done again with lethenet: every table and figure under the "
        "paper's own name, our numbers beside the paper's. Accuracies are in percent, with hard votes, "
        "as in the paper; differences are ours minus the paper's, in points."
    )
    notes = []
    if not scale.is_the_papers:
        notes.append(
            tag(
                "p",
                tag("strong", f"Scale “{scale.name}”: this only tries everything out. "),
                f"The data are {scale.dataset} instead of MNIST, and layers of {scale.sizes[0]} to "
                f"{scale.sizes[-1]} neurons stand for the paper's {published.SIZES[0]} to "
                f"{published.SIZES[-1]}. The paper's numbers stand beside ours so that the page is "
                "complete; the differences mean nothing.",
                class_="note",
                role="note",
            )
        )
    if len(found.behaviours) > 1:
        notes.append(
            tag(
                "p",
                tag("strong", "Not of one network. "),
                "Results of Table 1 and of the best cells were made by versions of lethenet whose networks "
                f"behave differently ({', '.join(sorted(found.behaviours))}). Run the stages again to have "
                "all of them of today's.",
                class_="note",
                role="note",
            )
        )
    lacking = [source for source in found.sources if source.there < source.wanted]
    if lacking:
        names = "; ".join(f"{s.stage}: {s.wanted - s.there} of {s.wanted}" for s in lacking)
        notes.append(
            tag(
                "p",
                tag("strong", "Not complete yet. "),
                f"Still missing: {names}. Missing numbers are shown as “{NONE}”.",
                class_="note",
                role="note",
            )
        )
    return inside(tag("p", text), notes)


def headline(found: Findings) -> Html:
    """The numbers that a reader looks for first."""
    cards = [_card(*card) for card in _cards(found)]
    return tag("dl", cards, class_="headline")


def _cards(found: Findings) -> Iterable[tuple[str, str, str]]:
    whole = found.table
    close = agreement.closeness(whole.entries)
    total = len(whole.entries)
    yield (
        "Cells of Table 1 within 1 point",
        NONE if close is None else of(close.within_one, close.cells),
        f"Training accuracy; {len(whole.there)} of {total} cells are measured.",
    )
    best = agreement.best_of_sizes(whole)
    reached = [size for size in best if size.difference >= -ALLOWED]
    yield (
        "Sizes whose best cell reaches the paper's",
        of(len(reached), len(best)) if best else NONE,
        f"Training accuracy at least the paper's best of the size minus {ALLOWED:g} points.",
    )
    largest = found.largest
    test = mean(largest.online) if largest is not None and largest.online else None
    yield (
        f"Test accuracy, {found.scale.sizes[-1]} neurons, digits in turn",
        pct(test),
        f"The best cell by training accuracy. The paper: {pct(published.TEST_ACCURACY_6400)}.",
    )
    penalty = mean_penalty(found.final)
    yield (
        "Penalty of learning in turn",
        NONE if penalty is None else f"{plain(penalty)} points",
        f"Mean over the sizes, against interleaved. The paper: {published.MEAN_PENALTY} points.",
    )
    source = next(source for source in found.sources if source.stage == "table1")
    yield (
        "Time for Table 1 on two cores",
        duration(found.one_seed_seconds / 2) if source.there else NONE,
        f"Half of the {duration(found.one_seed_seconds)} that one seed of each of the "
        f"{len(whole.there)} cells took one core, as each run recorded it; with further seeds, all "
        f"{source.there} runs: {duration((source.seconds or 0.0) / 2)}.",
    )


def _card(label: str, value: str, what: str) -> Html:
    return tag(
        "div", tag("dt", label), tag("dd", value, class_="value"), tag("dd", what, class_="what")
    )


def final_accuracies(found: Findings) -> Html:
    """Final test accuracies of each size in numbers."""
    rows = []
    for size in found.final:
        there = found.table[found.table.paper_best(size.point.neurons)]
        rows.append(
            [
                str(size.point.neurons),
                place(size.point),
                str(len(size.sequential)),
                spread(size.online),
                spread(size.offline),
                NONE if size.penalty is None else plain(size.penalty),
                spread(there.test),
            ]
        )
    header = ["Neurons", "Cell", "Seeds", "In turn", "Interleaved", "Penalty"]
    header += ["In turn, at the paper's best cell"]
    caption = (
        "Test accuracy in percent of the best cell of each size (mean ± sample standard deviation "
        "over the seeds) and the penalty in points; last, ours at the cell that the paper highlights."
    )
    return table(caption, header, rows)


def provenance(found: Findings) -> Html:
    """Where every number comes from."""
    rows = [
        [
            source.stage,
            source.file,
            of(source.there, source.wanted),
            duration(source.seconds) if source.there else NONE,
            "; ".join(source.made_by) or NONE,
            source.command,
        ]
        for source in found.sources
    ]
    header = ["Stage", "Results", "There", "Time of all runs", "Made with", "Command"]
    return inside(
        tag(
            "p",
            "Every number on this page is read from these files, next to it in its folder; with the same "
            "lethenet the commands give the same numbers, to the last bit, on any machine of the same "
            "type. The tables as CSV files, each line with its command, are in the folder tables, "
            "the pictures in figures. This page alone is made again by ",
            tag("code", report_command(found.scale, found.folder)),
            ".",
        ),
        table("Results, and what made them", header, rows, class_="words"),
    )
