"""What the network is, on plain arrays and scalars.

``rule`` is the learning rule as small pure functions, ``dopamine`` the dopaminergic neuron,
``parameters`` and ``presets`` the constants, ``state`` what a network remembers. ``reference`` is the whole
network in plain numpy, to be read in five minutes; ``network`` is the face of the fast one, which
``lethenet.engine`` runs. ``numbers`` has exponentials, logarithms and random numbers on which both agree.

Importing this room does not import numba; using :class:`Network` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .integer import IntegerNetwork as IntegerNetwork
    from .network import Network as Network
    from .parameters import ANNEALED as ANNEALED
    from .parameters import PAPER as PAPER
    from .parameters import Parameters as Parameters
    from .presented import Presented as Presented
    from .presets import ABLATIONS as ABLATIONS
    from .presets import PRESETS as PRESETS
    from .presets import annealed_threshold as annealed_threshold
    from .presets import preset_parameters as preset_parameters
    from .presets import preset_readout as preset_readout
    from .quantising import as_bytes as as_bytes
    from .quantising import quantise as quantise
    from .recording import Recording as Recording
    from .rule import RULES as RULES
    from .rule import Rule as Rule
    from .state import State as State
    from .state import initial_state as initial_state

__getattr__, __dir__, __all__ = attach(__name__)
