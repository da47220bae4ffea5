"""The figures of the reproduction under the names that the paper gives them, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..figures.theory import stdp_stability
from .figures_course import acc_deg_test, acc_per_digit, fals_pos_per_digit
from .figures_end import final_total_comparison, per_digit_final
from .figures_kmeans import kmeans
from .figures_table import table_1
from .figures_visual import visual
from .findings import Findings
from .precision import precision
from .words import listed, pct, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Entry(NamedTuple):
    """One figure: what it is called, how it is drawn, and when it can be."""

    name: str
    title: str
    stage: str
    draw: Callable[[Findings], Figure]
    there: Callable[[Findings], bool]
    caption: str
    alt: Callable[[Findings], str]
    raster: bool = False
    """Whether it consists of pixels, so that a page takes it as PNG."""


def _has_courses(found: Findings) -> bool:
    return any(size.sequential for size in found.final)


def _stability(found: Findings) -> Figure:
    if found.stability is None:
        raise ValueError("the STDP rules have not been compared yet.")
    return stdp_stability(found.stability)


def _table_alt(found: Findings) -> str:
    return (
        f"Line charts of training accuracy over epochs, a panel for each of {len(found.scale.sizes)} "
        "sizes; the values are those of the table."
    )


def _final_alt(found: Findings) -> str:
    parts = [
        f"{size.point.neurons} neurons {pct(_mean(size.online))} in turn, {pct(_mean(size.offline))} "
        "interleaved"
        for size in found.final
    ]
    return f"Line chart of final test accuracy over size: {'; '.join(parts)}."


def _course_alt(found: Findings) -> str:
    parts = [
        f"{size.point.neurons} neurons {', '.join(plain(value, 1) for value in size.course())}"
        for size in found.final
        if size.sequential
    ]
    return f"Line chart of test accuracy in percent after each digit: {'; '.join(parts)}."


def _digits_alt(found: Findings) -> str:
    values = found.largest.at_the_end("sequential") if found.largest is not None else {}
    return f"Dot chart of accuracy per digit: {listed(f'{k} {pct(v)}' for k, v in values.items())}."


def _kmeans_alt(found: Findings) -> str:
    parts = listed(f"{plain(e.mean, 3)} with {e.neurons}" for e in found.k_means)
    return f"Line chart of the nearest error's dot product over the number of prototypes: {parts}."


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "table_1",
        "Table 1 as a picture",
        "table1",
        table_1,
        lambda found: bool(found.table.there),
        "Training accuracy after all ten digits in turn, ours (solid, filled marks) and the paper's "
        "(dashed, open marks), over the number of epochs for each threshold. Circles: the best cell of "
        "the size, large ours, small the paper's. The scale differs from panel to panel.",
        _table_alt,
    ),
    Entry(
        "final_total_comparison",
        "Fig. final_total_comparison: final accuracy of each size",
        "final",
        final_total_comparison,
        lambda found: bool(found.final),
        "Test accuracy of the best cell of each size (chosen by training accuracy) after all digits, "
        "in turn and interleaved, and the difference of the two. Bars: standard deviation where there "
        "are several seeds. The paper prints the test accuracy of its largest network only.",
        _final_alt,
    ),
    Entry(
        "acc_deg_test",
        "Fig. acc_deg_test: graceful degradation",
        "final",
        acc_deg_test,
        _has_courses,
        "Test accuracy on all digits met so far, after each digit. A gentle slope means that room is "
        "made for new digits at a small price; a cliff would be catastrophic forgetting.",
        _course_alt,
    ),
    Entry(
        "per_digit_final",
        "Fig. per_digit_final: each digit at the end, largest size",
        "final",
        per_digit_final,
        lambda found: found.largest is not None,
        "Final test accuracy of each digit; grey lines join the network that met the digits in turn "
        "and the one that met them interleaved.",
        _digits_alt,
    ),
    Entry(
        "100_visual",
        "Fig. 100_visual: weights of a small network after digits 0 to 3",
        "visual",
        visual,
        lambda found: found.visual is not None,
        "The weight vectors of all neurons after each digit, each neuron at the same place. Outlines "
        "are the paper's: generalised representations in dashed green, outliers in dotted orange, "
        "those preserved from earlier digits in solid blue. The paper marks examples; here all "
        "neurons are judged, by how often they answer.",
        lambda found: (
            "Grids of weight vectors after each of four digits; outlines as in the caption."
        ),
        raster=True,
    ),
    Entry(
        "acc_per_digit",
        "Supplement, fig. acc_per_digit: each digit over time",
        "final",
        acc_per_digit,
        _has_courses,
        "Test accuracy of each digit, from the test after it was learned to the end, for each size.",
        lambda found: "Line charts of accuracy per digit over time, a panel per size.",
    ),
    Entry(
        "fals_pos_per_digit",
        "Supplement, fig. fals_pos_per_digit: false positives over time",
        "final",
        fals_pos_per_digit,
        _has_courses,
        "Test samples of other digits that are taken for each digit, after each new one, for each size.",
        lambda found: "Line charts of false positives per digit over time, a panel per size.",
    ),
    Entry(
        "precision",
        "Many epochs in small layers: dopaminergic weights in single precision",
        "precision",
        precision,
        lambda found: bool(found.precision),
        "Training accuracy over epochs, mean over the thresholds: the paper's, ours, and ours with "
        "dopaminergic weights that become zero where single precision has no smaller number. (Not a figure "
        "of the paper.)",
        lambda found: (
            "Line charts over epochs, a panel per size; the values are those of the table."
        ),
    ),
    Entry(
        "kmeans",
        "Fig. kmeans: thresholds and the nearest error of k-means",
        "kmeans",
        kmeans,
        lambda found: bool(found.k_means),
        "The largest dot product of a training sample with its nearest prototype of a wrong class, in "
        "k-means networks of the same sizes, and on the right the mean potential that it means for a "
        "spiking neuron. Marks: the thresholds of the best cells, on the same scale.",
        _kmeans_alt,
    ),
    Entry(
        "oja",
        "Fig. oja: stability of the STDP rule",
        "oja",
        _stability,
        lambda found: found.stability is not None,
        "What a static offset and an offset tied to the weight do to weight vectors that already are "
        "where they should be.",
        lambda found: "Arrows and curves of weight changes under two STDP rules.",
    ),
)
"""All figures in the order in which the report shows them."""
