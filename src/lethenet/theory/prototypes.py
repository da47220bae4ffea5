"""Where prototypes would lie: spherical k-means, the bound that the network learns towards.

Rates and weights have length one, so nearest means largest dot product (paper, "Comparison of E[V(t)] at
v_th with K-Means Clustering Angular Error"). Lloyd's iteration, with means scaled back to length one.
"""

from __future__ import annotations

import numpy as np

_ROWS_AT_A_TIME = 4096


def spherical_k_means(
    rates: np.ndarray, n_prototypes: int, *, n_iterations: int = 5, seed: int = 0
) -> np.ndarray:
    """Prototypes of length one, (n_prototypes, n_features), for rows of length one.

    Starts from rows drawn at random; a prototype that nothing is nearest to stays where it is.

    >>> angles = np.array([0.0, 0.1, 1.4, 1.5])
    >>> rows = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> found = spherical_k_means(rows, 2)
    >>> np.sort(np.arctan2(found[:, 1], found[:, 0])).round(2).tolist()
    [0.05, 1.45]
    """
    if not 1 <= n_prototypes <= len(rates):
        raise ValueError(
            f"n_prototypes={n_prototypes!r}: expected 1 to the number of rows ({len(rates)})."
        )
    start = np.random.default_rng(seed).choice(len(rates), n_prototypes, replace=False)
    prototypes = rates[start].copy()
    for _ in range(n_iterations):
        nearest, _ = nearest_prototypes(rates, prototypes)
        order = np.argsort(nearest, kind="stable")
        taken, first = np.unique(nearest[order], return_index=True)
        sums = np.add.reduceat(rates[order], first, axis=0)
        prototypes[taken] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return prototypes


def nearest_prototypes(rates: np.ndarray, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the prototype at the smallest angle, and the cosine of that angle.

    >>> nearest, cosine = nearest_prototypes(np.array([[0.6, 0.8]]), np.eye(2))
    >>> nearest.tolist(), cosine.tolist()
    ([1], [0.8])
    """
    nearest = np.empty(len(rates), np.int64)
    cosine = np.empty(len(rates), np.result_type(rates, prototypes))
    for start in range(0, len(rates), _ROWS_AT_A_TIME):
        rows = slice(start, start + _ROWS_AT_A_TIME)
        products = rates[rows] @ prototypes.T
        nearest[rows] = products.argmax(axis=1)
        cosine[rows] = np.take_along_axis(products, nearest[rows, None], axis=1)[:, 0]
    return nearest, cosine
