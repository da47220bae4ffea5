"""Somebody else's features as a fixed first layer: any function, or an ONNX model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from .base import Layer, check_number
from .on_off import on_and_off

MOST_BYTES = 2 * 2**30
"""A larger ONNX file is refused."""


@dataclass(eq=False, repr=False)
class Features(Layer):
    """A function or an ONNX model as a fixed first layer.

    Its output may be signed: then its positive and negative parts stand side by side, as with
    :class:`OnOff`.

    Parameters
    ----------
    model : callable or path, default=None
        A function from samples (n, n_features) to features (n, n_out), or the file of an ONNX model with
        one input and one output (the extra ``lethenet[onnx]``). None hands samples on.
    signed : bool or None, default=None
        Whether features may be negative. None looks at those of the samples given to ``fit``.
    input_shape : tuple of int, default=None
        The shape of one sample as the model takes it, such as (3, 224, 224); None leaves it flat.
    batch_size : int, default=256
        Samples handed to the model at a time.

    Attributes
    ----------
    signed_ : bool
    n_features_out_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from lethenet.layers import Features
    >>> layer = Features(lambda X: X @ np.array([[1.0], [-1.0]]))
    >>> layer.fit_transform(np.array([[3.0, 1.0], [1.0, 3.0]]))
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """

    model: Callable[[np.ndarray], Any] | str | Path | None = None
    _: KW_ONLY
    signed: bool | None = None
    input_shape: tuple[int, ...] | None = None
    batch_size: int = 256

    _derived = "n_features_out_"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Load the model, and see how many features it gives and whether any is negative."""
        X = self._samples(X, reset=True)
        self._function = self._load()
        features = self._features(X if self.signed is None else X[:1])
        self.signed_ = bool(features.min() < 0) if self.signed is None else bool(self.signed)
        self.n_features_out_ = features.shape[1] * (2 if self.signed_ else 1)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Features that are never negative (n_samples, ``n_features_out_``), in single precision."""
        features = self._features(self._fitted_samples(X))
        if self.signed_:
            features = on_and_off(features)
        elif features.min() < 0:
            raise ValueError(
                f"model={self.model!r} gives negative features, such as {features.min():g}, and the "
                "samples of fit had none: use signed=True."
            )
        if features.shape[1] != self.n_features_out_:
            raise ValueError(
                f"model={self.model!r} gave {features.shape[1]} features, not the {self.n_features_out_} "
                "that it gave in fit."
            )
        return features

    def _features(self, X: np.ndarray) -> np.ndarray:
        size = check_number("batch_size", self.batch_size, 1, 2**31, whole=True)
        shape = X.shape[1:] if self.input_shape is None else tuple(self.input_shape)
        if np.prod(shape) != X.shape[1]:
            raise ValueError(
                f"input_shape={self.input_shape!r} does not fit samples of {X.shape[1]} features."
            )
        found = []
        for start in range(0, len(X), size):
            batch = X[start : start + size]
            answer = np.asarray(self._function(batch.reshape(-1, *shape)), dtype=np.float32)
            if len(answer) != len(batch):
                raise ValueError(
                    f"model={self.model!r} gave {len(answer)} rows for {len(batch)} samples."
                )
            found.append(answer.reshape(len(batch), -1))
        features = np.concatenate(found)
        if not np.isfinite(features).all():
            raise ValueError(f"model={self.model!r} gave features that are not finite.")
        return features

    def _load(self) -> Callable[[np.ndarray], Any]:
        if self.model is None:
            return lambda X: X
        if callable(self.model):
            return self.model
        path = Path(self.model)
        if not path.is_file():
            raise ValueError(
                f"model={str(self.model)!r}: expected a function or the file of an ONNX model."
            )
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path} is larger than {MOST_BYTES} bytes.")
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(
                "an ONNX model needs onnxruntime: python -m pip install onnxruntime"
            ) from error
        content = path.read_bytes()
        self.sha256_ = hashlib.sha256(content).hexdigest()
        try:
            session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has many kinds
            raise ValueError(
                f"{path} cannot be used as an ONNX model: {str(error).splitlines()[0]}"
            ) from error
        name = session.get_inputs()[0].name
        return lambda X: session.run(None, {name: np.ascontiguousarray(X, np.float32)})[0]

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if not callable(self.model):
            state.pop("_function", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "n_features_out_") and not hasattr(self, "_function"):
            self._function = self._load()

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_out_)
