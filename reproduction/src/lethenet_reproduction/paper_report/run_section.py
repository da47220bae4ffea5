"""The paper's numbers beside ours, where both measured the same thing."""

from __future__ import annotations

from lethenet.lifelong.results import Results
from lethenet.report.html import Html, inside, table, tag
from lethenet.report.wording import NONE, loss, percent, points

from .. import published as paper

SOURCE = "Allred & Roy, “Controlled Forgetting”, Frontiers in Neuroscience 2020 (arXiv 1902.03187)"


def comparable(results: Results) -> bool:
    """Whether the paper's experiment was this one: MNIST with all ten digits."""
    config = results.settings
    return config["dataset"] == "mnist" and sorted(results.classes) == list("0123456789")


def beside_the_paper(results: Results) -> Html | None:
    """Our numbers and the paper's; None where the paper has nothing to compare with."""
    if not comparable(results):
        return None
    if not results.finished:
        return tag("p", "The comparison is made when the run has finished.")
    config = results.settings
    if config["order"] == "interleaved":
        return tag(
            "p",
            "The paper prints no number for interleaved training, only a mean difference: "
            f"learning the digits in turn costs {paper.MEAN_PENALTY} points on average over its seven "
            f"sizes. Source: {SOURCE}.",
        )
    neurons, epochs = config["neurons"], config["epochs"]
    threshold = config["parameters"].get("threshold")
    cell = paper.training_accuracy(neurons, threshold, epochs)
    rows = [_training_row(results, cell)]
    if neurons == 6400:
        rows.append(
            [
                "Test accuracy, 6400 neurons",
                percent(results.summary.get("accuracy")),
                _plain_percent(paper.TEST_ACCURACY_6400),
                _difference(results.summary.get("accuracy"), paper.TEST_ACCURACY_6400),
            ]
        )
    penalty = results.summary.get("sequential_penalty")
    if penalty is not None:
        rows.append(
            [
                "Sequential penalty (paper: mean over seven sizes)",
                loss(penalty),
                loss(paper.MEAN_PENALTY / 100),
                _difference(penalty, paper.MEAN_PENALTY),
            ]
        )
    notes = _notes(results, cell)
    caption = f"This run and the paper. Source: {SOURCE}."
    return inside(
        table(caption, ["Measure", "This run", "Paper", "Difference"], rows, class_="measures"),
        tag("ul", [tag("li", note) for note in notes]),
        _size_table(results) if neurons in paper.TABLE_1 else None,
    )


def _training_row(results: Results, cell: float | None) -> list[str]:
    config = results.settings
    epochs = config["epochs"]
    what = (
        f"Training accuracy, {config['neurons']} neurons, threshold "
        f"{config['parameters'].get('threshold')}, {epochs} epoch{'' if epochs == 1 else 's'}"
    )
    ours = results.summary.get("train_accuracy")
    return [
        what,
        percent(ours),
        NONE if cell is None else _plain_percent(cell),
        NONE if cell is None else _difference(ours, cell),
    ]


def _notes(results: Results, cell: float | None) -> list[str]:
    config = results.settings
    notes = []
    if cell is None:
        notes.append(
            "Table 1 has no cell for this size, threshold and number of epochs: it covers "
            f"{', '.join(map(str, paper.SIZES))} neurons, thresholds "
            f"{', '.join(map(str, paper.THRESHOLDS))} and {', '.join(map(str, paper.EPOCHS))} epochs."
        )
    if config.get("preset") != "paper":
        notes.append(
            f"This run started from the preset “{config.get('preset')}”, not from the paper's rule: "
            "a difference is to be expected."
        )
    if config.get("train_per_class") is not None or config.get("test_per_class") is not None:
        notes.append("This run used only part of the samples; the paper used all of them.")
    if results.votes != "hard votes":
        notes.append("This run counts histogram votes; the paper counts hard votes.")
    notes.append(
        f"The paper's best network (6400 neurons, threshold 14.25, 20 epochs) reaches "
        f"{paper.TEST_ACCURACY_6400}\u00a0% on the test samples. Its versions differ: 95.24\u00a0% in the "
        "journal's abstract, 93.88\u00a0% in the first preprint."
    )
    return notes


def _size_table(results: Results) -> Html:
    """Table 1 for this size, with the cell of this run and the best one marked."""
    config = results.settings
    neurons = config["neurons"]
    threshold = config["parameters"].get("threshold")
    best = paper.best_cell(neurons)
    rows = []
    marked = []
    for number, (level, values) in enumerate(
        zip(paper.THRESHOLDS, paper.TABLE_1[neurons], strict=True)
    ):
        rows.append([f"{level:g}", *map(_plain_percent, values)])
        if level == threshold and config["epochs"] in paper.EPOCHS:
            marked.append((number, 1 + paper.EPOCHS.index(config["epochs"])))
    which = "in bold: the cell of this run; " if marked else ""
    caption = (
        f"The paper's Table 1, training accuracy with {neurons} neurons ({which}best: "
        f"{best.training_accuracy}\u00a0% at threshold {best.threshold:g}, epochs {best.epochs})."
    )
    header = ["Threshold", *(f"{e} epoch{'' if e == 1 else 's'}" for e in paper.EPOCHS)]
    return table(caption, header, rows, marked=marked)


def _plain_percent(value: float) -> str:
    return f"{value:.2f}\u00a0%"


def _difference(ours: float | None, theirs: float) -> str:
    return NONE if ours is None else points(ours - theirs / 100)


def section(results: Results) -> tuple[str, str, Html | None]:
    """Anchor, title and content, for the report of a run (entry point group ``lethenet.report_sections``)."""
    return "paper", "Beside the paper", beside_the_paper(results)
