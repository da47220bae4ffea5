"""Labels as they come: some are missing, some belong to classes that nobody announced."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import column_or_1d

MISSING = -1
"""What scikit-learn writes for a missing label where labels are whole numbers."""
_TEXT = "OUS"


def split_labels(y: Any, *, minus_one: bool) -> tuple[np.ndarray, np.ndarray]:
    """The labels that are there, and for each of all whether it is; None and NaN are missing ones.

    So is −1 if ``minus_one``. Whole numbers that came as floats beside NaN are whole numbers again.

    >>> split_labels(["cat", None, "dog"], minus_one=True)
    (array(['cat', 'dog'], dtype=object), array([ True, False,  True]))
    >>> split_labels([3.0, float("nan")], minus_one=True)
    (array([3]), array([ True, False]))
    >>> split_labels([-1, 4], minus_one=True)[0], split_labels([-1, 1], minus_one=False)[0]
    (array([4]), array([-1,  1]))
    """
    y = column_or_1d(y, warn=True)
    there = np.array([not _missing(label, minus_one) for label in y.tolist()], bool)
    labels = y[there]
    if y.dtype.kind == "O" and not all(isinstance(label, str) for label in labels):
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f" and not there.all() and (labels == np.floor(labels)).all():
        labels = labels.astype(np.int64)
    if labels.size:
        check_classification_targets(labels)
    return labels, there


def _missing(label: Any, minus_one: bool) -> bool:
    if label is None or type(label).__name__ == "NAType":  # pandas.NA
        return True
    if isinstance(label, float) and math.isnan(label):
        return True
    whole = isinstance(label, Integral | float) and not isinstance(label, bool)
    return minus_one and whole and label == MISSING


def join_classes(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """All classes there are when these labels have come, rising.

    >>> join_classes(np.array([2, 5]), np.array([3.0, 5.0]))
    array([2, 3, 5])
    """
    if labels.size == 0:
        return classes
    if classes.size == 0:
        return np.asarray(unique_labels(labels))
    if (classes.dtype.kind in _TEXT) != (labels.dtype.kind in _TEXT):
        raise ValueError(
            f"the label {labels.tolist()[0]!r} does not go with the classes so far, {classes!r}: expected "
            "either numbers or strings throughout."
        )
    if classes.dtype.kind in "iu" and labels.dtype.kind == "f" and (labels % 1 == 0).all():
        labels = labels.astype(classes.dtype)
    return np.union1d(classes, labels)


def moved_columns(counts: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Counts with a last axis of the old classes, with one of the new classes instead.

    >>> moved_columns(np.array([4, 2]), np.array(["a", "c"]), np.array(["a", "b", "c"]))
    array([4, 0, 2])
    """
    moved = np.zeros((*counts.shape[:-1], len(new)), counts.dtype)
    moved[..., np.searchsorted(new, old)] = counts
    return moved
