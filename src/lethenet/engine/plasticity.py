"""What an output spike changes for good: weights, counts and the dopaminergic weight.

The rule is :mod:`lethenet.model.rule`'s, compiled. ``step``, ``rate_after`` and ``usage_after`` below are
the paper's; :mod:`.rule_kernels` compiles the same kernels with others in their place.
"""

from __future__ import annotations

import numpy as np

from ..model import rule
from ..model.constants import Constants
from ..model.dopamine import NEVER
from .compiling.kernels import kernel
from .dopamine import least_used
from .layouts import Layer
from .llvm.llvm_bits import stay_out_of_line

LANES = 8  # the sum of squares runs in this many lanes, so that it can use vector registers

step = kernel(rule.OJA.step)
rate_after = kernel(rule.OJA.rate)
usage_after = kernel(rule.OJA.usage)


@kernel
def move_weights(
    weights: np.ndarray, trace: np.ndarray, inverse_tau_pre: float, rate: float, offset: float
) -> None:
    """Move one neuron's weights by the rule, in single precision. ``trace`` is the trace now."""
    stay_out_of_line()
    alpha, offset_here = np.float32(rate), np.float32(offset)
    for i in range(weights.size):
        pre = np.float32(trace[i] * inverse_tau_pre)
        weights[i] = step(weights[i], pre, alpha, offset_here)


@kernel
def move_weights_checked(
    weights: np.ndarray, trace: np.ndarray, inverse_tau_pre: float, rate: float, offset: float
) -> None:
    """The same in double precision, for rules that may break the contract: then nothing is written."""
    stay_out_of_line()
    n_fine = 0
    for i in range(weights.size):
        pre = trace[i] * inverse_tau_pre
        moved = np.float32(step(np.float64(weights[i]), pre, rate, offset))
        n_fine += int(np.float32(0.0) <= moved < np.float32(np.inf))
    if n_fine < weights.size:
        raise ValueError(rule.BROKEN_CONTRACT)
    for i in range(weights.size):
        pre = trace[i] * inverse_tau_pre
        weights[i] = np.float32(step(np.float64(weights[i]), pre, rate, offset))


@kernel
def normalise(weights: np.ndarray) -> None:
    """Scale one neuron's weights to length one (nothing happens to a zero vector)."""
    stay_out_of_line()
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = weights.size - weights.size % LANES
    for i in range(0, whole, LANES):
        s0 += np.float64(weights[i]) * np.float64(weights[i])
        s1 += np.float64(weights[i + 1]) * np.float64(weights[i + 1])
        s2 += np.float64(weights[i + 2]) * np.float64(weights[i + 2])
        s3 += np.float64(weights[i + 3]) * np.float64(weights[i + 3])
        s4 += np.float64(weights[i + 4]) * np.float64(weights[i + 4])
        s5 += np.float64(weights[i + 5]) * np.float64(weights[i + 5])
        s6 += np.float64(weights[i + 6]) * np.float64(weights[i + 6])
        s7 += np.float64(weights[i + 7]) * np.float64(weights[i + 7])
    squares = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    for i in range(whole, weights.size):
        squares += np.float64(weights[i]) * np.float64(weights[i])
    if squares > 0.0:
        scale = np.float32(1.0 / np.sqrt(squares))
        for i in range(weights.size):
            weights[i] *= scale


@kernel
def depress(
    usage: np.ndarray, total: np.ndarray, neuron: int, amount: float, age: float, limit: float
) -> None:
    """Let a spike of ``neuron`` depress its dopaminergic weight by ``amount`` (in units of η).

    More than ``limit`` above the least used neuron, it becomes zero and stays there.
    """
    if usage[neuron] >= NEVER:
        return
    usage[neuron] = usage_after(usage[neuron], amount, age, total[0] / usage.size)
    total[0] += amount
    if limit < np.inf and usage[neuron] - usage[least_used(usage)] > limit:
        usage[neuron] = NEVER


@kernel
def learn_spike(constants: Constants, layer: Layer, neuron: int, forced: bool) -> None:
    """Everything an output spike changes for good."""
    n_spikes = 1 if forced else layer.spikes_since_imprint[neuron] + 1
    if forced:
        rate, amount = constants.imprint_rate, constants.forced_depression
    else:
        rate = rate_after(constants.learning_rate, n_spikes, constants.annealed)
        amount = 1.0
    weights = layer.weights[neuron]
    move_weights(weights, layer.trace, constants.inverse_tau_pre, rate, constants.static_offset)
    if constants.normalise_weights:
        normalise(weights)
    layer.spikes_since_imprint[neuron] = n_spikes
    if forced:
        layer.imprint_counts[neuron] += 1
    else:
        layer.spike_counts[neuron] += 1
    depress(
        layer.usage,
        layer.total_usage,
        neuron,
        amount,
        constants.age_weight,
        constants.usage_limit,
    )
