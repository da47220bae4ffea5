"""Axes that several figures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..style import name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def accuracy_axis(ax: Axes, drawn: Sequence[float]) -> None:
    """Percent, from a round number below what is drawn to 100."""
    from matplotlib.ticker import MaxNLocator

    low = min(value for value in drawn if np.isfinite(value))
    room = max(2.0, 0.08 * (100 - low))
    floor = max(0.0, 5 * np.floor((low - room) / 5))
    ax.set_ylim(floor, 100 + 0.015 * (100 - floor))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    ax.set_ylabel("Accuracy (%)")
    ax.grid(axis="y")


def class_axis(ax: Axes, classes: Sequence[str]) -> None:
    """A place for each class."""
    name_ticks(ax, classes, start=0)
    ax.set_xlabel("Class")
    ax.set_xlim(-0.6, len(classes) - 0.4)


def percentages(per_class: Mapping[str, float], classes: Sequence[str]) -> np.ndarray:
    """Accuracies in per cent in the order of ``classes``, NaN where there is none."""
    return np.array([100 * per_class.get(label, np.nan) for label in classes], dtype=float)
