"""Controlled Forgetting Networks: spiking layers that learn for life, and forget on purpose.

>>> from lethenet import ControlledForgettingClassifier
>>> model = ControlledForgettingClassifier(n_neurons=400, threshold=13.5, random_state=0)

Then ``model.fit(X, y)``, ``model.predict(X)``: see README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._lazy import attach

if TYPE_CHECKING:
    from ._version import __version__ as __version__
    from .estimators import ControlledForgettingClassifier as ControlledForgettingClassifier
    from .estimators import ControlledForgettingNetwork as ControlledForgettingNetwork
    from .estimators import LifelongPipeline as LifelongPipeline
    from .estimators import NoveltyDetector as NoveltyDetector
    from .estimators import make_pipeline as make_pipeline
    from .saving import load as load
    from .saving import read_nir as read_nir
    from .saving import save as save
    from .saving import write_nir as write_nir

__getattr__, __dir__, __all__ = attach(__name__)
