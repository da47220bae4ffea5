"""The traditional network in plain numpy, written to be read.

One loop over input spikes: every neuron is updated at every input spike. The kernels must give the same
spikes and weights, bit for bit; the tests compare them. As in :mod:`lethenet.model.reference`, decaying
quantities are kept as their value at time ``base``, and what is added to them or compared with them grows
instead.
"""

from __future__ import annotations

import math

import numpy as np

from lethenet.model.numbers import LEARNING, RECOGNITION, content_hash, exp, log
from lethenet.model.reference import Presentation, encode, in_order, input_spikes

from .parameters import TraditionalParameters, traditional_constants
from .plasticity import SMALLEST_ROOM
from .state import TraditionalState


def bounded_stdp(weights: np.ndarray, pre: np.ndarray, p: TraditionalParameters) -> np.ndarray:
    """Δw = η (x_pre − x_tar)(w_max − w)^μ within 0 … w_max; ``pre`` is the trace as a rate."""
    old = weights.astype(np.float64)
    left = np.maximum(p.max_weight - old, SMALLEST_ROOM)
    room = np.array([exp(p.weight_dependence * log(x)) for x in left.tolist()])
    new = old + p.learning_rate * (pre - p.target_trace) * room
    return np.asarray(np.clip(new, 0.0, p.max_weight), np.float32)


def keep_norm(weights: np.ndarray, p: TraditionalParameters) -> np.ndarray:
    """The same direction, with the sum or the length that is kept."""
    values = weights.astype(np.float64)
    size = 0.0
    if p.normalisation == "sum":
        size = in_order(values.tolist())
    elif p.normalisation == "length":
        size = math.sqrt(in_order((values * values).tolist()))
    return weights * np.float32(p.norm / size) if size > 0 else weights


def present(
    sample: np.ndarray, state: TraditionalState, p: TraditionalParameters, *, plastic: bool
) -> Presentation:
    """Show one sample; learn from it if ``plastic``, changing ``state`` in place."""
    shown = Presentation()
    active, rates, total = encode(sample)
    number = state.n_presentations if plastic else content_hash(active, rates)
    if plastic:
        state.n_presentations += 1
    if not active:
        return shown  # a blank sample sends no spikes

    constants = traditional_constants(p)
    slope_rate = constants.inverse_tau_mem - (constants.inverse_tau_theta if plastic else 0.0)
    use = LEARNING if plastic else RECOGNITION
    spikes = input_spikes(active, rates, total, seed=state.seed, number=number, use=use)
    potentials = np.zeros(state.n_neurons, np.float32)
    trace = np.zeros(state.n_features)
    gain, mean_interval = 1.0, 1.0 / total
    base = 0.0
    source, interval = next(spikes)
    time = interval * mean_interval

    while len(shown.winners) < p.n_output_spikes:
        winner = None
        if base + p.recognition_time <= time:  # silence: raise the rates before the next spike
            now = base + p.recognition_time
        else:  # an input spike
            now = time
            growth = exp((now - base) * constants.inverse_tau_mem)
            potentials += state.weights[:, source] * np.float32(growth)
            trace[source] += exp((now - base) * constants.inverse_tau_pre)
            shown.inputs.append(source)
            source, interval = next(spikes)
            time = now + interval * mean_interval
            # v_th + θ, both grown; while learning, θ decays from base on
            slope = np.float32(exp((now - base) * slope_rate))
            thresholds = np.float32(p.threshold * growth) + state.thetas.astype(np.float32) * slope
            excess = potentials - thresholds
            winner = int(np.argmax(excess))
            if excess[winner] < 0:
                continue

        # An output spike or silence: bring everything that decays to this time.
        shown.duration = now
        trace *= exp((base - now) * constants.inverse_tau_pre)
        if plastic:
            state.thetas *= exp((base - now) * constants.inverse_tau_theta)
        if winner is None:
            gain *= p.rate_gain
            shown.raises.append(now)
            if gain > p.max_rate_gain:
                break
            mean_interval = 1.0 / (total * gain)
            time = now + (time - now) / p.rate_gain
            potentials *= np.float32(exp((base - now) * constants.inverse_tau_mem))
        else:
            shown.winners.append(winner)
            shown.times.append(now)
            if plastic:
                state.spike_counts[winner] += 1
                state.thetas[winner] += p.theta_plus
                moved = bounded_stdp(state.weights[winner], trace * constants.inverse_tau_pre, p)
                state.weights[winner] = keep_norm(moved, p)
            potentials[:] = 0.0  # its lateral inhibition resets the layer
        base = now
    return shown
