"""What counts as features and labels: foreign arrays come in, clean ones or a `ValueError` go out.

Every message names where the array came from, the offending value and what to do about it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.uint8] | NDArray[np.float32]
Labels = NDArray[np.int64]


def as_features(array: Any, *, source: str) -> tuple[Features, tuple[int, int] | None]:
    """Turn samples into a 2-D array of uint8 or float32, and give the image shape if there is one.

    Whole numbers up to 255 become uint8, everything else float32. Inputs are spike rates, so they
    must be finite and not negative.

    >>> X, image_shape = as_features([[[0, 1], [2, 3]]], source="example")
    >>> X, image_shape
    (array([[0, 1, 2, 3]], dtype=uint8), (2, 2))
    """
    array = np.asarray(array)
    if array.dtype.kind not in "buif":
        raise ValueError(
            f"{source} holds {array.dtype} values; samples must be real numbers "
            "(convert with .astype('float32'))"
        )
    if array.ndim not in (2, 3):
        raise ValueError(
            f"{source} has shape {array.shape}; expected (n_samples, n_features) "
            "or (n_samples, height, width): reshape it"
        )
    if array.size == 0:
        raise ValueError(f"{source} is empty (shape {array.shape}); give at least one sample")
    image_shape = (array.shape[1], array.shape[2]) if array.ndim == 3 else None
    flat = array.reshape(len(array), -1)
    _reject_impossible_rates(flat, source)
    if flat.dtype.kind != "f" and flat.max() <= np.iinfo(np.uint8).max:
        return np.ascontiguousarray(flat, np.uint8), image_shape
    with np.errstate(over="ignore"):
        features = np.ascontiguousarray(flat, np.float32)
    if not np.isfinite(features).all():
        raise ValueError(
            f"{source} holds {flat.max()}, too large for float32; scale the values, "
            "for instance by their largest"
        )
    return features, image_shape


def as_labels(array: Any, *, source: str, n_samples: int) -> Labels:
    """Turn labels into a 1-D int64 array with one label per sample.

    >>> as_labels([0.5, 1.0], source="mine.npz: y", n_samples=2)
    Traceback (most recent call last):
    ...
    ValueError: mine.npz: y holds float64 values such as 0.5; labels must be integers: ...
    """
    array = np.asarray(array)
    if array.ndim != 1:
        raise ValueError(
            f"{source} has shape {array.shape}; expected one label per sample, ({n_samples},)"
        )
    if array.dtype.kind not in "ui":
        example = f" such as {array[0]}" if array.size and array.dtype.kind in "fbUS" else ""
        raise ValueError(
            f"{source} holds {array.dtype} values{example}; labels must be integers: "
            "number the classes, or convert with .astype('int64') if they are whole numbers"
        )
    if len(array) != n_samples:
        raise ValueError(
            f"{source} has {len(array)} labels for {n_samples} samples; give one per sample"
        )
    if array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{source} holds the label {array.max()}, too large for int64; renumber")
    return np.ascontiguousarray(array, np.int64)


def _reject_impossible_rates(flat: NDArray[Any], source: str) -> None:
    bad = flat < 0
    if flat.dtype.kind == "f":
        bad |= ~np.isfinite(flat)
    if bad.any():
        sample, feature = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{source} holds {flat[sample, feature]} at sample {sample}, feature {feature} "
            f"({int(bad.sum())} such in all); values are spike rates and must be finite and not "
            "negative: replace missing values and shift or clip the rest"
        )
