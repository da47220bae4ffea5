"""How likely, and how soon, does a neuron fire? (paper, "Time to Recognize", "Determining v_th")

Both follow from the survival equation of :mod:`.first_passage`, solved for the actual rates and weights:
no Gaussian approximation, no time steps. After an output spike the layer is reset and everything starts
again, so output spikes are a renewal process: n spikes take n times as long on average, and all of them
come in time with the n-th power of the probability.

"At an angle" means on the great circle through the input (:func:`weights_at_angle`): the mean potential
depends on the angle φ alone, τ cos φ, but the variance depends on which weights they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from .first_passage import grid_size, mean_first_passage, survival, survival_operator
from .shot_noise import checked_inputs


def firing_probability(
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: ArrayLike,
    duration: ArrayLike = 200.0,
    *,
    tau: float = 15.0,
    n_grid: int | None = None,
) -> np.ndarray:
    """P(a neuron at rest fires within ``duration``).

    Parameters
    ----------
    rates, weights : array
        Inputs along the last axis; the other axes broadcast, and against ``threshold``.
    threshold : float or array
        v_th.
    duration : float or array
        Its axes come last in the result.
    tau : float, default=15.0
        Membrane time constant.
    n_grid : int, optional
        Nodes of the grid (see :mod:`.first_passage`); chosen by the noise if not given.

    Examples
    --------
    >>> image = np.array([0.6, 0.8])
    >>> p = firing_probability(image, image, threshold=18.0, duration=[50.0, 200.0])
    >>> p.round(2).tolist()
    [0.28, 0.95]
    """
    durations = np.asarray(duration, dtype=float)
    if not np.all((durations >= 0) & (durations < np.inf)):
        raise ValueError(f"duration={duration!r}: expected finite times of 0 or more.")
    never = np.zeros(durations.shape)
    neurons = (rates, weights, threshold, tau, n_grid)
    return _for_each_neuron(lambda A: 1.0 - survival(A, durations), never, *neurons)


def recognition_probability(
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: ArrayLike,
    duration: float = 200.0,
    *,
    n_spikes: int = 5,
    tau: float = 15.0,
    n_grid: int | None = None,
) -> np.ndarray:
    """P(the first ``n_spikes`` output spikes come, none of them later than ``duration`` after the last).

    So long the dopaminergic neuron stays silent.

    >>> image = np.array([0.6, 0.8])
    >>> round(float(recognition_probability(image, image, threshold=18.0)), 2)
    0.78
    """
    once = firing_probability(rates, weights, threshold, duration, tau=tau, n_grid=n_grid)
    return np.asarray(once**n_spikes)


def expected_firing_time(
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: ArrayLike,
    *,
    tau: float = 15.0,
    n_grid: int | None = None,
) -> np.ndarray:
    """E[time to the first output spike] of a neuron at rest; arguments as in :func:`firing_probability`.

    >>> image = np.array([0.6, 0.8])
    >>> round(float(expected_firing_time(image, image, threshold=15.0)))
    39
    """
    neurons = (rates, weights, threshold, tau, n_grid)
    return _for_each_neuron(mean_first_passage, np.inf, *neurons)


def time_to_recognise(
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: ArrayLike,
    *,
    n_spikes: int = 5,
    tau: float = 15.0,
    n_grid: int | None = None,
) -> np.ndarray:
    """E[time to ``n_spikes`` output spikes], which the paper puts at 150 to 225 for a close neuron.

    >>> image = np.array([0.6, 0.8])
    >>> round(float(time_to_recognise(image, image, threshold=15.0)))
    195
    """
    return n_spikes * expected_firing_time(rates, weights, threshold, tau=tau, n_grid=n_grid)


def weights_at_angle(rates: ArrayLike, towards: ArrayLike, angle: ArrayLike) -> np.ndarray:
    """Weight vectors of length one at ``angle`` (radians) from the input, on the way to another one.

    >>> w = weights_at_angle([1.0, 0.0], [1.0, 2.0], np.pi / 4)
    >>> w.round(3).tolist()
    [0.707, 0.707]
    """
    start, end = checked_inputs(rates, towards)
    angles = np.asarray(angle, dtype=float)
    if start.ndim != 1 or end.ndim != 1 or not start.any() or not end.any():
        raise ValueError("rates and towards: expected one input vector each, not blank.")
    start, end = start / np.linalg.norm(start), end / np.linalg.norm(end)
    farthest = float(np.arccos(np.clip(start @ end, -1.0, 1.0)))
    if np.any(angles < 0) or np.any(angles > farthest + 1e-9):
        raise ValueError(
            f"angle={angle!r}: expected 0 to {farthest:.4f}, the angle between rates and towards; "
            "beyond it weights would become negative."
        )
    across = end - (start @ end) * start
    length = float(np.linalg.norm(across))
    across = across / length if length > 0 else across
    turned = np.multiply.outer(np.cos(angles), start) + np.multiply.outer(np.sin(angles), across)
    return np.asarray(np.maximum(turned, 0.0))


def _for_each_neuron(
    solve: Callable[[np.ndarray], ArrayLike],
    without_input: ArrayLike,
    rates: ArrayLike,
    weights: ArrayLike,
    threshold: ArrayLike,
    tau: float,
    n_grid: int | None,
) -> np.ndarray:
    """What follows from each neuron's survival operator; a neuron without input never fires."""
    from threadpoolctl import threadpool_limits

    rates, weights = checked_inputs(rates, weights)
    thresholds = np.asarray(threshold, dtype=float)
    if not np.all((thresholds > 0) & (thresholds < np.inf)):
        raise ValueError(f"threshold={threshold!r}: expected finite potentials above 0.")
    if n_grid is not None and n_grid < 8:
        raise ValueError(f"n_grid={n_grid!r}: expected at least 8 nodes.")
    shape = np.broadcast_shapes(rates.shape[:-1], weights.shape[:-1], thresholds.shape)
    each_rates = np.broadcast_to(rates, (*shape, rates.shape[-1]))
    each_weights = np.broadcast_to(weights, each_rates.shape)
    each_threshold = np.broadcast_to(thresholds, shape)
    found = np.empty((*shape, *np.shape(without_input)))

    def solve_at(place: tuple[int, ...]) -> None:
        lam, w, theta = each_rates[place], each_weights[place], float(each_threshold[place])
        if np.any(lam * w > 0):
            n = n_grid or grid_size(lam, w, theta, tau)
            found[place] = solve(survival_operator(lam, w, theta, tau, n))
        else:
            found[place] = without_input

    # the matrices are small: a thread for each neuron, not several for one
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(solve_at, np.ndindex(shape)))
    return found
