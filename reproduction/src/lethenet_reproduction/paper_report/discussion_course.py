"""The same for what happens on the way, for single digits, for weights, thresholds and stability."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import numpy as np

from lethenet.lifelong.results import Results
from lethenet.model import PAPER
from lethenet.report.figures.weight_grid import fates

from ..paper.final import CLASSES, SizeResult
from .findings import Findings
from .words import ends, listed, of, pct, plain, span

BEST, WORST = ("0", "1", "6"), ("8", "9")
"""The digits at which the paper says that it does best and worst, in turn as well as interleaved."""

STEEP = 5.0
"""Points lost with one new digit that would be called a sharp drop."""


def on_the_course(found: Findings) -> list[str]:
    """Whether accuracy goes down gracefully."""
    courses = {s.point.neurons: s.course() for s in found.final if s.sequential}
    if not courses:
        return []
    drops = []
    for neurons, course in courses.items():
        steps = [before - after for before, after in pairwise(course)]
        worst = int(np.argmax(steps))
        drops.append((steps[worst], neurons, CLASSES[worst + 1]))
    drop, neurons, digit = max(drops)
    steep = sum(value > STEEP for value, _, _ in drops)
    first, last = min(courses), max(courses)
    return [
        f"From the first digit to the last the test accuracy goes from {ends(courses[first])} with "
        f"{first} neurons and from {ends(courses[last])} with {last}. The largest loss with a single "
        f"new digit is {plain(drop)} points ({neurons} neurons, when {digit} comes); "
        + (
            f"no size loses more than {STEEP:g} points at once, so there is no sharp drop, as in the "
            "paper."
            if not steep
            else f"{of(steep, len(drops))} sizes lose more than {STEEP:g} points with one digit."
        )
    ]


def on_the_digits(found: Findings) -> list[str]:
    """Which digits are best and worst at the largest size, in turn and interleaved."""
    size = found.largest
    if size is None or not size.sequential:
        return []
    paragraphs = []
    for order, name in (("sequential", "In turn"), ("interleaved", "Interleaved")):
        accuracy = size.at_the_end(order)
        if not accuracy:
            continue
        ranked = sorted(accuracy, key=lambda label: -accuracy[label])
        best, worst = ranked[: len(BEST)], ranked[-len(WORST) :]
        paragraphs.append(
            f"{name}, the best digits are {listed(best)} and the worst {listed(worst)} "
            f"({pct(accuracy[ranked[0]])} to {pct(accuracy[ranked[-1]])}); "
            f"{_shared(best, BEST)} of the paper's best ({listed(BEST)}) and {_shared(worst, WORST)} "
            f"of its worst ({listed(WORST)}) are among them."
        )
    turn, mixed = size.at_the_end("sequential"), size.at_the_end("interleaved")
    if mixed:
        lost = {label: mixed[label] - turn[label] for label in CLASSES}
        hardest = max(lost, key=lambda label: lost[label])
        losers = sum(value > 0 for value in lost.values())
        paragraphs.append(
            f"Learning in turn costs something at {of(losers, len(lost))} digits, most at {hardest} "
            f"({plain(lost[hardest])} points); the digit with the lowest accuracy in turn has "
            f"{pct(min(turn.values()))}."
        )
    return [" ".join(paragraphs)]


def _shared(found: list[str], wanted: tuple[str, ...]) -> str:
    return of(len(set(found) & set(wanted)), len(wanted))


def on_the_supplement(found: Findings) -> list[str]:
    """Each digit over time: who is forgotten, who draws in the others."""
    sentences = [_of_one_size(size) for size in found.final if size.sequential]
    if not sentences:
        return []
    return [
        "Between the test after a digit was learned and the last one, the digit that loses most is: "
        + "; ".join(sentences)
        + "."
    ]


def _of_one_size(size: SizeResult) -> str:
    losses = {}
    for label, line in size.per_class("class_accuracy", 100).items():
        known = [value for value in line if value is not None]
        if len(known) > 1:
            losses[label] = known[0] - known[-1]
    worst = max(losses, key=lambda label: losses[label])
    last = {
        label: line[-1] or 0.0
        for label, line in size.per_class("false_positives").items()
        if line[-1] is not None
    }
    draws = max(last, key=lambda label: last[label])
    return (
        f"with {size.point.neurons} neurons {worst} ({plain(losses[worst], 1)} points), while {draws} "
        f"has most false positives ({last[draws]:.0f})"
    )


def on_the_weights(found: Findings) -> list[str]:
    """What happens to the weights of the small network: who is replaced, who stays as it was."""
    results = found.visual
    if results is None or len(results.arrays.get("weights", ())) < 2:
        return []
    usage, likeness = _usage(results), _likeness(results)
    counts = listed(
        f"{e['neurons_preserved']} preserved and {e['neurons_replaced']} replaced with {e['task']}"
        for e in results.evaluations[1:]
    )
    text = (
        f"{found.scale.visual_neurons} neurons with threshold {found.scale.visual_threshold:g}, one "
        "epoch per digit; the paper states neither. Of the neurons that stood for something before a "
        f"digit came: {counts}."
    )
    if likeness:
        text += (
            f" Preserved weight vectors keep their direction: their cosine with themselves before is "
            f"{plain(median(likeness), 3)} in the median, {plain(min(likeness), 3)} at least."
        )
    if usage["preserved"] and usage["replaced"]:
        kept, gone = median(usage["preserved"]), median(usage["replaced"])
        text += (
            f" Those that were replaced had answered {gone:g} times in the label assignment before, "
            f"those that were preserved {kept:g} times (medians): "
            + (
                "outliers go first, as the paper says."
                if gone < kept
                else "here it is not the outliers that go first."
            )
        )
    return [text]


def _usage(results: Results) -> dict[str, list[float]]:
    """How often neurons had answered in the evaluation before they were preserved or replaced."""
    counts = results.arrays["label_counts"].sum(axis=2)
    found: dict[str, list[float]] = {"preserved": [], "replaced": []}
    for number in range(1, len(results.evaluations)):
        fate = fates(results, number)
        for place, name in enumerate(("preserved", "replaced")):
            found[name] += counts[number - 1][fate == place].astype(float).tolist()
    return found


def _likeness(results: Results) -> list[float]:
    """Cosine of each preserved neuron's weights with those of the evaluation before."""
    weights, found = results.arrays["weights"], []
    for number in range(1, len(results.evaluations)):
        kept = fates(results, number) == 0
        before, after = weights[number - 1][kept], weights[number][kept]
        lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        found += ((before * after).sum(axis=1) / lengths).tolist()
    return found


def on_k_means(found: Findings) -> list[str]:
    """The nearest error as a threshold, beside the thresholds that were chosen."""
    if not found.k_means:
        return []
    potentials = listed(f"{plain(e.potential)} ({e.neurons})" for e in found.k_means)
    rising = all(before.mean < after.mean for before, after in pairwise(found.k_means))
    gaps = []
    for errors in found.k_means:
        best = found.table.best(errors.neurons)
        if best is not None:
            gaps.append(best.threshold - errors.potential)
    counts = [len(errors.dots) for errors in found.k_means]
    same = sum(errors.same_as_pair for errors in found.k_means)
    text = (
        f"The mean potential E[V] = {PAPER.tau_mem:g} × dot product that belongs to the nearest error "
        f"is, by number of prototypes, {potentials} (means of {span(counts)} trials; the paper has "
        "100). The networks are spherical k-means, prototypes and samples of length one, from random "
        f"samples on, with {found.scale.k_means_iterations} iterations; the paper says no more than "
        "“simple k-means”. The potential "
        + (
            "rises with the size: smaller clusters allow for stricter neurons."
            if rising
            else "does not rise everywhere with the size."
        )
    )
    if gaps:
        text += (
            f" Our best thresholds lie {plain(min(gaps))} to {plain(max(gaps))} from it (negative: "
            "below, where a neuron at that angle would fire on average)."
        )
    text += (
        f" In {of(same, sum(counts))} trials the nearest error is also the nearest pair of any sample "
        "and any prototype of different classes, which is how the paper's text defines it."
    )
    return [text]


def on_stability(found: Findings) -> list[str]:
    """What both rules do to a vector that is its own target."""
    data = found.stability
    if data is None:
        return []
    shift = {
        rule: max(abs(record[rule]["settled"] - record["start"]) for record in data["plane"])
        for rule in ("static", "oja")
    }
    moved = [r for r in data["plane"] if abs(r["static"]["settled"] - r["start"]) > 0.5]
    on_axes = sum(min(r["static"]["settled"], 90 - r["static"]["settled"]) < 0.5 for r in moved)
    as_said = ", as the paper says" if moved and on_axes == len(moved) else ""
    images = data["images"]
    left = {rule: images[rule]["left"]["median"][-1] for rule in ("static", "oja")}
    return [
        "A vector that already points at its target should stay. With a static offset, weight "
        f"vectors in the plane end up to {plain(shift['static'], 1)}° from where they should be, and "
        f"{of(on_axes, len(moved))} that move end on an axis{as_said}; with the offset tied to the "
        f"weight they move by {plain(shift['oja'], 1)}° at most. Of the weights of {images['images']} "
        f"of scikit-learn's 8 × 8 images of digits, {left['static']:.0%} are left above zero with the "
        f"static offset after {images['updates'][-1]} updates, and {left['oja']:.0%} with the other "
        "(medians)."
    ]
