"""The scikit-learn face: the network, the classifier on top of it, and the read-outs."""

from .classifier import ControlledForgettingClassifier
from .network import ControlledForgettingNetwork
from .validation import BlankInputWarning

__all__ = ["BlankInputWarning", "ControlledForgettingClassifier", "ControlledForgettingNetwork"]
