"""Named settings: the paper's rule, ours, and the paper's with one part taken out or changed.

A preset is a value, never a branch: every one differs from the paper's in parameters that the kernels
and the reference both know.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .parameters import ANNEALED, PAPER, Parameters

ABLATIONS: dict[str, Parameters] = {
    "no-dopamine": replace(PAPER, dopamine=False),
    "random-targets": replace(PAPER, dopaminergic_target="random"),
    "no-raised-rate": replace(PAPER, imprint_rate=PAPER.learning_rate),
    "static-offset": replace(PAPER, stdp="static"),
    "no-normalisation": replace(PAPER, normalise_weights=False),
    "age": replace(PAPER, age_weight=1.0),
    "half-inhibition": replace(PAPER, inhibition=0.5),
    "no-inhibition": replace(PAPER, inhibition=0.0),
    "carried-trace": replace(PAPER, carry_trace=True),
}
"""The paper's rule with one part changed, to see what that part contributes.

* ``no-dopamine``: no dopaminergic neuron; input rates are raised until somebody fires.
* ``random-targets``: the push hits any neuron instead of the least useful one.
* ``no-raised-rate``: the neuron that is pushed learns no faster than others.
* ``static-offset``: the traditional STDP rule with the same offset in every dimension.
* ``no-normalisation``: weight vectors keep the length that plasticity gives them.
* ``age``: dopaminergic weights follow when a neuron fired last, not how often.
* ``half-inhibition``, ``no-inhibition``: the others lose 50 or 0 % of their potential at an output
  spike instead of all of it.
* ``carried-trace``: pre-synaptic traces are not cleared between samples.
"""

PRESETS: dict[str, Parameters] = {"paper": PAPER, "annealed": ANNEALED, **ABLATIONS}


def annealed_threshold(n_neurons: int) -> float:
    """The threshold of the annealed preset for a layer of this size, on images like MNIST's.

    A larger layer has prototypes that are closer to a sample, so it can ask for more likeness::

        v_th = min(13 + 0.3 log₂(n / 400), 13.75)

    The ceiling is reached at 2263 neurons; beyond, a higher threshold only makes known samples novel.
    Chosen on held-out training samples of MNIST (results/annealed). It assumes ``tau_mem=15``, and other
    data need other thresholds: digits of 8 × 8 pixels about 15.5.

    >>> [annealed_threshold(n) for n in (100, 400, 900, 6400)]
    [12.4, 13.0, 13.35, 13.75]
    """
    return round(min(13.0 + 0.3 * math.log2(n_neurons / 400), 13.75), 2)


def preset_readout(preset: str) -> str:
    """The read-out that goes with a preset: evidence votes with "annealed", else the paper's hard votes.

    >>> preset_readout("annealed"), preset_readout("paper")
    ('evidence', 'dominant')
    """
    return "evidence" if preset == "annealed" else "dominant"


def preset_parameters(preset: str, n_neurons: int) -> Parameters:
    """The parameters of a preset for a layer of this size.

    Only the threshold of "annealed" depends on the size, see :func:`annealed_threshold`.

    >>> preset_parameters("paper", 6400) == PAPER
    True
    >>> preset_parameters("annealed", 6400).threshold
    13.75
    >>> preset_parameters("papers", 400)
    Traceback (most recent call last):
    ...
    ValueError: preset='papers' is unknown: expected one of paper, annealed, no-dopamine, ...
    """
    if preset not in PRESETS:
        raise ValueError(f"preset={preset!r} is unknown: expected one of {', '.join(PRESETS)}.")
    if preset == "annealed":
        return replace(ANNEALED, threshold=annealed_threshold(n_neurons))
    return PRESETS[preset]
