"""Which neurons to have named: those that tell most about all the others.

The spreading kernel G = (1 − α S)⁻¹ says how far a label of one neuron reaches another;
K_ij = G_ij / √(G_ii G_jj) is 1 where it says everything. A set A of named neurons covers neuron i by
max_{j ∈ A} K_ij. Asked are the neurons that add most to the sum over all neurons of::

    √(spikes of i) · (1.1 − certainty of i) · cover of i        (facility location)

one after the other, each the best beside those before; then each is exchanged for a better one as long as
there is any. The exchange is what finds all classes with as many questions as there are classes: the first
choice of a sequence lies between classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MOST_NEURONS = 2000
"""Of a larger layer, those that fired most are considered: the kernel is a full matrix."""
NOTHING_LEFT = 2e-3
"""A question that adds less than this share of all that could be covered is not worth asking."""
_PASSES = 10


class Questions(NamedTuple):
    """What to have named: the numbers of neurons, or of samples in a pool, and what they look like."""

    numbers: np.ndarray
    images: np.ndarray


def kernel(links: Any, alpha: float) -> np.ndarray:
    """K of all pairs of neurons, a full matrix.

    >>> from .spreading import link_matrix
    >>> kernel(link_matrix(np.array([[1], [0]]), np.array([[1], [1]])), 0.5)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    G = np.linalg.inv(np.eye(links.shape[0]) - alpha * links.toarray())
    lengths = np.sqrt(np.diag(G))
    return np.asarray((G / lengths / lengths[:, None]).round(12))


def choose(
    columns: np.ndarray, weights: np.ndarray, cover: np.ndarray, allowed: np.ndarray, n: int
) -> list[int]:
    """Up to n columns (n_neurons, candidates) that together add most to ``weights · cover``.

    Fewer if no other adds anything worth asking. The first one among equals.

    >>> columns = np.array([[1.0, 0.8, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]])
    >>> choose(columns, np.ones(3), np.zeros(3), np.ones(3, bool), 2)
    [1, 2]
    """
    enough = NOTHING_LEFT * weights.sum()

    def best(covered: np.ndarray, taken: list[int]) -> tuple[int, float]:
        gains = weights @ np.maximum(columns - covered[:, None], 0.0)
        gains[~allowed] = gains[taken] = -1.0
        found = int(gains.argmax())
        return found, float(gains[found])

    def covered_by(chosen: list[int]) -> np.ndarray:
        best_chosen: np.ndarray = columns[:, chosen].max(axis=1, initial=0.0)
        return np.asarray(np.maximum(cover, best_chosen))

    chosen: list[int] = []
    while len(chosen) < n:
        found, gain = best(covered_by(chosen), chosen)
        if gain <= enough:
            break
        chosen.append(found)
    for _ in range(_PASSES):
        before = chosen.copy()
        for k, old in enumerate(before):
            others = chosen[:k] + chosen[k + 1 :]
            covered = covered_by(others)
            found, gain = best(covered, others)
            now = float(weights @ np.maximum(columns[:, old] - covered, 0.0))
            chosen[k] = found if gain > now * (1 + 1e-9) else old
        if chosen == before:
            break
    return chosen


def neurons_to_ask(
    links: Any,
    spikes: np.ndarray,
    certainty: np.ndarray,
    named: np.ndarray,
    passed: np.ndarray,
    *,
    alpha: float,
    n: int,
    pool: np.ndarray | None = None,
) -> np.ndarray:
    """The numbers of neurons to have named; of rows of ``pool``, if given: spikes of each neuron.

    ``named`` neurons have labels, ``passed`` ones were asked before; neither is asked again.
    """
    considered = np.flatnonzero(spikes > 0)
    if len(considered) > MOST_NEURONS:
        most = np.argsort(-spikes[considered], kind="stable")[:MOST_NEURONS]
        considered = np.sort(considered[most])
    K = kernel(links[considered][:, considered], alpha)
    weights = np.sqrt(spikes[considered]) * (1.1 - certainty[considered])
    cover = K[:, named[considered]].max(axis=1, initial=0.0)
    free = ~(named | passed)
    if pool is None:
        return np.asarray(considered[choose(K, weights, cover, free[considered], n)])
    shown = pool[:, considered] / np.maximum(pool.sum(axis=1, keepdims=True), 1)
    # of all samples for which the same neuron fires most, the one for which it fires most of all
    leading, strength = shown.argmax(axis=1), shown.max(axis=1, initial=0.0)
    order = np.argsort(-strength, kind="stable")
    order = order[strength[order] > 0]
    samples = order[np.unique(leading[order], return_index=True)[1]]
    allowed = free[considered][leading[samples]]
    columns = K @ shown[samples].T
    return np.asarray(samples[choose(columns, weights, cover, allowed, n)])
