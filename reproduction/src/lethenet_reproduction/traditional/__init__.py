"""The traditional network that Controlled Forgetting replaces, in the manner of Diehl & Cook."""

from __future__ import annotations

from .batches import Answers
from .network import TraditionalNetwork
from .parameters import TRADITIONAL, TraditionalParameters
from .state import TraditionalState, initial_traditional_state

__all__ = [
    "TRADITIONAL",
    "Answers",
    "TraditionalNetwork",
    "TraditionalParameters",
    "TraditionalState",
    "initial_traditional_state",
]
