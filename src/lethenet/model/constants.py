"""The parameters as kernels and reference take them: numbers only, derived from :class:`.Parameters`.

Every parameter that is a number or a switch is there under its own name. Besides, what is computed once
from them: inverses, the dopaminergic neuron's period, choices as switches.
"""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import fields
from typing import TYPE_CHECKING, Any, get_type_hints

from .dopamine import self_firing_time
from .parameters import Parameters

_HINTS = get_type_hints(Parameters)
_NUMBERS = tuple(f.name for f in fields(Parameters) if _HINTS[f.name] in (int, float, bool))
_DERIVED = (
    "inverse_tau_mem",
    "inverse_tau_pre",
    "dopaminergic_period",
    "random_target",
    "push_on_leftover",
    "usage_limit",
)

if TYPE_CHECKING:
    Constants = Any  # its fields are those of Parameters, which a type checker cannot follow
else:
    Constants = namedtuple("Constants", (*_NUMBERS, *_DERIVED))


def constants_of(parameters: Parameters, n_features: int, *, frozen: bool = False) -> Constants:
    """The kernels' view of the parameters, for inputs of this width, learning or frozen.

    ``static_offset`` becomes one component of the offset vector, ``n_output_spikes`` the number that ends
    a presentation, ``usage_limit`` the usage above the least used neuron at which a weight is zero.

    >>> constants = constants_of(Parameters(n_readout_spikes=7), n_features=16, frozen=True)
    >>> constants.n_output_spikes, constants.static_offset, constants.usage_limit
    (7, 0.25, inf)
    """
    p = parameters
    numbers = {name: getattr(p, name) for name in _NUMBERS}
    numbers["static_offset"] = p.static_offset / math.sqrt(n_features)
    numbers["n_output_spikes"] = p.n_readout_spikes if frozen else p.n_output_spikes
    return Constants(
        **numbers,
        inverse_tau_mem=1.0 / p.tau_mem,
        inverse_tau_pre=1.0 / p.tau_pre,
        dopaminergic_period=self_firing_time(
            0.0, rest=p.dopaminergic_rest, threshold=p.dopaminergic_threshold, tau=p.tau_dopamine
        ),
        random_target=p.dopaminergic_target == "random",
        push_on_leftover=p.push == "leftover",
        usage_limit=_usage_limit(p),
    )


def _usage_limit(p: Parameters) -> float:
    """The difference in usage that depresses a weight to its floor: e^(−η · difference) = floor."""
    if p.dopaminergic_floor == 0 or p.depression == 0:
        return math.inf
    return -math.log(p.dopaminergic_floor) / p.depression
