"""The network: plain arrays and scalars only.

A sample walks through ``spikes`` (encoding, input trains), ``membrane`` (integration, first crossing),
``plasticity`` and ``dopamine`` (and ``push``: whom it reaches); ``presentation`` composes them,
``blocks`` and ``batches`` run many, ``certificate`` tells who can fire, ``network`` is the face of it.
``reference`` is the same in plain numpy.
Importing this room does not import numba; using :class:`Network` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .parameters import ANNEALED, PAPER, Parameters
from .presets import ABLATIONS, PRESETS, annealed_threshold, preset_parameters

if TYPE_CHECKING:
    from .network import Learned, Network, Recognised
    from .state import State, initial_state

__all__ = [
    "ABLATIONS",
    "ANNEALED",
    "PAPER",
    "PRESETS",
    "Learned",
    "Network",
    "Parameters",
    "Recognised",
    "State",
    "annealed_threshold",
    "initial_state",
    "preset_parameters",
]

_HOMES = {
    "Learned": "network",
    "Network": "network",
    "Recognised": "network",
    "State": "state",
    "initial_state": "state",
}


def __getattr__(name: str) -> Any:
    """Load what needs numba only when it is asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
