"""The scikit-learn face: the network, the classifier on top of it, and the read-outs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .classifier import ControlledForgettingClassifier as ControlledForgettingClassifier
    from .network import ControlledForgettingNetwork as ControlledForgettingNetwork
    from .novelty import NoveltyDetector as NoveltyDetector
    from .one_sample import Learned as Learned
    from .pipeline import LifelongPipeline as LifelongPipeline
    from .pipeline import make_pipeline as make_pipeline
    from .validation import BlankInputWarning as BlankInputWarning

__getattr__, __dir__, __all__ = attach(__name__)
