"""The network: plain arrays and scalars only.

A sample walks through ``spikes`` (encoding, input trains), ``membrane`` (integration, first crossing),
``plasticity`` and ``dopamine`` (and ``push``: whom it reaches); ``presentation`` composes them,
``blocks``, ``learning`` and ``recognising`` run many, ``certificate`` tells who can fire at all and
``watch`` who nearly does, ``network`` is the face of it. ``vectors`` and ``neuron_steps`` hold code for
vector registers. ``reference`` is the same in plain numpy. The files named ``traditional…`` hold the
network that all this replaces, in the manner of Diehl & Cook.
Importing this room does not import numba; using :class:`Network` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .parameters import ANNEALED, PAPER, Parameters
from .presets import ABLATIONS, PRESETS, annealed_threshold, preset_parameters
from .traditional_parameters import TRADITIONAL, TraditionalParameters

if TYPE_CHECKING:
    from .network import Learned, Network, Recognised
    from .state import State, initial_state
    from .traditional import TraditionalNetwork
    from .traditional_state import TraditionalState, initial_traditional_state

__all__ = [
    "ABLATIONS",
    "ANNEALED",
    "PAPER",
    "PRESETS",
    "TRADITIONAL",
    "Learned",
    "Network",
    "Parameters",
    "Recognised",
    "State",
    "TraditionalNetwork",
    "TraditionalParameters",
    "TraditionalState",
    "annealed_threshold",
    "initial_state",
    "initial_traditional_state",
    "preset_parameters",
]

_HOMES = {
    "Learned": "network",
    "Network": "network",
    "Recognised": "network",
    "State": "state",
    "TraditionalNetwork": "traditional",
    "TraditionalState": "traditional_state",
    "initial_state": "state",
    "initial_traditional_state": "traditional_state",
}


def __getattr__(name: str) -> Any:
    """Load what needs numba only when it is asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
