"""Why it works, in equations: the membrane potential as shot noise, and what follows from it.

``shot_noise`` has its moments and transforms, ``recent_spikes`` the supplement's second derivation,
``distribution`` the whole law, ``firing`` how likely and how soon a neuron fires (solved by
``first_passage``), ``threshold`` a firing threshold for a user's own data (with ``prototypes``).

>>> from lethenet.theory import mean_potential
>>> float(mean_potential([0.6, 0.8], [0.6, 0.8], tau=15.0))
15.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .distribution import potential_cdf as potential_cdf
    from .distribution import potential_pdf as potential_pdf
    from .distribution import silent_probability as silent_probability
    from .firing import expected_firing_time as expected_firing_time
    from .firing import firing_probability as firing_probability
    from .firing import recognition_probability as recognition_probability
    from .firing import time_to_recognise as time_to_recognise
    from .firing import weights_at_angle as weights_at_angle
    from .prototypes import nearest_prototypes as nearest_prototypes
    from .prototypes import spherical_k_means as spherical_k_means
    from .recent_spikes import (
        expected_potential_of_recent_spikes as expected_potential_of_recent_spikes,
    )
    from .recent_spikes import expected_recent_spike as expected_recent_spike
    from .recent_spikes import recent_spike_cdf as recent_spike_cdf
    from .recent_spikes import recent_spike_pdf as recent_spike_pdf
    from .shot_noise import characteristic_function as characteristic_function
    from .shot_noise import coefficient_of_variation as coefficient_of_variation
    from .shot_noise import cumulant as cumulant
    from .shot_noise import laplace_transform as laplace_transform
    from .shot_noise import log_laplace_transform as log_laplace_transform
    from .shot_noise import mean_potential as mean_potential
    from .shot_noise import variance_of_potential as variance_of_potential
    from .threshold import auto_threshold as auto_threshold
    from .threshold import suggest_threshold as suggest_threshold

__getattr__, __dir__, __all__ = attach(__name__)
