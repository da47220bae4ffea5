"""Where we agree with the paper and where not: sentences computed from the results, table by table."""

from __future__ import annotations

from statistics import mean, median

from lethenet.model import PAPER

from .. import published
from ..paper import agreement, fit
from ..paper.final import mean_penalty
from .findings import Findings
from .words import cell, listed, of, pct, place, plain, sentence, share, signed

ALLOWED = 0.5
"""Points by which the best cell of a size may stay below the paper's to count as reached."""


def on_the_fit(found: Findings) -> list[str]:
    """Which pair of the open constants comes closest to Table 1."""
    best, complete = fit.winner(found.fit), [pair for pair in found.fit if pair.complete]
    about = (
        "Two constants decide whom the dopaminergic push reaches, and the paper states neither: whether "
        "what is left of the potentials counts (push = leftover) or the push outweighs it (usage), and "
        "how much a forced spike itself depresses the neuron's dopaminergic weight, as a share of an "
        f"ordinary spike (forced_depression). {len(found.fit)} pairs were tried on up to "
        f"{len(found.scale.fit_points)} cells of Table 1, with one seed; the smallest sum of squared "
        "differences to the paper's training accuracies wins. The sum only grows with each cell, so a pair "
        "is given up as soon as its sum over the cells measured is above another pair's over all of them."
    )
    if best is None:
        return [about, "No pair has all its cells yet, so there is no winner."]
    text = (
        f"Closest: push = {best.push} with forced_depression = {best.forced_depression:g}, whose cells "
        f"are typically {plain(best.typical or 0.0)} points from the paper's (root of the mean square)."
    )
    if len(complete) > 1:
        second = sorted(complete, key=lambda pair: pair.squares)[1]
        more = second.squares / best.squares - 1 if best.squares else 0.0
        text += (
            f" Next of the {len(complete)} pairs measured in full: {second.push} with "
            f"{second.forced_depression:g}, whose sum of squares is {share(more)} larger."
        )
    near = fit.close_to(best, found.fit)
    if near:
        names = listed(f"{pair.push} with {pair.forced_depression:g}" for pair in near)
        text += f" One seed decides, so pairs as close as {names} are not refuted."
    running = fit.undecided(found.fit)
    given_up = len(found.fit) - len(complete) - len(running)
    if given_up:
        text += f" {given_up} pairs were given up: they cannot win any more."
    if running:
        text += f" {len(running)} pairs lack cells and may still win."
    preset = f"push = {PAPER.push} and forced_depression = {PAPER.forced_depression:g}"
    text += (
        f" The preset paper, with which everything below is made, has this pair: {preset}."
        if best.is_the_presets
        else f" The preset paper, with which everything below is made, has another one: {preset}."
    )
    return [about, text]


def on_what_else_is_open(found: Findings) -> list[str]:
    """The other choices behind every number, and which way they lean."""
    p = PAPER
    return [
        "These two are not all that the paper leaves open. It does not state the raised learning "
        f"rate of an imprint (here {p.imprint_rate:g}: one shot), when the dopaminergic clock starts "
        "again (here: at every output spike), how fast dopaminergic weights fall (here η = "
        f"{p.depression:g}), how strong the inhibition is (here: it resets all potentials), or "
        "whether traces are carried from sample to sample (here: not). And it shows a sample until "
        "there are five output spikes, while here an imprint ends the presentation. Where a trial "
        "told them apart, each of these was settled by what gave the higher accuracy, not by what is "
        "closest to Table 1; docs/interpretation.md has all of them, and what others cost. So cells "
        "somewhat above the paper's are what to expect."
    ]


def on_table_1(found: Findings) -> list[str]:
    """How close the cells are, and whether the trends agree."""
    table = found.table
    close = agreement.closeness(table.entries)
    if close is None:
        return ["No cell has been measured yet."]
    first = (
        f"{sentence(of(len(table.there), len(table.entries)))} cells are measured. Of these, "
        f"{close.within_half} are within half a point of the paper's training accuracy, "
        f"{close.within_one} within 1 point and {close.within_two} within 2 points; "
        f"{close.above} are above it. The mean difference is {signed(close.mean)} points, the typical "
        f"one (root of the mean square) {plain(close.typical)}. Farthest below: "
        f"{cell(close.lowest.point)} ({signed(close.lowest.difference)}); farthest above: "
        f"{cell(close.highest.point)} ({signed(close.highest.difference)})."
    )
    return [
        first,
        *_fitted(found),
        *_spread(found),
        *_where(found),
        *_trends(found),
        *_large_layers(found),
    ]


def _fitted(found: Findings) -> list[str]:
    """Cells that the open constants were fitted to are closer than they deserve."""
    fitted = set(found.scale.fit_points)
    kinds = {
        "that the two open constants were fitted to": [
            entry for entry in found.table.entries if entry.point in fitted
        ],
        "that they were not": [e for e in found.table.entries if e.point not in fitted],
    }
    parts = [
        f"of the {close.cells} {name}, {close.within_one} are within 1 point (typical difference "
        f"{plain(close.typical)}, mean {signed(close.mean)})"
        for name, entries in kinds.items()
        if (close := agreement.closeness(entries)) is not None
    ]
    return [f"{sentence('; '.join(parts))}."] if len(parts) == 2 else []


def _spread(found: Findings) -> list[str]:
    deviations = [e.deviation for e in found.table.entries if e.deviation is not None]
    if not deviations:
        return []
    seeds = max(len(entry.train) for entry in found.table.entries)
    return [
        f"Where a cell was run with {seeds} seeds, the standard deviation over them is "
        f"{plain(median(deviations))} points in the median and {plain(max(deviations))} at most: smaller "
        "differences to the paper, which prints one number per cell, mean nothing."
    ]


def _where(found: Findings) -> list[str]:
    """On which side of each axis the differences lie, and how much is overwritten there."""
    parts = []
    for axis, name in (("neurons", "size"), ("threshold", "threshold"), ("epochs", "epochs")):
        levels = agreement.levels(found.table, axis)
        means = listed(f"{level.value:g}: {signed(level.difference)}" for level in levels)
        parts.append(f"by {name} {means}")
    first = f"Mean difference in points, {'; '.join(parts)}."
    sides = []
    for axis in ("threshold", "epochs"):
        levels = agreement.levels(found.table, axis)
        low, high = levels[0], levels[-1]
        if len(levels) > 1:
            side = (
                f"from {_level(axis, low.value)} to {_level(axis, high.value)} they go from "
                f"{low.overwritten:.2f} to {high.overwritten:.2f} per sample"
            )
            if max(low.unused, high.unused) >= 0.005:
                unused = f"{share(low.unused)} to {share(high.unused)}"
                side += f", and the neurons that never fired from {unused}"
            sides.append(side)
    if not sides:
        return [first]
    return [
        first,
        "Every dopaminergic spike overwrites a neuron, so their number tells how much of what was learned "
        f"is given up: {'; '.join(sides)} (means over the cells that are there).",
    ]


def _level(axis: str, value: float) -> str:
    """A value of an axis in words."""
    if axis == "threshold":
        return f"threshold {value:g}"
    return f"{value:g} epoch{'' if value == 1 else 's'}"


def _trends(found: Findings) -> list[str]:
    table, scale, parts = found.table, found.scale, []
    along = agreement.over_thresholds(table)
    if along is not None:
        parts.append(
            f"From threshold {scale.thresholds[0]:g} to {scale.thresholds[-1]:g} the accuracy rises in "
            f"{along.ours_up} of {along.lines} columns with us and in {along.paper_up} in the paper "
            f"(mean change {signed(along.ours_mean)} and {signed(along.paper_mean)} points); both go "
            f"the same way in {along.same}."
        )
    along = agreement.over_epochs(table)
    if along is not None:
        parts.append(
            f"From {scale.epochs[0]} to {scale.epochs[-1]} epochs it rises in {along.ours_up} of "
            f"{along.lines} rows with us and in {along.paper_up} in the paper (mean change "
            f"{signed(along.ours_mean)} and {signed(along.paper_mean)} points); both go the same way in "
            f"{of(along.same, along.lines)}."
        )
    small = agreement.over_epochs(table, scale.sizes[:1])
    large = agreement.over_epochs(table, scale.sizes[-1:])
    if small is not None and large is not None:
        parts.append(
            "The paper's point that more epochs hurt small layers and help large ones: at "
            f"{scale.sizes[0]} neurons they change our accuracy by {signed(small.ours_mean)} points (the "
            f"paper's by {signed(small.paper_mean)}), at {scale.sizes[-1]} by {signed(large.ours_mean)} "
            f"({signed(large.paper_mean)})."
        )
    return [" ".join(parts)] if parts else []


def _large_layers(found: Findings) -> list[str]:
    """What more epochs bring to all sizes but the smallest, threshold by threshold."""
    scale, parts, agree = found.scale, [], 0
    for threshold in scale.thresholds:
        along = agreement.over_epochs(found.table, scale.sizes[1:], (threshold,))
        if along is not None:
            agree += (along.ours_mean > 0) == (along.paper_mean > 0)
            ours, paper = signed(along.ours_mean), signed(along.paper_mean)
            parts.append(f"{threshold:g}: {ours} with us, {paper} in the paper")
    if len(parts) < len(scale.thresholds):
        return []
    return [
        f"What {scale.epochs[-1]} epochs instead of {scale.epochs[0]} bring to the larger layers "
        f"depends on the threshold (mean change from {scale.sizes[1]} neurons on, in points): "
        f"{'; '.join(parts)}; the sign is the same at {of(agree, len(parts))} thresholds. To "
        "stricter neurons more samples are novel (see the dopaminergic spikes above), which may be why "
        "one epoch leaves them more to settle."
    ]


def on_the_best_cells(found: Findings) -> list[str]:
    """Whether the best cell of each size reaches the paper's best."""
    best = agreement.best_of_sizes(found.table)
    if not best:
        return []
    reached = [size for size in best if size.difference >= -ALLOWED]
    short = [size for size in best if size.difference < -ALLOWED]
    text = (
        f"In {of(len(reached), len(best))} sizes our best cell reaches the paper's best training "
        f"accuracy of that size or stays at most {ALLOWED:g} points below it"
    )
    if short:
        names = listed(f"{s.neurons} ({signed(s.difference)})" for s in short)
        tried = len(found.scale.thresholds) * len(found.scale.epochs)
        best_pair = fit.winner(found.fit)
        fitted = best_pair is not None and best_pair.is_the_presets
        text += (
            f"; not at {names}. The search is the paper's own, {tried} cells of each size, with the "
            + ("constants that came out of the fit above" if fitted else "constants of the preset")
        )
    text += "."
    unfinished = [str(size.neurons) for size in best if not size.complete]
    if unfinished:
        text += f" Cells are still missing at {listed(unfinished)} neurons, and one may be better."
    thresholds = listed(f"{size.ours.point.threshold:g}" for size in best)
    theirs = listed(f"{size.paper.point.threshold:g}" for size in best)
    epochs = listed(str(size.ours.point.epochs) for size in best)
    their_epochs = listed(str(size.paper.point.epochs) for size in best)
    return [
        text,
        f"From the smallest size to the largest the best threshold is {thresholds} with us and "
        f"{theirs} in the paper; the best number of epochs is {epochs} with us and {their_epochs} in "
        "the paper.",
    ]


def on_the_end(found: Findings) -> list[str]:
    """Final test accuracy and the penalty of learning in turn."""
    penalty = mean_penalty(found.final)
    paragraphs = []
    if penalty is not None:
        with_both = [size for size in found.final if size.penalty is not None]
        ahead = [size for size in with_both if (size.penalty or 0.0) <= 0]
        does = "costs" if penalty >= 0 else "gains"
        text = (
            f"Learning the digits in turn {does} {abs(penalty):.2f} points on average over "
            f"{of(len(with_both), len(found.scale.sizes))} sizes; in the paper it costs "
            f"{published.MEAN_PENALTY}."
        )
        if ahead:
            names = listed(size.point.neurons for size in ahead)
            text += f" At {names} neurons learning in turn is no worse than interleaved."
        paragraphs.append(text)
    largest = found.largest
    if largest is not None and largest.online:
        ours = sum(largest.online) / len(largest.online)
        difference = ours - published.TEST_ACCURACY_6400
        paragraphs.append(
            f"With {largest.point.neurons} neurons the best cell ({place(largest.point)}, chosen by "
            f"training accuracy) reaches {pct(ours)} of the test samples after all ten digits in turn, "
            f"against the paper's {pct(published.TEST_ACCURACY_6400)}: {signed(difference)} points. "
            "(The paper's versions differ: 95.24\u00a0% in the journal's abstract, 93.88\u00a0% in the "
            "first preprint.)"
        )
        paragraphs += _at_the_papers_cell(found, largest.point.neurons, ours)
    other = [
        size.point.neurons
        for size in found.final
        if size.sequential and not _same_networks(found, size.point.neurons)
    ]
    if other:
        paragraphs.append(f"The networks at {listed(other)} neurons are not those of Table 1.")
    return paragraphs


def _at_the_papers_cell(found: Findings, neurons: int, ours: float) -> list[str]:
    """The test accuracy where the paper has its best cell, and what choosing by training costs."""
    table = found.table
    mine, theirs = table.best(neurons), table[table.paper_best(neurons)]
    if mine is None or mine == theirs.point or not theirs.test or theirs.ours is None:
        return []
    test, train = mean(theirs.test), theirs.ours
    best = table[mine].ours or 0.0
    gap = theirs.paper - published.TEST_ACCURACY_6400
    text = (
        f"At the cell that the paper highlights ({place(theirs.point)}) ours has {pct(train)} in "
        f"training and {pct(test)} in the test, {signed(test - published.TEST_ACCURACY_6400)} points "
        f"from the paper's test accuracy. From training to test, ours loses {plain(best - ours)} "
        f"points at our best cell and {plain(train - test)} at the paper's; the paper loses "
        f"{plain(gap)}."
    )
    if test > ours:
        text += (
            " Chosen by training accuracy, as in the paper, our best cell is thus not the one that is "
            "best in the test."
        )
    return [text]


def _same_networks(found: Findings, neurons: int) -> bool:
    """Testing after each task changes nothing: training accuracies must be those of Table 1."""
    size = next(s for s in found.final if s.point.neurons == neurons)
    ours = sorted(100 * record["results"]["train_accuracy"] for record in size.sequential)
    return set(ours) <= set(found.table[size.point].train)
