"""From a network in floating point to one in integers that goes on learning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .integer import OCTAVE, IntegerConstants, IntegerNetwork
from .parameters import PAPER, Parameters
from .state import State

ROUNDINGS = ("stochastic", "nearest", "shadow")
FIXED = (
    "stdp", "normalise_weights", "inhibition", "dopamine", "dopaminergic_target", "push", "age_weight",
    "habituation", "dopaminergic_floor", "stop_after_imprint", "carry_trace",
)  # fmt: skip
"""Parameters that integers know in one value only, that of the paper's preset."""


def quantise(
    model: Any, *, bits: int = 8, rounding: str = "stochastic", largest_weight: float | None = None
) -> IntegerNetwork:
    """The same network with weights of a few bits, all else in fixed point. It goes on learning.

    Parameters
    ----------
    model : Network or a fitted estimator
        What is in it is copied: weights, usage, spikes since the last imprint, label counts.
    bits : int, default=8
        Of a weight, 1 to 8 or 16. Below 8, a network should be frozen or have a shadow.
    rounding : {"stochastic", "nearest", "shadow"}, default="stochastic"
        How a weight becomes whole after it moved: up or down by chance, so that small steps count on
        average; to the nearest, which loses them; "shadow" keeps 16 bits aside to learn in.
    largest_weight : float, optional
        What all ones in the bits stand for; larger weights are cut. By default 9/√n_features (0.32 for
        28 × 28 pixels), at most 1, or the largest weight that there is.

    Examples
    --------
    >>> from lethenet.model import PAPER, initial_state
    >>> from lethenet.model.network import Network
    >>> network = Network(PAPER, initial_state(n_neurons=3, n_features=400, seed=0))
    >>> integers = quantise(network, bits=8)
    >>> integers.weights.shape, int(integers.weights.max()) < 256
    ((400, 3), True)
    """
    network = getattr(model, "network_", model)
    state: State = network.state
    p: Parameters = network.parameters
    _check(bits, rounding, p)
    if largest_weight is None:
        usual = min(1.0, 9.0 / math.sqrt(state.n_features))
        largest_weight = max(usual, float(state.weights.max()))
    counts = getattr(model, "label_counts_", np.zeros((state.n_neurons, 1), np.int64))
    c = constants_for(
        p, (state.n_features, *counts.shape), bits, rounding, largest_weight, state.seed
    )
    top = (1 << c.kept_bits) - 1
    steps = np.rint(state.weights.T.astype(np.float64) * (top / largest_weight))
    integers = IntegerNetwork(c, np.minimum(steps, top))
    usage = np.rint(256 * (state.usage - state.usage.min()))
    integers.usage = np.minimum(usage, 2.0**32 - 1).astype(np.int64)
    integers.spikes_since_imprint = np.minimum(state.spikes_since_imprint, 65535)
    integers.labels = np.minimum(counts, 65535).astype(np.int64)
    integers.n_presentations = state.n_presentations % 2**32
    return integers


def constants_for(
    p: Parameters,
    sizes: tuple[int, int, int],
    bits: int,
    rounding: str,
    largest_weight: float,
    seed: int,
) -> IntegerConstants:
    """The constants in fixed point. ``sizes``: inputs, neurons, classes."""
    n_features, n_neurons, n_classes = sizes
    if max(sizes) > 65535:
        raise ValueError(
            f"sizes {sizes}: integers have room for 65535 inputs, neurons and classes."
        )
    levels = (1 << bits) - 1
    unit = round(256 * levels / largest_weight)
    threshold = round(unit * p.threshold)
    room = 2**32 // (2 * ((threshold >> 8) + levels + 1))
    growth_bits = min(room.bit_length() - 1, 14)
    if growth_bits < 8:
        raise ValueError(
            f"threshold={p.threshold!r} is too high for {bits} bits up to a largest weight of "
            f"{largest_weight:g}: potentials of 32 bits would overflow. Take fewer bits."
        )
    kept_unit = unit if rounding != "shadow" else unit * 65535 // levels
    return IntegerConstants(
        n_neurons=n_neurons,
        n_features=n_features,
        n_classes=n_classes,
        bits=bits,
        rounding=rounding,
        seed=seed,
        unit=unit,
        threshold=threshold,
        interval=round(2**32 / p.tau_mem),
        trace_ratio=round(65536 * p.tau_mem / p.tau_pre),
        imprint_scale=round(kept_unit * 256 / p.tau_pre),
        period=round(OCTAVE * p.recognition_time / (p.tau_mem * math.log(2))),
        lowest_rate=round(65536 * p.learning_rate),
        imprint_rate=round(65536 * p.imprint_rate),
        annealed=p.annealed,
        n_output_spikes=p.n_output_spikes,
        n_readout_spikes=p.n_readout_spikes,
        forced_usage=round(256 * p.forced_depression),
        slower=round(65536 / p.rate_gain),
        most_raises=math.floor(math.log(p.max_rate_gain, p.rate_gain) + 1e-9),
        growth_bits=growth_bits,
    )


def _check(bits: int, rounding: str, p: Parameters) -> None:
    if bits not in (*range(1, 9), 16):
        raise ValueError(f"bits={bits!r} is out of range: expected 1 to 8, or 16.")
    if rounding not in ROUNDINGS:
        raise ValueError(
            f"rounding={rounding!r} is unknown: expected one of {', '.join(ROUNDINGS)}."
        )
    for name in FIXED:
        have, can = getattr(p, name), getattr(PAPER, name)
        if have != can:
            raise ValueError(
                f"{name}={have!r} cannot be had in integers: expected {can!r}. Learn with it in "
                "floating point, or change it before quantising."
            )
    if not 1 <= p.tau_mem <= 1000 or not 10 <= p.tau_pre <= 10_000:
        raise ValueError(
            f"tau_mem={p.tau_mem!r}, tau_pre={p.tau_pre!r}: integers have room for 1 to 1000 and 10 to "
            "10000."
        )


def as_bytes(X: np.ndarray) -> np.ndarray:
    """Samples as devices take them: bytes as they are, others with their largest value at 255.

    Only the direction of a sample counts, so each is scaled by itself.

    >>> as_bytes(np.array([[0.0, 0.5, 1.0]]))
    array([[  0, 128, 255]], dtype=uint8)
    """
    if X.dtype == np.uint8:
        return np.ascontiguousarray(X)
    peaks = np.maximum(X.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return np.ascontiguousarray(np.rint(X * (255.0 / peaks)), np.uint8)
