"""The paper's numbers beside those of a run, where both measured the same thing."""

from __future__ import annotations

from markupsafe import Markup

from lethenet.lifelong.results import Results
from lethenet.report.rendering import render
from lethenet.report.wording import NONE, loss, percent, points

from .. import published as paper
from ..paper.scales import Point
from .page_tables import PageTable, Row
from .words import epochs, pct, place

SOURCE = "Allred & Roy, “Controlled Forgetting”, Frontiers in Neuroscience 2020 (arXiv 1902.03187)"


def section(results: Results) -> tuple[str, str, Markup | None]:
    """Anchor, title and content, for the report of a run (entry points ``lethenet.report_sections``)."""
    return "paper", "Beside the paper", beside_the_paper(results)


def comparable(results: Results) -> bool:
    """Whether the paper's experiment was this one: MNIST with all ten digits."""
    config = results.settings
    return config["dataset"] == "mnist" and sorted(results.classes) == list("0123456789")


def beside_the_paper(results: Results) -> Markup | None:
    """Our numbers and the paper's; None where the paper has nothing to compare with."""
    if not comparable(results):
        return None
    config = results.settings
    point = Point(config["neurons"], config["parameters"].get("threshold"), config["epochs"])
    accuracy = paper.training_accuracy(*point)
    return Markup(
        render(
            "run_section.html",
            package="lethenet_reproduction",
            results=results,
            config=config,
            paper=paper,
            source=SOURCE,
            in_table=accuracy is not None,
            measures=_measures(results, point, accuracy) if results.finished else None,
            sizes=_table_1(point) if point.neurons in paper.TABLE_1 else None,
        )
    )


def _measures(results: Results, point: Point, accuracy: float | None) -> PageTable:
    summary = results.summary
    name = f"Training accuracy, {point.neurons} neurons, {place(point)}"
    rows = [_row(name, summary.get("train_accuracy"), accuracy)]
    if point.neurons == 6400:
        rows.append(
            _row("Test accuracy, 6400 neurons", summary.get("accuracy"), paper.TEST_ACCURACY_6400)
        )
    penalty = summary.get("sequential_penalty")
    if penalty is not None:
        difference = points(penalty - paper.MEAN_PENALTY / 100)
        name = "Sequential penalty (paper: mean over seven sizes)"
        rows.append([name, loss(penalty), loss(paper.MEAN_PENALTY / 100), difference])
    caption = f"This run and the paper. Source: {SOURCE}."
    return PageTable(caption, ["Measure", "This run", "Paper", "Difference"], rows)


def _row(name: str, ours: float | None, theirs: float | None) -> Row:
    there = ours is not None and theirs is not None
    return [name, percent(ours), pct(theirs), points(ours - theirs / 100) if there else NONE]  # type: ignore[operator]


def _table_1(point: Point) -> PageTable:
    """Table 1 for this size, with the cell of this run emphasised."""
    best = paper.best_cell(point.neurons)
    marked = []
    if paper.training_accuracy(*point) is not None:
        row, column = paper.THRESHOLDS.index(point.threshold), paper.EPOCHS.index(point.epochs)
        marked.append((row, 1 + column))
    which = "in bold: the cell of this run; " if marked else ""
    return PageTable(
        f"The paper's Table 1, training accuracy with {point.neurons} neurons ({which}best: "
        f"{best.training_accuracy}\u00a0% at threshold {best.threshold:g}, epochs {best.epochs}).",
        ["Threshold", *map(epochs, paper.EPOCHS)],
        [
            [f"{threshold:g}", *map(pct, values)]
            for threshold, values in zip(
                paper.THRESHOLDS, paper.TABLE_1[point.neurons], strict=True
            )
        ],
        marked,
    )
