"""The tables on what happens on the way: tasks, digits, weights, thresholds and the STDP rules."""

from __future__ import annotations

from statistics import median

import numpy as np

from lethenet.lifelong.results import Results
from lethenet.model import PAPER
from lethenet.report.figures.weight_grid import fates
from lethenet.report.wording import NONE

from ..paper.final import CLASSES, SizeResult
from ..studies.tables import mean_sd
from .findings import Findings
from .page_tables import PageTable, Row
from .words import plain, signed


def over_tasks_table(found: Findings) -> PageTable:
    """Test accuracy of each size after each digit."""
    rows = [
        [str(size.point.neurons), *(f"{value:.2f}" for value in size.accuracy_over_tasks())]
        for size in found.final
        if size.sequential
    ]
    return PageTable(
        "Test accuracy in percent on all digits met so far, after each digit.",
        ["neurons", *CLASSES],
        rows,
    )


def digit_table(found: Findings) -> PageTable:
    """The digits at the end at the largest size, in turn and interleaved, the best first."""
    size = found.largest
    turn, mixed = ({}, {}) if size is None else map(size.at_the_end, ("sequential", "interleaved"))
    rows = [
        [
            label,
            f"{turn[label]:.2f}",
            plain(mixed.get(label)),
            plain(mixed[label] - turn[label]) if mixed else NONE,
        ]
        for label in sorted(turn, key=lambda label: -turn[label])
    ]
    return PageTable(
        f"Test accuracy in percent of each digit with {found.scale.sizes[-1]} neurons after all digits, "
        "the best first. In the paper 0, 1 and 6 are best and 8 and 9 worst, in either order.",
        ["digit", "in turn", "interleaved", "lost by learning in turn (points)"],
        rows,
    )


def forgotten_table(found: Findings) -> PageTable:
    """At each size the digit that is forgotten most, and the one that draws in the others."""
    return PageTable(
        "The digit that loses most between the test after it was learned and the last one, and the digit "
        "for which most test samples of others are taken at the end.",
        ["neurons", "loses most", "points", "most false positives", "test samples"],
        [_forgotten(size) for size in found.final if size.sequential],
    )


def _forgotten(size: SizeResult) -> Row:
    losses = {}
    for label, line in size.per_class("class_accuracy", 100).items():
        known = [value for value in line if value is not None]
        if len(known) > 1:
            losses[label] = known[0] - known[-1]
    mistaken = {
        label: line[-1]
        for label, line in size.per_class("false_positives").items()
        if line[-1] is not None
    }
    loser = max(losses, key=lambda label: losses[label])
    drawing = max(mistaken, key=lambda label: mistaken[label])
    return [
        str(size.point.neurons),
        loser,
        plain(losses[loser], 1),
        drawing,
        f"{mistaken[drawing]:.0f}",
    ]


def weights_table(found: Findings) -> PageTable:
    """What each new digit does to the neurons of the small network that stood for something before."""
    results, rows = found.visual, []
    if results is not None and len(results.arrays.get("weights", ())) > 1:
        rows = [_fates_row(results, number) for number in range(1, len(results.evaluations))]
    return PageTable(
        f"Of {found.scale.visual_neurons} neurons (threshold {found.scale.visual_threshold:g}, one epoch "
        "per digit; the paper states neither), those that stood for something before a digit: how many "
        "it left and how many it replaced; how often these had answered in the label assignment before "
        "(medians); and the cosine of preserved weights with themselves before.",
        ["digit", "preserved", "replaced", "answers, preserved", "answers, replaced", "cosine, median",
         "cosine, least"],
        rows,
    )  # fmt: skip


def _fates_row(results: Results, number: int) -> Row:
    evaluation, fate = results.evaluations[number], fates(results, number)
    answers = results.arrays["label_counts"][number - 1].sum(axis=1)
    before, after = (results.arrays["weights"][n][fate == 0] for n in (number - 1, number))
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = (before * after).sum(axis=1) / lengths
    return [
        str(evaluation["task"]),
        str(evaluation["neurons_preserved"]),
        str(evaluation["neurons_replaced"]),
        *(f"{median(a):g}" if len(a := answers[fate == which]) else NONE for which in (0, 1)),
        *((f"{median(cosines):.3f}", f"{min(cosines):.3f}") if len(cosines) else (NONE, NONE)),
    ]


def k_means_table(found: Findings) -> PageTable:
    """The nearest error as a threshold, beside the thresholds that were chosen."""
    rows = []
    for errors in found.k_means:
        best = found.table.best(errors.neurons)
        rows.append(
            [
                str(errors.neurons),
                str(len(errors.dots)),
                mean_sd(errors.dots, 4),
                plain(errors.potential),
                NONE if best is None else f"{best.threshold:g}",
                NONE if best is None else signed(best.threshold - errors.potential),
                str(errors.same_as_pair),
            ]
        )
    return PageTable(
        f"The nearest error of spherical k-means from random samples on, {found.scale.k_means_iterations} "
        "iterations (the paper: “simple k-means”, 100 trials), as dot product and as the mean potential "
        f"E[V] = {PAPER.tau_mem:g} × dot product; our best threshold beside it (below it, a neuron at that "
        "angle would fire on average). Last: trials in which the nearest error is also the nearest pair of "
        "any sample and any prototype of different classes, which is how the paper's text defines it.",
        ["prototypes", "trials", "nearest error", "potential", "our best threshold", "difference",
         "also the nearest pair"],
        rows,
    )  # fmt: skip


def stability_table(found: Findings) -> PageTable:
    """What both rules do to weights that start on their target."""
    data, rows = found.stability, []
    if data is not None:
        for rule, name in (("static", "static offset"), ("oja", "offset = weight")):
            ends = [(record["start"], record[rule]["settled"]) for record in data["plane"]]
            moved = [end for start, end in ends if abs(end - start) > 0.5]
            rows.append(
                [
                    name,
                    f"{max(abs(end - start) for start, end in ends):.1f}",
                    f"{len(moved)} of {len(ends)}",
                    str(sum(min(end, 90 - end) < 0.5 for end in moved)),
                    f"{100 * data['images'][rule]['left']['median'][-1]:.0f}",
                    f"{data['images'][rule]['astray']['median'][-1]:.1f}",
                ]
            )
    return PageTable(
        "After 5000 updates of weights that start on their target: two weights, and "
        f"{found.scale.stability_images} of scikit-learn's 8 × 8 images of digits (medians). A rule should "
        "leave them alone.",
        ["rule", "two weights: farthest from the target (degrees)", "starts that move", "to an axis",
         "images: weights left (%)", "degrees from the target"],
        rows,
    )  # fmt: skip
