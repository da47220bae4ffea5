"""A firing threshold for a user's own data, without labels and without training a network.

The paper compares its thresholds with the angles of k-means clusters: more neurons, smaller angles,
higher thresholds. Turned round, with the distribution of the potential instead of its mean alone:

1. Spherical k-means with ``n_neurons`` prototypes on a part of the data: where neurons would end.
2. Rows that k-means has not seen, each with its nearest prototype: what a trained network would see.
3. The threshold at which that prototype, alone, answers with all its output spikes, each within the
   time to recognise, to four rows in five (:func:`.firing.recognition_probability`). The fifth is novel
   and goes to dopamine: a higher threshold overwrites what was learned with what was known already, a
   lower one lets neurons answer to other classes.
4. Untrained neurons must stay silent, or nothing is imprinted: if the nearest of them would fire for more
   than one row in twenty, the threshold is raised until it does not.

Both shares are the same for all data (results/threshold compares the outcome with sweeps).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..model.parameters import ANNEALED, PAPER, Parameters
from .firing import recognition_probability
from .prototypes import nearest_prototypes, spherical_k_means

Pairs = tuple[np.ndarray, np.ndarray]
"""Rates of some rows, and the weights of the neuron that is nearest to each."""

_MOST_FITTED, _FITTED_PER_NEURON, _MOST_HELD_OUT = 20_000, 10, 2_000
_PAIRS = 64  # rows for which the first passage is solved, spread evenly over the cosines
_NODES = 128  # of its grid: probabilities to about 1e-3, thresholds to 0.01


def suggest_threshold(
    X: Any,
    n_neurons: int,
    *,
    parameters: Parameters = PAPER,
    recognised: float = 0.8,
    untrained: float = 0.05,
    seed: int = 0,
) -> float:
    """A threshold to start from, for data like X and a network of this size.

    Parameters
    ----------
    X : array or scipy.sparse matrix (n_samples, n_features)
        Non-negative samples in any order; a few thousand are enough. At most 20,000 rows are used
        (and made dense), so for sizes near that and above the answer is a little low.
    n_neurons : int
        Size of the network.
    parameters : Parameters, default=PAPER
        Gives ``tau_mem``, ``recognition_time`` and ``n_output_spikes``.
    recognised : float, default=0.8
        Share of new samples that trained neurons should recognise.
    untrained : float, default=0.05
        Largest share of samples to which untrained neurons may answer.
    seed : int, default=0
        For the choice of rows and the start of k-means.

    Returns
    -------
    float
        The threshold, to two decimals.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> 15.0 < suggest_threshold(load_digits().data, n_neurons=100) < 16.0
    True
    """
    for name, value in (("recognised", recognised), ("untrained", untrained)):
        if not 0 < value < 1:
            raise ValueError(f"{name}={value!r}: expected a share between 0 and 1.")
    if n_neurons < 1:
        raise ValueError(f"n_neurons={n_neurons!r}: expected at least 1.")
    fitted, held_out = _split(X, n_neurons, seed)
    prototypes = spherical_k_means(fitted, min(n_neurons, len(fitted)), seed=seed)
    p = parameters

    def share(pairs: Pairs, n_spikes: int, threshold: float) -> float:
        """Of these pairs, how many answer with so many output spikes."""
        settings: dict[str, Any] = {"n_spikes": n_spikes, "tau": p.tau_mem, "n_grid": _NODES}
        found = recognition_probability(*pairs, threshold, p.recognition_time, **settings)
        return float(found.mean())

    trained = _pairs(held_out, prototypes)
    recognise = partial(share, trained, p.n_output_spikes)
    threshold = _where(recognise, recognised, trained, p.tau_mem)
    from ..model.state import initial_state

    raw = _pairs(held_out, initial_state(n_neurons, held_out.shape[1], seed).weights)
    answer = partial(share, raw, 1)
    if answer(threshold) > untrained:
        threshold = max(threshold, _where(answer, untrained, raw, p.tau_mem))
    return round(threshold, 2)


def auto_threshold(
    X: Any, n_neurons: int, *, parameters: Parameters = ANNEALED, seed: int = 0
) -> float:
    """The threshold that ``threshold="auto"`` takes: :func:`suggest_threshold` for a share by size.

    A small layer has to generalise: of known things, one in ten may be novel to it. A large one can afford
    more prototypes::

        recognised = 0.9 - 0.025 log₂(n / 400), at least 0.7 and at most 0.95

    Chosen on held-out training samples of MNIST and Fashion-MNIST behind three first layers
    (results/first_layer).

    >>> from sklearn.datasets import load_digits
    >>> 14.0 < auto_threshold(load_digits().data, n_neurons=100) < 16.0
    True
    """
    share = min(max(0.9 - 0.025 * math.log2(n_neurons / 400), 0.7), 0.95)
    return suggest_threshold(X, n_neurons, parameters=parameters, recognised=share, seed=seed)


def _split(X: Any, n_neurons: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows scaled to length one: those for k-means, and those held out."""
    sparse = hasattr(X, "tocsr")  # of scipy.sparse, which need not be imported for it
    X = X if sparse else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected (n_samples, n_features).")
    if sparse:
        X = X.tocsr(copy=True)
        X.eliminate_zeros()
    # a blank row sends no spikes and says nothing
    not_blank = np.flatnonzero(np.diff(X.indptr) if sparse else X.any(axis=1))
    if len(not_blank) < 2:
        raise ValueError(f"X has {len(not_blank)} rows that are not blank: expected at least 2.")
    n_held_out = min(_MOST_HELD_OUT, -(-len(not_blank) // 4))
    n_fitted = min(_MOST_FITTED, max(_MOST_FITTED // 2, _FITTED_PER_NEURON * n_neurons))
    order = np.random.default_rng(seed).permutation(len(not_blank))
    chosen = X[not_blank[order[: n_held_out + n_fitted]]]
    rows = (chosen.toarray() if sparse else chosen).astype(np.float64)
    if not np.all(np.isfinite(rows)) or rows.min() < 0:
        raise ValueError(
            "X: expected finite numbers of 0 or more, because they become spike rates."
        )
    rows = rows / rows.max(axis=1, keepdims=True)  # squares stay in range
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return rows[n_held_out:], rows[:n_held_out]


def _pairs(rows: np.ndarray, prototypes: np.ndarray) -> Pairs:
    """Some rows and their nearest prototypes, evenly spread from the closest pair to the farthest."""
    nearest, cosine = nearest_prototypes(rows, prototypes)
    places = (np.arange(_PAIRS) + 0.5) * len(rows) / _PAIRS
    chosen = np.unique(np.argsort(cosine)[places.astype(np.int64)])
    return rows[chosen].astype(float), prototypes[nearest[chosen]].astype(float)


def _where(share: Callable[[float], float], wanted: float, pairs: Pairs, tau: float) -> float:
    """The threshold at which the share, which falls with it, is the wanted one."""
    from scipy.optimize import brentq

    @cache  # brentq asks for the ends again
    def excess(threshold: float) -> float:
        return share(threshold) - wanted

    rates, weights = pairs
    mean = tau * (rates * weights).sum(axis=1)
    deviation = np.sqrt(0.5 * tau * (rates * weights**2).sum(axis=1))
    low, high = float(mean.min()), float((mean + 2 * deviation).max())
    while excess(low) < 0:
        low *= 0.8
    while excess(high) > 0:
        high *= 1.2
    return float(brentq(excess, low, high, xtol=0.005))
