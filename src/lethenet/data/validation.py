"""What counts as features and labels: foreign arrays come in, clean ones or a `ValueError` go out.

Every message names where the array came from, the offending value and what to do about it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.uint8] | NDArray[np.float32]
Labels = NDArray[np.int64]


def as_features(
    array: Any, *, source: str, signed: bool = False
) -> tuple[Features, tuple[int, ...] | None]:
    """Turn samples into a 2-D array of uint8 or float32, and give the image shape if there is one.

    Whole numbers up to 255 become uint8, everything else float32. Inputs are spike rates, so they
    must be finite and, unless ``signed``, not negative.

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
    if array.ndim not in (2, 3) and not (array.ndim == 4 and array.shape[3] in (1, 3, 4)):
        raise ValueError(
            f"{source} has shape {array.shape}; expected (n_samples, n_features), (n_samples, height, "
            "width), or in colour (n_samples, height, width, 3): reshape it"
        )
    if array.size == 0:
        raise ValueError(f"{source} is empty (shape {array.shape}); give at least one sample")
    image_shape = array.shape[1:] if array.ndim > 2 else None
    flat = array.reshape(len(array), -1)
    _reject_impossible_rates(flat, source, signed)
    if flat.dtype.kind != "f" and flat.min() >= 0 and flat.max() <= np.iinfo(np.uint8).max:
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


def named_labels(*parts: Any) -> tuple[list[Any], tuple[str, ...] | None]:
    """Labels as they are and None or, if they are strings, numbers and the names of these numbers.

    Strings that are whole numbers throughout, as a table has them, are whole numbers.

    >>> named_labels(["b", "a"], ["b"])
    ([array([1, 0]), array([1])], ('a', 'b'))
    >>> named_labels(["7", "3"])
    ([array([7, 3])], None)
    """
    arrays = [np.asarray(part) for part in parts]
    if not all(array.dtype.kind in "US" and array.ndim == 1 for array in arrays):
        whole = [
            a.dtype.kind == "f" and a.ndim == 1 and bool((a == np.floor(a)).all()) for a in arrays
        ]
        return [a.astype(np.int64) if w else a for a, w in zip(arrays, whole, strict=True)], None
    texts = [np.char.strip(array.astype(np.str_)) for array in arrays]
    names, numbers = np.unique(np.concatenate(texts), return_inverse=True)
    if all(name.lstrip("-").isdecimal() and len(name) < 19 for name in names):
        return [text.astype(np.int64) for text in texts], None
    ends = np.cumsum([len(text) for text in texts])[:-1]
    return np.split(numbers, ends), tuple(names.tolist())


def _reject_impossible_rates(flat: NDArray[Any], source: str, signed: bool) -> None:
    bad = flat < (-np.inf if signed else 0)
    if flat.dtype.kind == "f":
        bad |= ~np.isfinite(flat)
    if bad.any():
        sample, feature = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"{source} holds {flat[sample, feature]} at sample {sample}, feature {feature} "
            f"({int(bad.sum())} such in all); values are spike rates and must be finite and not "
            "negative: replace missing values; lethenet.layers.OnOff takes signed ones"
        )
