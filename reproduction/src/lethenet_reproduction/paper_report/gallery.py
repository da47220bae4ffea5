"""The figures of the reproduction under the names that the paper gives them, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..figures.stability import stdp_stability
from .figures_course import acc_deg_test, acc_per_digit, fals_pos_per_digit
from .figures_end import final_total_comparison, per_digit_final
from .figures_kmeans import kmeans
from .figures_precision import precision
from .figures_table import table_1
from .figures_visual import visual
from .findings import Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PaperFigure(NamedTuple):
    """One figure: what it is called, how it is drawn, and when it can be."""

    name: str
    title: str
    stage: str
    draw: Callable[[Findings], Figure]
    there: Callable[[Findings], bool]
    caption: str
    alt: str
    medium: bool = False
    """Whether it is one panel, which need not fill the page."""


def _has_courses(found: Findings) -> bool:
    return any(size.sequential for size in found.final)


def _stability(found: Findings) -> Figure:
    if found.stability is None:
        raise ValueError("the STDP rules have not been compared yet.")
    return stdp_stability(found.stability)


FIGURES: tuple[PaperFigure, ...] = (
    PaperFigure(
        "table_1",
        "Table 1 as a picture",
        "table1",
        table_1,
        lambda found: bool(found.table.there),
        "Training accuracy after all ten digits in turn, ours (solid, filled marks) and the paper's "
        "(dashed, open marks), over the number of epochs for each threshold. Circles: the best cell of "
        "the size, large ours, small the paper's. The scale differs from panel to panel.",
        "Line charts of training accuracy over epochs, a panel for each size; the table has the values.",
    ),
    PaperFigure(
        "final_total_comparison",
        "Fig. final_total_comparison: final accuracy of each size",
        "final",
        final_total_comparison,
        lambda found: bool(found.final),
        "Test accuracy of the best cell of each size (chosen by training accuracy) after all digits, "
        "in turn and interleaved, and the difference of the two. Bars: standard deviation where there "
        "are several seeds. The paper prints the test accuracy of its largest network only.",
        "Line chart of final test accuracy over size, and bars of the penalty; the table has the values.",
    ),
    PaperFigure(
        "acc_deg_test",
        "Fig. acc_deg_test: graceful degradation",
        "final",
        acc_deg_test,
        _has_courses,
        "Test accuracy on all digits met so far, after each digit. A gentle slope means that room is "
        "made for new digits at a small price; a cliff would be catastrophic forgetting.",
        "Line chart of test accuracy after each digit, a line per size; the table has the values.",
        medium=True,
    ),
    PaperFigure(
        "per_digit_final",
        "Fig. per_digit_final: each digit at the end, largest size",
        "final",
        per_digit_final,
        lambda found: found.largest is not None,
        "Final test accuracy of each digit; grey lines join the network that met the digits in turn "
        "and the one that met them interleaved.",
        "Dot chart of accuracy per digit; the table has the values.",
        medium=True,
    ),
    PaperFigure(
        "100_visual",
        "Fig. 100_visual: weights of a small network after digits 0 to 3",
        "visual",
        visual,
        lambda found: found.visual is not None,
        "The weight vectors of all neurons after each digit, each neuron at the same place. Outlines "
        "are the paper's: generalised representations in dashed green, outliers in dotted orange, "
        "those preserved from earlier digits in solid blue. The paper marks examples; here all "
        "neurons are judged, by how often they answer.",
        "Grids of weight vectors after each of four digits; outlines as in the caption.",
    ),
    PaperFigure(
        "acc_per_digit",
        "Supplement, fig. acc_per_digit: each digit over time",
        "final",
        acc_per_digit,
        _has_courses,
        "Test accuracy of each digit, from the test after it was learned to the end, for each size.",
        "Line charts of accuracy per digit over time, a panel per size.",
    ),
    PaperFigure(
        "fals_pos_per_digit",
        "Supplement, fig. fals_pos_per_digit: false positives over time",
        "final",
        fals_pos_per_digit,
        _has_courses,
        "Test samples of other digits that are taken for each digit, after each new one, for each size.",
        "Line charts of false positives per digit over time, a panel per size.",
    ),
    PaperFigure(
        "precision",
        "Many epochs in small layers: dopaminergic weights in single precision",
        "precision",
        precision,
        lambda found: bool(found.precision),
        "Training accuracy over epochs, mean over the thresholds: the paper's, ours, and ours with "
        "dopaminergic weights that become zero where single precision has no smaller number. (Not a figure "
        "of the paper.)",
        "Line charts over epochs, a panel per size; the values are those of the table.",
    ),
    PaperFigure(
        "kmeans",
        "Fig. kmeans: thresholds and the nearest error of k-means",
        "kmeans",
        kmeans,
        lambda found: bool(found.k_means),
        "The largest dot product of a training sample with its nearest prototype of a wrong class, in "
        "k-means networks of the same sizes, and on the right the mean potential that it means for a "
        "spiking neuron. Marks: the thresholds of the best cells, on the same scale.",
        "Line chart of the nearest error's dot product over the prototypes; the table has the values.",
        medium=True,
    ),
    PaperFigure(
        "oja",
        "Fig. oja: stability of the STDP rule",
        "oja",
        _stability,
        lambda found: found.stability is not None,
        "What a static offset and an offset tied to the weight do to weight vectors that already are "
        "where they should be.",
        "Arrows and curves of weight changes under two STDP rules.",
    ),
)
"""All figures in the order in which the report shows them."""
