"""One-sided STDP at an output spike, and the normalisation after it.

The paper's rule, with the offset tied to the weight as in Oja's (paper, "Stabilizing STDP")::

    Δw = α (pre/τ_pre − w),    then w ← w / ‖w‖₂

The traditional rule has the same offset in every dimension and caps weights at zero::

    Δw = α (pre/τ_pre − offset)
"""

from __future__ import annotations

import numpy as np

from .compiling.kernels import kernel
from .llvm.llvm_bits import stay_out_of_line

LANES = 8  # the sum of squares runs in this many lanes, so that it can use vector registers


@kernel
def potentiate(
    weights: np.ndarray,
    trace: np.ndarray,
    inverse_tau_pre: float,
    rate: float,
    static_stdp: bool,
    static_offset: float,
) -> None:
    """Move one neuron's weights by the STDP rule. ``trace`` is the pre-synaptic trace now."""
    stay_out_of_line()
    alpha = np.float32(rate)
    offset = np.float32(static_offset)
    if static_stdp:
        for i in range(weights.size):
            target = np.float32(trace[i] * inverse_tau_pre)
            weights[i] = max(weights[i] + alpha * (target - offset), np.float32(0.0))
    else:
        for i in range(weights.size):
            target = np.float32(trace[i] * inverse_tau_pre)
            weights[i] = weights[i] + alpha * (target - weights[i])


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
