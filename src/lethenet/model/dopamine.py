"""The dopaminergic neuron: when it fires, whom it pushes, and how its weights learn.

It is a leaky integrate-and-fire neuron whose resting potential lies above its threshold::

    τ dv/dt = rest − v,    v(0) = 0    ⇒    v(t) = rest (1 − e^(−t/τ))

so it fires by itself unless an output spike of the layer inhibits (resets) it first. When it does, it
raises the learning rate of the layer and pushes each neuron by its dopaminergic weight d_j, again and
again until one of them fires. That is the first neuron j for which n·d_j ≥ v_th − v_j, in logarithms::

    argmin_j  log(v_th − v_j) − log d_j

The neuron that fires inhibits the others, which ends the raised rate for them; its own ends with its
spike. So exactly one neuron learns with the raised rate.

Dopaminergic weights are depressed by e^(−η) when their neuron fires and renormalised, so log d_j = −η
times the number of spikes, up to a constant. With an age weight ρ > 0, a spike also erases the share ρ of
what set the weight apart from the layer's mean before::

    usage_j ← usage_j + 1 + ρ (mean usage − usage_j),    log d_j = −η usage_j

ρ = 0 counts spikes (frequency); ρ = 1 keeps only when the last one was (age).

With habituation h > 0, all usage fades by the share h with each presentation, whoever fires: log d_j
then follows how often a neuron fired lately, over about 1/h presentations.

Kept as numbers of a limited range instead of logarithms, weights would become zero at some point: with a
floor > 0, one that falls below that share of the largest is zero from then on, so dopamine never reaches
its neuron again. Single precision has a floor of 2⁻¹⁴⁹.
"""

from __future__ import annotations

import math

import numpy as np

SMALLEST_GAP = 1e-9  # a neuron at its threshold, up to rounding, is the first to be reached
NEVER = 1e18
"""The usage of a neuron whose dopaminergic weight is zero."""


def self_firing_time(potential: float, *, rest: float, threshold: float, tau: float) -> float:
    """Time until the dopaminergic neuron fires if nothing inhibits it, in closed form.

    >>> from lethenet.model.parameters import PAPER
    >>> t = self_firing_time(0.0, rest=1.0, threshold=PAPER.dopaminergic_threshold, tau=200.0)
    >>> round(t, 9)
    200.0
    """
    if not potential <= threshold < rest:
        raise ValueError(
            f"The dopaminergic neuron fires by itself only if potential ({potential!r}) <= "
            f"threshold ({threshold!r}) < rest ({rest!r})."
        )
    return tau * math.log((rest - potential) / (rest - threshold))


def normalised_weights(usage: np.ndarray, depression: float) -> np.ndarray:
    """Dopaminergic weights that sum to one.

    >>> normalised_weights(np.array([0.0, 0.0, 100.0]), 0.3).round(3)
    array([0.5, 0.5, 0. ])
    """
    weights = np.exp(-depression * (usage - usage.min()))
    return weights / weights.sum()  # type: ignore[no-any-return]
