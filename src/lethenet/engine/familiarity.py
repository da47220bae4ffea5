"""How familiar a sample is: its highest cosine with a neuron that has learned something.

That is the highest expected potential in units of τ_mem. The certificate's λ·G bounds it from above, since
E(x) ≥ x (:mod:`.candidates.certificate`): few neurons have to be looked at.
"""

from __future__ import annotations

import numpy as np

from .blocks import LARGEST_BLOCK, bound_block, encode_block
from .compiling.kernels import entry_kernel, kernel
from .layouts import Setting
from .llvm.llvm_bits import stay_out_of_line
from .workspace import Held


@kernel
def cosine(
    weights: np.ndarray, active: np.ndarray, rates: np.ndarray, n_active: int, of_length_one: bool
) -> float:
    """The cosine between a neuron's weights and rates of length one."""
    s0 = s1 = s2 = s3 = 0.0  # a single sum would have to wait for itself at every step
    whole = n_active - n_active % 4
    for k in range(0, whole, 4):
        s0 += rates[k] * np.float64(weights[active[k]])
        s1 += rates[k + 1] * np.float64(weights[active[k + 1]])
        s2 += rates[k + 2] * np.float64(weights[active[k + 2]])
        s3 += rates[k + 3] * np.float64(weights[active[k + 3]])
    for k in range(whole, n_active):
        s0 += rates[k] * np.float64(weights[active[k]])
    squares = 1.0
    if not of_length_one:
        squares = 1e-300
        for i in range(weights.size):
            squares += np.float64(weights[i]) * np.float64(weights[i])
    return ((s0 + s1) + (s2 + s3)) / np.sqrt(squares)  # type: ignore[no-any-return]


@kernel
def familiarity(
    setting: Setting, active: np.ndarray, rates: np.ndarray, n_active: int, bounds: np.ndarray
) -> float:
    """The highest cosine of an encoded sample with a neuron that has learned; 0 if there is none.

    ``bounds`` holds λ·G_j of all neurons if the setting is certified.
    """
    stay_out_of_line()
    layer, certified, unit = setting.layer, setting.certified, setting.constants.normalise_weights
    n_neurons, highest, first = layer.weights.shape[0], 0.0, -1
    if certified:  # the most promising neuron first: then most others need no look
        for j in range(n_neurons):
            learned = layer.spike_counts[j] + layer.imprint_counts[j] > 0
            if learned and (first < 0 or bounds[j] > bounds[first]):
                first = j
        if first < 0:
            return 0.0
        highest = cosine(layer.weights[first], active, rates, n_active, unit)
    # a little below, for rounding in the bounds' last steps
    scale = setting.certificate.theta * setting.certificate.tau_mem * (1.0 - 1e-5)
    for j in range(n_neurons):
        learned = layer.spike_counts[j] + layer.imprint_counts[j] > 0
        if learned and not (certified and bounds[j] < scale * highest):
            highest = max(highest, cosine(layer.weights[j], active, rates, n_active, unit))
    return highest


@entry_kernel
def score_batch(X: np.ndarray, workspace: Held, scores: np.ndarray) -> None:
    """Write the :func:`familiarity` of each row of X; the layer is only read."""
    setting, scratch = workspace.value
    block = scratch.block
    for start in range(0, X.shape[0], LARGEST_BLOCK):
        stop = min(start + LARGEST_BLOCK, X.shape[0])
        encode_block(X, start, stop, block)
        if setting.certified:
            bound_block(setting.certificate, stop - start, block)
        for s in range(start, stop):
            b = s - start
            active, rates, n_active = block.active[b], block.rates[b], block.n_active[b]
            scores[s] = familiarity(setting, active, rates, n_active, block.bounds[b])
