"""Event simulation with the model's own kernels, to hold the theory against.

Nothing here computes a formula of this room: input trains come from :mod:`..model.spikes`, potentials
from :mod:`..model.membrane`, output spikes from a :class:`..model.Network` whose learning is turned off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lethenet.engine.compiling.kernels import allocating_kernel
from lethenet.engine.encoding import build_alias_table, pick_inputs, unit_intervals
from lethenet.engine.llvm.vectors import WIDE
from lethenet.engine.membrane import grow, replay
from lethenet.engine.numbers import LEARNING, fill_words
from lethenet.model import Network, Parameters, initial_state
from lethenet.model.constants import Constants, constants_of
from lethenet.theory.shot_noise import checked_inputs


def simulate_potentials(
    rates: ArrayLike,
    weights: ArrayLike,
    times: ArrayLike,
    *,
    runs: int,
    seed: int = 0,
    tau: float = 15.0,
) -> np.ndarray:
    """Potentials of one neuron without a threshold, (runs, times), each run from rest.

    >>> v = simulate_potentials([0.6, 0.8], [0.6, 0.8], [0.0, 100.0], runs=500)
    >>> v.shape, bool(abs(v[:, 1].mean() - 15.0) < 0.5)
    ((500, 2), True)
    """
    rates, weights = checked_inputs(rates, weights)
    moments = np.atleast_1d(np.asarray(times, dtype=float))
    if moments.min() < 0 or moments.max() > 60 * tau:
        raise ValueError(f"times={times!r}: expected 0 to {60 * tau:g} (60 tau).")
    active = np.flatnonzero(rates > 0)
    rates, total = rates[active], float(rates.sum())
    cutoff, choice = np.empty(len(rates), np.uint64), np.empty(2 * len(rates), np.int32)
    if len(rates):
        build_alias_table(rates, len(rates), total, cutoff, choice)
    order = np.argsort(moments)
    mean_spikes = total * moments.max()
    values = np.zeros((runs, len(moments)))
    _potentials_at(
        constants_of(Parameters(tau_mem=tau, recognition_time=tau), len(weights)),
        weights.astype(np.float32),
        active.astype(np.int32),
        total,
        cutoff,
        choice,
        np.uint64(seed),
        moments[order],
        int(mean_spikes + 12 * np.sqrt(mean_spikes)) + 32,
        values,
    )
    values[:, order] = values.copy()
    return values


@allocating_kernel
def _potentials_at(
    constants: Constants,
    weights: np.ndarray,
    active: np.ndarray,
    total: float,
    cutoff: np.ndarray,
    choice: np.ndarray,
    seed: np.uint64,
    moments: np.ndarray,
    capacity: int,
    values: np.ndarray,
) -> None:
    capacity += -capacity % WIDE  # intervals and exponentials come sixteen at a time
    time_words = np.empty(capacity, np.uint64)
    pick_words = np.empty(capacity, np.uint64)
    intervals, times = np.empty(capacity), np.empty(capacity)
    inputs = np.empty(capacity, np.int32)
    growth = np.empty(capacity, np.float32)
    thresholds = np.empty(capacity, np.float32)
    for run in range(values.shape[0]):
        fill_words(seed, np.uint64(run), LEARNING, 0, time_words, pick_words)
        unit_intervals(time_words, intervals, 0)
        pick_inputs(
            pick_words, active.size, cutoff, choice, inputs, 0, intervals, times, 0.0, 1.0 / total
        )
        n_spikes = np.searchsorted(times, moments[-1])
        grow(constants, times, 0, n_spikes, 0.0, growth, thresholds)
        for place in range(moments.size):
            last = np.searchsorted(times, moments[place])
            u = replay(weights, active, inputs, growth, 0, last)
            values[run, place] = u * np.exp(-moments[place] * constants.inverse_tau_mem)


def simulate_output_spikes(
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: float,
    duration: float = 200.0,
    *,
    runs: int,
    n_spikes: int = 1,
    seed: int = 0,
    tau: float = 15.0,
) -> np.ndarray:
    """When a lone neuron has fired ``n_spikes`` times, in each run; inf if it was silent for ``duration``.

    >>> times = simulate_output_spikes([0.6, 0.8], [0.6, 0.8], threshold=18.0, runs=1000)
    >>> bool(abs(np.isfinite(times).mean() - 0.95) < 0.03)
    True
    """
    rates, weights = checked_inputs(rates, weights)
    # The network scales a sample to length one. Longer rate vectors are the same thing in shorter time.
    pace = float(np.linalg.norm(rates))
    parameters = Parameters(
        threshold=threshold,
        tau_mem=tau * pace,
        recognition_time=duration * pace,
        n_output_spikes=n_spikes,
        learning_rate=0.0,
        imprint_rate=0.0,
        normalise_weights=False,
    )
    state = initial_state(1, len(weights), seed)
    state.weights[0] = weights
    learned = Network(parameters, state).learn(np.broadcast_to(rates, (runs, len(rates))))
    return np.where(learned.imprints < 0, learned.durations / pace, np.inf)
