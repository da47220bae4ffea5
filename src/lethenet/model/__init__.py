"""What the network is, on plain arrays and scalars.

``rule`` is the learning rule as small pure functions, ``dopamine`` the dopaminergic neuron,
``parameters`` and ``presets`` the constants, ``state`` what a network remembers. ``reference`` is the whole
network in plain numpy, to be read in five minutes; ``network`` is the face of the fast one, which
``lethenet.engine`` runs. ``numbers`` has exponentials, logarithms and random numbers on which both agree.

Importing this room does not import numba; using :class:`Network` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .parameters import ANNEALED, PAPER, Parameters
from .presets import ABLATIONS, PRESETS, annealed_threshold, preset_parameters
from .rule import RULES, Rule

if TYPE_CHECKING:
    from .network import Network, Presented
    from .state import State, initial_state

__all__ = [
    "ABLATIONS",
    "ANNEALED",
    "PAPER",
    "PRESETS",
    "RULES",
    "Network",
    "Parameters",
    "Presented",
    "Rule",
    "State",
    "annealed_threshold",
    "initial_state",
    "preset_parameters",
]

_HOMES = {
    "Network": "network",
    "Presented": "network",
    "State": "state",
    "initial_state": "state",
}


def __getattr__(name: str) -> Any:
    """Load what needs numba only when it is asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
