"""A firing threshold for a user's own data, without labels and without training a network.

The paper compares its thresholds with the angles of k-means clusters: more neurons, smaller angles,
higher thresholds. Turned round, with the distribution of the potential instead of its mean alone:

1. Spherical k-means with ``n_neurons`` prototypes on a part of the data: where neurons would end.
2. Rows that k-means has not seen, each with its nearest prototype: what a trained network would see.
3. The threshold at which that prototype, alone, answers with all its output spikes, each within the
   time to recognise, to a given share of the rows (:func:`.firing.recognition_probability`). The others are
   novel and go to dopamine: a higher threshold overwrites what was learned with what was known already,
   a lower one lets neurons answer to other classes. Of few samples, if these are all, more may be novel.
4. Where some rows resemble nothing (short texts), that share would be bought with a threshold at which
   anything resembles anything: it is at least a part of the one for half (:func:`auto_threshold`).

The shares are the same for all data (results/threshold compares the outcome with sweeps).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..model.parameters import ANNEALED, PAPER, Parameters
from .firing import recognition_probability
from .prototypes import nearest_prototypes, spherical_k_means

Pairs = tuple[np.ndarray, np.ndarray]
"""Rates of some rows, and the weights of the neuron that is nearest to each."""

FEWEST_ROWS = 100
"""Rows that are not blank from which ``threshold="auto"`` is settled, at least."""
OF_HALF, LEAST_OF_HALF, CLEARLY = 0.93, 0.6, 0.8
"""Parts of the threshold for half of the rows, and the share below which the second counts."""

_MOST_FITTED, _FITTED_PER_NEURON, _MOST_HELD_OUT = 20_000, 10, 2_000
_PAIRS = 64  # rows for which the first passage is solved, spread evenly over the cosines
_LOWEST = 0.01  # of τ: a threshold at which anything in common is enough
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
    """A threshold at which trained neurons recognise a given share of data like X.

    Parameters
    ----------
    X : array or scipy.sparse matrix (n_samples, n_features)
        Non-negative samples in any order; a few thousand are enough. At most 20,000 rows are used, so
        for sizes near that and above the answer is a little low.
    n_neurons : int
        Size of the network.
    parameters : Parameters, default=PAPER
        Gives ``tau_mem``, ``recognition_time`` and ``n_output_spikes``.
    recognised : float, default=0.8
        Share of new samples that trained neurons should recognise.
    untrained : float, default=0.05
        Largest share of samples to which untrained neurons may answer: if the nearest of them would answer
        to more, the threshold is raised until it does not.
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
    expected = Expected(X, n_neurons, parameters, seed)
    return round(expected.with_silence(expected.threshold_for(recognised), untrained), 2)


class Suggestion(NamedTuple):
    """A threshold, why it is that one, and the share of rows recognised at thresholds around it."""

    threshold: float
    reason: str
    curve: tuple[tuple[float, float], ...] = ()


def auto_threshold(
    X: Any,
    n_neurons: int,
    *,
    complete: bool = False,
    parameters: Parameters = ANNEALED,
    seed: int = 0,
) -> float:
    """The threshold that ``threshold="auto"`` takes, from 100 rows or more.

    ``complete``: X is all there is to learn, as in ``fit``, and not how a stream begins. A small layer has
    to generalise: of known things, one in ten may be novel to it. A large one can afford more prototypes.
    At the threshold this share of rows is recognised::

        0.9 - 0.025 log₂(n / 400), at least 0.7 and at most 0.95

    of N complete rows at most 1 - 4 n / N, but 0.6 of them at least: neurons that no novelty takes stay
    unused. Fewer are recognised where that would take a threshold below 0.93 times the one for half; of
    complete rows, if this takes fewer than four in five, only below 0.6 times that one. (Chosen on held-out
    training samples: results/threshold.) Untrained neurons may answer, too, unless rates are constant.

    >>> from sklearn.datasets import load_digits
    >>> 14.0 < auto_threshold(load_digits().data, n_neurons=100) < 16.0
    True
    """
    return explained_threshold(X, n_neurons, complete=complete, parameters=parameters, seed=seed)[0]


def explained_threshold(
    X: Any,
    n_neurons: int,
    *,
    complete: bool = False,
    parameters: Parameters = ANNEALED,
    seed: int = 0,
    curve: bool = False,
) -> Suggestion:
    """The same with its reason and, if asked for, the curve from which it is read.

    >>> from sklearn.datasets import load_digits
    >>> explained_threshold(load_digits().data[:200], n_neurons=20).reason
    '0.93 times the one at which trained neurons would recognise half of the samples: ...'
    """
    expected = Expected(X, n_neurons, parameters, seed, fewest=FEWEST_ROWS)
    share = recognised_share(n_neurons, expected.n_rows if complete else None)
    found = expected.threshold_for(share)
    reason = f"trained neurons would recognise {share:.0%} of the samples"
    if share < recognised_share(n_neurons):
        reason += ", of which there are few for so many neurons"
    # equal to comparing with the threshold for half of the rows, which takes ten times as long to find
    if expected.share(found / OF_HALF) > 0.5:
        half = expected.threshold_for(0.5)
        low = max(expected.threshold_for(CLEARLY), LEAST_OF_HALF * half) if complete else math.inf
        if (low := min(OF_HALF * half, low)) > found:
            reason = (
                f"{low / half:.2g} times the one at which trained neurons would recognise half of "
            )
            reason += "the samples: many resemble nothing else, and a threshold for "
            found, reason = low, f"{reason}{share:.0%} would be too low"
    if found <= _LOWEST * parameters.tau_mem:
        raise ValueError(
            "X: most rows have nothing in common with any other, so no threshold lets them be recognised. "
            "Expected samples that resemble each other; give a number as threshold otherwise."
        )
    if not parameters.annealed:
        silent = expected.with_silence(found, 0.05)
        reason = reason if silent == found else "untrained neurons would answer below it"
        found = silent
    threshold = round(found, 2)
    around = threshold * np.linspace(0.8, 1.2, 17) if curve else ()
    points = tuple((round(float(at), 2), round(expected.share(at), 3)) for at in around)
    return Suggestion(threshold, reason.replace("%", " %"), points)


def recognised_share(n_neurons: int, n_rows: int | None = None) -> float:
    """The share that a layer of this size should recognise (:func:`auto_threshold`), of N rows in all.

    >>> [recognised_share(n) for n in (50, 400, 1600, 10**6)]
    [0.95, 0.9, 0.85, 0.7]
    >>> [recognised_share(400, rows) for rows in (500, 1000, 60_000)]
    [0.6, 0.6, 0.9]
    """
    share = min(max(0.9 - 0.025 * math.log2(n_neurons / 400), 0.7), 0.95)
    return share if n_rows is None else min(share, max(1 - 4 * n_neurons / n_rows, 0.6))


class Expected:
    """What a trained layer of this size would recognise of data like X, expected from k-means."""

    def __init__(
        self, X: Any, n_neurons: int, parameters: Parameters, seed: int, fewest: int = 2
    ) -> None:
        if n_neurons < 1:
            raise ValueError(f"n_neurons={n_neurons!r}: expected at least 1.")
        fitted, self._held_out, self.n_rows = _split(X, n_neurons, seed, fewest)
        prototypes = spherical_k_means(fitted, min(n_neurons, fitted.shape[0]), seed=seed)
        self._trained = _pairs(self._held_out, prototypes)
        self._p, self._size = parameters, (n_neurons, seed)
        self._shares: dict[float, float] = {}

    def share(self, threshold: float) -> float:
        """Of the rows, how many the nearest prototype answers to with all its output spikes."""
        # each takes a tenth of a second, and some are asked for again
        if threshold not in self._shares:
            answered = self._share(self._trained, self._p.n_output_spikes, threshold)
            self._shares[threshold] = answered
        return self._shares[threshold]

    def threshold_for(self, share: float) -> float:
        """The threshold at which this share is recognised."""
        return _where(self.share, share, self._trained, self._p.tau_mem)

    def with_silence(self, threshold: float, untrained: float) -> float:
        """The threshold, raised if needed until untrained neurons answer to this share at most."""
        from ..model.state import initial_state

        n_neurons, seed = self._size
        weights = initial_state(n_neurons, self._held_out.shape[1], seed).weights
        raw = _pairs(self._held_out, weights)
        answer = partial(self._share, raw, 1)
        if answer(threshold) > untrained:
            return max(threshold, _where(answer, untrained, raw, self._p.tau_mem))
        return threshold

    def _share(self, pairs: Pairs, n_spikes: int, threshold: float) -> float:
        p = self._p
        settings: dict[str, Any] = {"n_spikes": n_spikes, "tau": p.tau_mem, "n_grid": _NODES}
        found = recognition_probability(*pairs, threshold, p.recognition_time, **settings)
        return float(found.mean())


def _split(X: Any, n_neurons: int, seed: int, fewest: int) -> tuple[Any, Any, int]:
    """Rows of length one, sparse if X is: those for k-means, those held out; how many are not blank."""
    sparse = hasattr(X, "tocsr")  # of scipy.sparse, which need not be imported for it
    X = X if sparse else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected (n_samples, n_features).")
    if sparse:
        X = X.tocsr(copy=True)
        X.eliminate_zeros()
    # a blank row sends no spikes and says nothing
    not_blank = np.flatnonzero(np.diff(X.indptr) if sparse else X.any(axis=1))
    if len(not_blank) < fewest:
        raise ValueError(
            f"a threshold cannot be told from the {len(not_blank)} rows of X that are not blank: expected "
            f"at least {fewest}. Give more samples, or a number as threshold."
        )
    n_held_out = min(_MOST_HELD_OUT, -(-len(not_blank) // 4))
    n_fitted = min(_MOST_FITTED, max(_MOST_FITTED // 2, _FITTED_PER_NEURON * n_neurons))
    order = np.random.default_rng(seed).permutation(len(not_blank))
    chosen = X[not_blank[order[: n_held_out + n_fitted]]]
    rows = chosen.astype(np.float64)
    values = rows.data if sparse else rows
    if not np.all(np.isfinite(values)) or values.min() < 0:
        raise ValueError(
            "X: expected finite numbers of 0 or more, because they become spike rates. "
            "lethenet.layers.OnOff makes such numbers of signed ones."
        )
    rows = _at_length_one(rows, sparse).astype(np.float32)
    return rows[n_held_out:], rows[:n_held_out], len(not_blank)


def _at_length_one(rows: Any, sparse: bool) -> Any:
    if not sparse:
        rows = rows / rows.max(axis=1, keepdims=True)  # squares stay in range
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    first, each = rows.indptr[:-1], np.diff(rows.indptr)
    rows.data /= np.repeat(np.maximum.reduceat(rows.data, first), each)
    rows.data /= np.repeat(np.sqrt(np.add.reduceat(rows.data**2, first)), each)
    return rows


def _pairs(rows: Any, prototypes: np.ndarray) -> Pairs:
    """Some rows and their nearest prototypes, evenly spread from the closest pair to the farthest."""
    nearest, cosine = nearest_prototypes(rows, prototypes)
    places = (np.arange(_PAIRS) + 0.5) * len(cosine) / _PAIRS
    chosen = np.unique(np.argsort(cosine)[places.astype(np.int64)])
    few = rows[chosen]
    dense = few.toarray() if hasattr(few, "toarray") else few
    return dense.astype(float), prototypes[nearest[chosen]].astype(float)


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
    low = max(low, _LOWEST * tau)
    while excess(low) < 0:
        low *= 0.8
        if low < _LOWEST * tau:  # rows that share nothing with any other are never recognised
            return _LOWEST * tau
    while excess(high) > 0:
        high *= 1.2
    return float(brentq(excess, low, high, xtol=0.005))
