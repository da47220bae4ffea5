"""What can stand before a network: scikit-learn transformers whose features are never negative.

:class:`OnOff` splits signed features, :class:`Edges` is a fixed layer of oriented edge detectors,
:class:`Patches` a learned one, itself a Controlled Forgetting Network, and :class:`Features` wraps a
function or an ONNX model. ``lethenet.make_pipeline(Edges(), ControlledForgettingClassifier())`` makes
one learner of a layer and a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .edges import Edges as Edges
    from .features import Features as Features
    from .on_off import OnOff as OnOff
    from .patches import Patches as Patches

__getattr__, __dir__, __all__ = attach(__name__)
