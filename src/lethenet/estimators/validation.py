"""What both estimators check before the model sees any data."""

from __future__ import annotations

import numbers
import secrets
import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ..model.one_sample import ROUNDING


class BlankInputWarning(UserWarning):
    """Some samples are all zero. They send no spikes: nothing is learned and nothing fires."""


def check_samples(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as non-negative, finite numbers, in a type that is not larger than needed; sparse ones as CSR.

    uint8 and single precision stay as they are: the kernels take a few rows at a time in double
    precision, so a whole data set is never copied, nor made dense.
    """
    kinds = [np.float64, np.float32, np.uint8]
    X = validate_data(estimator, X, reset=reset, dtype=kinds, order="C", accept_sparse="csr")
    sparse = hasattr(X, "tocsr")
    if X.dtype.kind == "f" and X.min() < 0:
        X = _without_negatives(estimator, X, sparse)
    shown = X.max(axis=1).toarray() if sparse else X.any(axis=1)
    blank = X.shape[0] - np.count_nonzero(shown)
    if blank:
        warnings.warn(
            f"{blank} of {X.shape[0]} samples are all zero. A blank sample sends no spikes: it is skipped "
            "in learning, and no neuron answers to it. Remove such samples, or shift the data.",
            BlankInputWarning,
            stacklevel=3,
        )
    return X


def _without_negatives(estimator: Any, X: Any, sparse: bool) -> Any:
    """Rounding errors become 0, row by row, whatever the batch; anything else is an error."""
    lowest, highest = X.min(axis=1), X.max(axis=1)
    if sparse:
        lowest, highest = lowest.toarray().ravel(), highest.toarray().ravel()
    wrong = lowest < -ROUNDING * highest
    if wrong.any():
        row, name = int(wrong.argmax()), type(estimator).__name__
        raise ValueError(
            f"Negative values in data passed to X in {name}: {lowest[row]:g} in row {row}, and in "
            f"{int(wrong.sum())} of {X.shape[0]} rows; samples become spike rates. Signed data "
            "(standardised, components, embeddings): lethenet.make_pipeline(lethenet.layers.OnOff(), …). "
            "Rows out of range after a scaler: clip them, as MinMaxScaler(clip=True) does."
        )
    return X.maximum(0) if sparse else np.maximum(X, 0)


def check_size(name: str, value: Any) -> int:
    """A positive whole number, or an error that names the parameter."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r}: expected a whole number of at least 1.")
    return int(value)


def draw_seed(random_state: Any) -> int:
    """The 64-bit key of a network's random numbers.

    An integer is taken as it is; a generator gives its next draw; None gives a new one every time.
    """
    if random_state is None:
        return secrets.randbits(64)
    if isinstance(random_state, numbers.Integral):
        if not 0 <= int(random_state) < 2**64:
            raise ValueError(f"random_state={random_state!r}: expected 0 to 2**64 - 1.")
        return int(random_state)
    return int(check_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))
