"""Controlled Forgetting Networks: spiking layers that learn for life, and forget on purpose.

>>> from lethenet import ControlledForgettingClassifier
>>> model = ControlledForgettingClassifier(n_neurons=400, threshold=13.5, random_state=0)

Then ``model.fit(X, y)``, ``model.predict(X)``: see README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._lazy import LazyClass
from ._version import __version__

if TYPE_CHECKING:
    from .estimators import ControlledForgettingClassifier, ControlledForgettingNetwork
    from .interchange import load, save
else:
    ControlledForgettingClassifier = LazyClass(
        "lethenet.estimators.classifier", "ControlledForgettingClassifier"
    )
    ControlledForgettingNetwork = LazyClass(
        "lethenet.estimators.network", "ControlledForgettingNetwork"
    )

__all__ = [
    "ControlledForgettingClassifier",
    "ControlledForgettingNetwork",
    "__version__",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    """``load`` and ``save`` come from the interchange room when they are asked for."""
    if name in ("load", "save"):
        from . import interchange

        return getattr(interchange, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
