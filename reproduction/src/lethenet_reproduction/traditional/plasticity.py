"""STDP of the traditional network: a static offset, a soft upper bound, then normalisation.

Diehl & Cook (2015), power-law weight dependence, at each output spike of a neuron::

    Δw = η (x_pre − x_tar) (w_max − w)^μ,    0 ≤ w ≤ w_max,    then w ← w · norm / Σ w

x_pre is the pre-synaptic trace as a rate, pre/τ_pre, as in :mod:`lethenet.engine.plasticity`.
"""

from __future__ import annotations

import numpy as np

from lethenet.engine.compiling.kernels import kernel
from lethenet.engine.llvm.llvm_bits import stay_out_of_line
from lethenet.engine.numbers import exp, log

from .parameters import TraditionalConstants

SMALLEST_ROOM = 1e-30
"""Room left to a weight at (or, after normalisation, above) its maximum: nothing, but with a logarithm."""


@kernel
def bounded_stdp(constants: TraditionalConstants, weights: np.ndarray, trace: np.ndarray) -> None:
    """Move one neuron's weights by the rule; ``trace`` is the pre-synaptic trace now."""
    stay_out_of_line()
    rate, target = constants.learning_rate, constants.target_trace
    highest, power = constants.max_weight, constants.weight_dependence
    inverse_tau = constants.inverse_tau_pre
    for i in range(weights.size):
        weight = np.float64(weights[i])
        room = exp(power * log(max(highest - weight, SMALLEST_ROOM)))
        weight = weight + rate * (trace[i] * inverse_tau - target) * room
        weights[i] = np.float32(min(max(weight, 0.0), highest))


@kernel
def keep_norm(constants: TraditionalConstants, weights: np.ndarray) -> None:
    """Scale one neuron's weights to their sum or length (nothing happens to a zero vector)."""
    stay_out_of_line()
    size = 0.0
    if constants.keep_sum:
        for i in range(weights.size):
            size += np.float64(weights[i])
    elif constants.keep_length:
        for i in range(weights.size):
            size += np.float64(weights[i]) * np.float64(weights[i])
        size = np.sqrt(size)
    if size > 0.0:
        scale = np.float32(constants.norm / size)
        for i in range(weights.size):
            weights[i] *= scale
