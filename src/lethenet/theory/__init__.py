"""Why it works, in equations: the membrane potential as shot noise, and what follows from it.

``shot_noise`` has its moments and transforms, ``recent_spikes`` the supplement's second derivation,
``distribution`` the whole law, ``firing`` how likely and how soon a neuron fires (solved by
``first_passage``), ``threshold`` a firing threshold for a user's own data (with ``prototypes``).

>>> from lethenet.theory import mean_potential
>>> float(mean_potential([0.6, 0.8], [0.6, 0.8], tau=15.0))
15.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .distribution import potential_cdf, potential_pdf, silent_probability
    from .firing import (
        expected_firing_time,
        firing_probability,
        recognition_probability,
        time_to_recognise,
        weights_at_angle,
    )
    from .prototypes import nearest_prototypes, spherical_k_means
    from .recent_spikes import (
        expected_potential_of_recent_spikes,
        expected_recent_spike,
        recent_spike_cdf,
        recent_spike_pdf,
    )
    from .shot_noise import (
        characteristic_function,
        coefficient_of_variation,
        cumulant,
        laplace_transform,
        log_laplace_transform,
        mean_potential,
        variance_of_potential,
    )
    from .threshold import suggest_threshold

_HOMES = {
    "characteristic_function": "shot_noise",
    "coefficient_of_variation": "shot_noise",
    "cumulant": "shot_noise",
    "expected_firing_time": "firing",
    "expected_potential_of_recent_spikes": "recent_spikes",
    "expected_recent_spike": "recent_spikes",
    "firing_probability": "firing",
    "laplace_transform": "shot_noise",
    "log_laplace_transform": "shot_noise",
    "mean_potential": "shot_noise",
    "nearest_prototypes": "prototypes",
    "potential_cdf": "distribution",
    "potential_pdf": "distribution",
    "recent_spike_cdf": "recent_spikes",
    "recent_spike_pdf": "recent_spikes",
    "recognition_probability": "firing",
    "silent_probability": "distribution",
    "spherical_k_means": "prototypes",
    "suggest_threshold": "threshold",
    "time_to_recognise": "firing",
    "variance_of_potential": "shot_noise",
    "weights_at_angle": "firing",
}

__all__ = [
    "characteristic_function",
    "coefficient_of_variation",
    "cumulant",
    "expected_firing_time",
    "expected_potential_of_recent_spikes",
    "expected_recent_spike",
    "firing_probability",
    "laplace_transform",
    "log_laplace_transform",
    "mean_potential",
    "nearest_prototypes",
    "potential_cdf",
    "potential_pdf",
    "recent_spike_cdf",
    "recent_spike_pdf",
    "recognition_probability",
    "silent_probability",
    "spherical_k_means",
    "suggest_threshold",
    "time_to_recognise",
    "variance_of_potential",
    "weights_at_angle",
]


def __getattr__(name: str) -> Any:
    """Load a function, and scipy or numba if it needs them, only when it is asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
