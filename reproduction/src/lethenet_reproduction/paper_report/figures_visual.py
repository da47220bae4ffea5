"""Figure 100_visual: the weights of a small network digit by digit, outlined as the paper outlines them.

The paper outlines examples by eye: generalised representations in dashed green, outliers in dotted orange,
those preserved from earlier digits in solid blue. Here all neurons are judged, by what they answer to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lethenet.lifelong.results import Results
from lethenet.report.figures.weight_grid import DASHED, DOTTED, Marking, Outline, fates, weight_grid
from lethenet.report.style import BLUE, GREEN, ORANGE

from .findings import Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRESERVED, GENERALISED, OUTLIER = range(3)

RARE = 0.25
"""Below this share of the mean number of answers, a neuron of the last digit is called an outlier."""

OUTLINES = (
    Outline("preserved", "stands for an earlier digit, and was not imprinted", BLUE, "solid", 0.9, "o"),
    Outline(
        "generalised", "was imprinted with this digit, and answers as often as the mean neuron or more",
        GREEN, DASHED, 1.7, "s",
    ),
    Outline(
        "outlier", f"was imprinted with this digit, and answers less than {RARE:.0%} as often",
        ORANGE, DOTTED, 1.9, "^",
    ),
)  # fmt: skip


def examples(results: Results, evaluation: int) -> np.ndarray:
    """For each neuron the place of its outline, or -1 for one that is neither.

    Answers are counted over the training samples of the digits met so far.
    """
    answers = results.arrays["label_counts"][evaluation].sum(axis=1)
    share = answers / max(answers.mean(), 1e-9)
    fate = fates(results, evaluation)
    preserved, imprinted = fate == 0, fate > 0
    return np.select(
        [preserved, imprinted & (share >= 1), imprinted & (share < RARE)],
        [PRESERVED, GENERALISED, OUTLIER],
        -1,
    )


def _panel(results: Results, evaluation: int) -> str:
    return f"({'ABCDEFGHIJ'[evaluation]}) After digit {results.evaluations[evaluation]['task']}"


AS_IN_THE_PAPER = Marking(OUTLINES, examples, _panel, "A neuron …")


def visual(found: Findings) -> Figure:
    """Grids of weight vectors after each of the first digits."""
    if found.visual is None:
        raise ValueError("the small network has not been run yet.")
    return weight_grid(found.visual, AS_IN_THE_PAPER)
