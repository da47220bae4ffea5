"""The accuracy matrix R and the confusion matrix, as maps with their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import Results
from ..style import GREY, ink, name_figure, name_ticks, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MAX_VALUES = 26
"""Cells of larger matrices are too small for their values."""
UNSEEN = "#f1f2f4"


@styled
def accuracy_matrix(results: Results) -> Figure:
    """R: test accuracy on each task (column) after each task (row); unseen tasks are hatched.

    >>> from lethenet.report.example import example_results
    >>> accuracy_matrix(example_results()).axes[0].images[0].get_array().shape
    (2, 2)
    """
    from matplotlib.colors import Normalize

    results.require_evaluations()
    R = 100 * results.accuracy_matrix
    low = 10 * np.floor(np.nanmin(R) / 10)
    figure, ax, image = _map(R, Normalize(min(low, 90), 100), "cividis")
    _write_values(ax, image, R, "{:.1f}")
    name_ticks(ax, results.task_names, start=0)
    name_ticks(ax, [e["task"] for e in results.evaluations], axis="y", start=0)
    ax.set_xlabel("Tested on task")
    ax.set_ylabel("After learning task")
    figure.colorbar(image, ax=ax, label="Test accuracy (%)", shrink=0.85)
    return name_figure(figure, "Accuracy matrix R", results.label)


@styled
def confusion_matrix(results: Results) -> Figure:
    """Counts of true class (row) and predicted class (column) of the test samples at the end.

    >>> from lethenet.report.example import example_results
    >>> confusion_matrix(example_results()).axes[0].get_xlabel()
    'Predicted class'
    """
    from matplotlib.colors import PowerNorm

    results.require_evaluations()
    counts = results.arrays["confusion"][-1].astype(float)
    totals = counts.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        shares = 100 * counts / totals  # rows of classes not seen yet become NaN
    figure, ax, image = _map(shares, PowerNorm(0.5, 0, 100), "Blues")
    _write_values(ax, image, np.where(totals > 0, counts, np.nan), "{:.0f}", zero="·")
    for axis in ("x", "y"):
        name_ticks(ax, results.classes, axis=axis, start=0)
    ax.set_xlabel("Predicted class")
    ax.set_ylabel("True class")
    bar = figure.colorbar(image, ax=ax, label="Share of the true class (%)", shrink=0.85)
    bar.set_ticks([0, 1, 5, 10, 25, 50, 75, 100])
    return name_figure(figure, "Confusion matrix at the end (test samples)", results.label)


def _map(values: np.ndarray, norm: Any, cmap: str) -> tuple[Figure, Axes, AxesImage]:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    rows, columns = values.shape
    width = float(np.clip(2.6 + 0.56 * columns, 5.4, 11))
    figure, ax = new_axes(width, float(np.clip(1.6 + 0.5 * rows, 3.0, 10)))
    ax.set_facecolor(UNSEEN)
    image = ax.imshow(np.ma.masked_invalid(values), norm=norm, cmap=cmap, aspect="auto")
    squares = [
        Rectangle((column - 0.5, row - 0.5), 1, 1) for row, column in np.argwhere(np.isnan(values))
    ]
    look: dict[str, Any] = {"facecolor": UNSEEN, "edgecolor": "#c3c7cc", "linewidth": 0}
    ax.add_collection(PatchCollection(squares, hatch="////", **look))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, color="white", linewidth=1.2)
    ax.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, color="white", linewidth=1.2)
    return figure, ax, image


def _write_values(
    ax: Axes, image: AxesImage, values: np.ndarray, form: str, zero: str | None = None
) -> None:
    rows, columns = values.shape
    if max(rows, columns) > MAX_VALUES:
        return
    size = 9 if columns <= 12 else 7 if columns <= 18 else 5.5
    shades = image.to_rgba(np.ma.asarray(image.get_array()))
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        blank = zero is not None and value == 0
        look: dict[str, Any] = {"ha": "center", "va": "center", "in_layout": False}
        look |= {"color": GREY if blank else ink(*shades[row, column, :3]), "fontsize": size}
        text = zero if blank and zero is not None else form.format(value)
        ax.text(column, row, text, **look)
