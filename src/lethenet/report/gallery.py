"""Which figures there are, and what is said about each: what to look for, and an alt text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..lifelong.results import Results
from . import figures
from .figures.weight_grid import FATES, shown_evaluations, shown_neurons
from .wording import joined, percent, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Entry(NamedTuple):
    """One figure: how to draw it and how to speak of it."""

    name: str
    title: str
    draw: Callable[[Results], Figure]
    caption: Callable[[Results], str]
    alt: Callable[[Results], str]
    array: str | None = None
    """The array without which it cannot be drawn, if it needs one."""
    raster: bool = False
    """Whether it consists of pixels, so that a page takes it as PNG."""

    def missing(self, results: Results) -> str | None:
        """Why it cannot be drawn, or None if it can."""
        if self.array == "dopamine_windows":
            rates = results.arrays.get(self.array)
            return None if rates is not None and rates.size else "no window of samples is complete"
        if not results.evaluations:
            return "no task has been finished yet"
        if self.array is not None and not len(results.arrays.get(self.array, ())):
            return f"the run kept no {self.array.replace('_', ' ')}"
        return None


def _over_tasks_caption(results: Results) -> str:
    first, last = results.evaluations[0], results.last
    if len(results.evaluations) == 1:
        return (
            "Share of right answers after the only evaluation so far; there is no course to follow. "
            f"Test accuracy {percent(last['test_accuracy'])}."
        )
    text = (
        "Share of right answers on the samples of all classes met up to then. Look for the shape: a "
        "gentle slope means the layer makes room for new tasks at a small price; a cliff would be "
        f"catastrophic forgetting. Here the test accuracy goes from {percent(first['test_accuracy'])} "
        f"after the first task to {percent(last['test_accuracy'])} after the last one measured. "
        "The slope has two causes: old tasks fade, and telling more classes apart is harder."
    )
    if results.twin is not None and results.twin.evaluations:
        text += (
            " The horizontal line is the twin, the same network that met all classes mixed: "
            "the distance to it at the right end is the price of learning in sequence."
        )
    return text


def _over_tasks_alt(results: Results) -> str:
    values = joined(f"{percent(e['test_accuracy'])} after {e['task']}" for e in results.evaluations)
    return f"Line chart of accuracy on all tasks seen so far. Test accuracy: {values}."


def _per_class_caption(results: Results) -> str:
    per_class = results.last["class_accuracy"]
    best, worst = (
        max(per_class, key=per_class.__getitem__),
        min(per_class, key=per_class.__getitem__),
    )
    text = (
        f"Test accuracy of each class at the end; best {best} ({percent(per_class[best])}), worst "
        f"{worst} ({percent(per_class[worst])}). Look for a class that fails while the others do well: "
        "that one has been overwritten, or is taken for a newer class."
    )
    if results.twin is not None:
        text += (
            " Grey lines join this run and its twin. In the paper the loss is spread over the digits, "
            "and both are best and worst at the same ones."
        )
    return text


def _per_class_alt(results: Results) -> str:
    values = joined(f"{c}: {percent(v)}" for c, v in results.last["class_accuracy"].items())
    return f"Dot chart of final test accuracy per class. {values}."


def _weights_caption(results: Results) -> str:
    n_neurons = results.config["neurons"]
    shown = len(shown_neurons(n_neurons))
    part = "all neurons" if shown == n_neurons else f"{shown} of {n_neurons} neurons, evenly spaced"
    only_last = len(shown_evaluations(results)) == 1 and len(results.evaluations) > 1
    text = (
        f"What the neurons stand for ({part}, each at the same place in every panel): dark is a strong "
        f"weight. {' '.join(f'{f.name.capitalize()}: {f.meaning}.' for f in FATES)} "
        "All since the evaluation before. Neurons without an outline have never been used. "
        "Look for what is replaced first: blurred or odd shapes (outliers) should go before clean ones, "
        "and preserved neurons should keep their shape."
    )
    if only_last:
        text += " A run of this size keeps the weights of the last evaluation only."
    return text


def _weights_alt(results: Results) -> str:
    counts = joined(
        f"after {e['task']}: " + ", ".join(f"{e[f'neurons_{f.name}']} {f.name}" for f in FATES)
        for e in results.evaluations
    )
    return f"Grids of weight vectors with the fate of each neuron outlined. Counts {counts}."


def _dopamine_caption(results: Results) -> str:
    return (
        "The dopaminergic neuron fires when a sample is not recognised in time, and one neuron is then "
        f"imprinted with it. Each step is the mean over {results.window:,} samples. Look for the jump "
        "at each task change, which nobody announced to the network, and for the fall after it, as "
        "the new becomes familiar. A level that stays high means that the layer is too small or its "
        "threshold too high: it keeps overwriting what it has just learned."
    )


def _neurons_alt(results: Results) -> str:
    values = joined(
        f"{label} {plural(count, 'neuron')}"
        for label, count in results.last["neurons_per_class"].items()
    )
    return (
        f"Stacked bars of neurons per class after each task. At the end: {values}, "
        f"{results.last['neurons_unlabelled']} without a label."
    )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "accuracy_over_tasks",
        "Accuracy as tasks are added",
        figures.accuracy_over_tasks,
        _over_tasks_caption,
        _over_tasks_alt,
    ),
    Entry(
        "accuracy_per_class",
        "Each class at the end",
        figures.accuracy_per_class,
        _per_class_caption,
        _per_class_alt,
    ),
    Entry(
        "accuracy_per_task",
        "Each task over time",
        figures.accuracy_per_task,
        lambda results: (
            "Test accuracy on each task, from the evaluation after it was learned. Look at how lines "
            "run to the right of their start: level means remembered, falling means forgotten or "
            "confused with newer classes. Compare with the false positives to tell the two apart."
        ),
        lambda results: (
            f"Line chart with one line per task for {plural(len(results.evaluations), 'evaluation')}; "
            "the values are those of the accuracy matrix."
        ),
    ),
    Entry(
        "false_positives",
        "False positives over time",
        figures.false_positives,
        lambda results: (
            "Test samples of other classes that were taken for this one. Look for a class that rises "
            "right after it was learned: it draws in samples of older classes that resemble it."
        ),
        lambda results: (
            "Line chart of false positives per class. At the end: "
            + joined(f"{c}: {v}" for c, v in results.last["false_positives"].items())
            + "."
        ),
    ),
    Entry(
        "accuracy_matrix",
        "Accuracy matrix R",
        figures.accuracy_matrix,
        lambda results: (
            "R[i, j], the test accuracy on task j (column) after task i (row); hatched: not met yet. "
            "Read down a column to follow one task: the diagonal is how well it was learned, the bottom "
            "row what is left at the end. ACC, BWT and forgetting are computed from these values."
        ),
        lambda results: (
            f"Heat map of {len(results.evaluations)} by {len(results.task_names)} accuracies. Last row: "
            + joined(
                f"{name} {'not met' if value is None else percent(value)}"
                for name, value in zip(
                    results.task_names, results.last["task_accuracy"], strict=True
                )
            )
            + "."
        ),
    ),
    Entry(
        "confusion_matrix",
        "Confusion matrix",
        figures.confusion_matrix,
        lambda results: (
            f"What each test sample was taken for at the end ({results.votes}). Numbers are samples; the "
            "shade is the share of the true class on a square-root scale, which makes small confusions "
            "visible. Look for dark cells off the diagonal: pairs of classes that share neurons."
        ),
        lambda results: (
            f"Heat map of the confusion matrix of {len(results.classes_seen)} classes with counts."
        ),
        "confusion",
    ),
    Entry(
        "weights",
        "Weight vectors after each task",
        figures.weight_grid,
        _weights_caption,
        _weights_alt,
        "weights",
        raster=True,
    ),
    Entry(
        "dopaminergic_activity",
        "Dopaminergic activity",
        figures.dopaminergic_activity,
        _dopamine_caption,
        lambda results: (
            f"Step chart of dopaminergic spikes per sample, {len(results.arrays['dopamine_windows'])} "
            f"windows, from {results.arrays['dopamine_windows'].min():.2f} to "
            f"{results.arrays['dopamine_windows'].max():.2f}."
        ),
        "dopamine_windows",
    ),
    Entry(
        "neurons_per_class",
        "Who owns the neurons",
        figures.neurons_per_class,
        lambda results: (
            "A neuron belongs to the class it answered to most when labels were assigned. Look at how "
            "older classes shrink to make room: evenly is what controlled forgetting aims at. Neurons "
            "with no label answered to no training sample."
        ),
        _neurons_alt,
    ),
)
"""All figures of a run, in the order in which a reader wants them."""
