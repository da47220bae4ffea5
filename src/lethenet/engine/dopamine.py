"""The dopaminergic neuron in kernels: whom it pushes.

:mod:`lethenet.model.dopamine` has the equations.
"""

from __future__ import annotations

import numpy as np

from ..model.dopamine import SMALLEST_GAP
from .compiling.kernels import kernel
from .llvm.llvm_bits import high_product
from .numbers import RANDOM_TARGET, log, two_words


@kernel
def least_used(usage: np.ndarray) -> int:
    """The neuron with the largest dopaminergic weight, the first one among equals."""
    best = 0
    for j in range(1, usage.size):
        if usage[j] < usage[best]:
            best = j
    return best


@kernel
def habituate(usage: np.ndarray, total: np.ndarray, share: float) -> None:
    """Let all usage fade by a share, as time goes by."""
    kept = 1.0 - share
    for j in range(usage.size):
        usage[j] *= kept
    total[0] *= kept


@kernel
def push_score(potential: float, threshold: float, depression: float, usage: float) -> float:
    """log((v_th − v)/d) up to a constant: the neuron with the smallest one is reached first."""
    return log(max(threshold - potential, SMALLEST_GAP)) + depression * usage


@kernel
def random_target(seed: np.uint64, number: np.uint64, spike: int, n_neurons: int) -> int:
    """Any neuron, with equal chances (an ablation of the trained dopaminergic weights)."""
    word, _ = two_words(seed, number, RANDOM_TARGET, np.uint64(spike))
    # signed, or numba would meet it with other neuron numbers in a double
    return np.int64(high_product(word, np.uint64(n_neurons)))  # type: ignore[return-value]
