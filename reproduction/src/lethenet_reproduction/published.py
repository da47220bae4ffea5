"""The numbers that the paper prints: Allred & Roy, "Controlled Forgetting" (arXiv 1902.03187)."""

from __future__ import annotations

from typing import NamedTuple

SIZES = (400, 900, 1600, 2500, 3600, 4900, 6400)
THRESHOLDS = (13.5, 13.75, 14.0, 14.25)
EPOCHS = (1, 5, 10, 20)

TABLE_1: dict[int, tuple[tuple[float, ...], ...]] = {
    400: (
        (87.53, 83.74, 79.03, 73.94),
        (87.43, 83.97, 78.20, 75.06),
        (86.47, 82.32, 77.03, 75.09),
        (85.30, 83.46, 75.70, 74.94),
    ),
    900: (
        (89.74, 90.97, 89.25, 85.15),
        (88.87, 90.87, 89.71, 86.11),
        (87.68, 91.35, 89.46, 84.62),
        (86.54, 91.26, 89.82, 84.02),
    ),
    1600: (
        (91.48, 92.29, 92.22, 91.15),
        (90.99, 92.69, 92.33, 91.32),
        (89.92, 93.12, 92.13, 91.21),
        (88.31, 93.02, 92.73, 91.67),
    ),
    2500: (
        (93.14, 93.50, 93.37, 92.99),
        (92.81, 93.57, 93.93, 93.10),
        (91.62, 93.35, 94.20, 93.49),
        (89.92, 92.95, 93.86, 93.30),
    ),
    3600: (
        (93.76, 94.07, 93.95, 93.69),
        (93.76, 93.98, 94.42, 94.44),
        (93.19, 93.91, 94.41, 94.49),
        (92.19, 93.15, 94.21, 94.22),
    ),
    4900: (
        (94.49, 94.81, 94.66, 94.64),
        (94.91, 94.92, 94.78, 95.04),
        (94.59, 94.74, 94.97, 95.17),
        (93.52, 93.79, 94.51, 95.16),
    ),
    6400: (
        (95.40, 95.23, 95.25, 95.21),
        (95.32, 95.57, 95.33, 95.72),
        (95.37, 95.50, 95.39, 95.76),
        (94.67, 94.86, 95.11, 95.79),
    ),
}
"""Table 1: training accuracy in %, per size a row per threshold and a column per number of epochs."""

TEST_ACCURACY_6400 = 95.36
"""Test accuracy in % of 6400 neurons after all ten digits in turn (the paper's headline)."""

MEAN_PENALTY = 1.17
"""Points of accuracy lost against interleaved training, averaged over the seven sizes."""


class PublishedBest(NamedTuple):
    """One cell of Table 1."""

    neurons: int
    threshold: float
    epochs: int
    training_accuracy: float


def training_accuracy(neurons: int, threshold: float, epochs: int) -> float | None:
    """Table 1's training accuracy in %, or None where the paper has no such cell.

    >>> training_accuracy(400, 13.5, 1)
    87.53
    >>> training_accuracy(500, 13.5, 1) is None
    True
    """
    if neurons not in TABLE_1 or threshold not in THRESHOLDS or epochs not in EPOCHS:
        return None
    return TABLE_1[neurons][THRESHOLDS.index(threshold)][EPOCHS.index(epochs)]


def best_cell(neurons: int) -> PublishedBest:
    """The cell that the paper highlights for this size: its highest training accuracy.

    >>> best_cell(6400)
    PublishedBest(neurons=6400, threshold=14.25, epochs=20, training_accuracy=95.79)
    """
    return max(
        (
            PublishedBest(neurons, threshold, epochs, value)
            for threshold, row in zip(THRESHOLDS, TABLE_1[neurons], strict=True)
            for epochs, value in zip(EPOCHS, row, strict=True)
        ),
        key=lambda cell: cell.training_accuracy,
    )
