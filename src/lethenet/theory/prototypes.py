"""Where prototypes would lie: spherical k-means, the bound that the network learns towards.

Rates and weights have length one, so nearest means largest dot product (paper, "Comparison of E[V(t)] at
v_th with K-Means Clustering Angular Error"). Lloyd's iteration, with means scaled back to length one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_ROWS_AT_A_TIME = 4096


def spherical_k_means(
    rates: Any, n_prototypes: int, *, n_iterations: int = 5, seed: int = 0
) -> np.ndarray:
    """Prototypes of length one, (n_prototypes, n_features), for rows of length one.

    Rows may be sparse. Starts from rows drawn at random; a prototype that nothing is nearest to stays
    where it is.

    >>> angles = np.array([0.0, 0.1, 1.4, 1.5])
    >>> rows = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> found = spherical_k_means(rows, 2)
    >>> np.sort(np.arctan2(found[:, 1], found[:, 0])).round(2).tolist()
    [0.05, 1.45]
    """
    n_rows = rates.shape[0]
    if not 1 <= n_prototypes <= n_rows:
        raise ValueError(
            f"n_prototypes={n_prototypes!r}: expected 1 to the number of rows ({n_rows})."
        )
    start = np.random.default_rng(seed).choice(n_rows, n_prototypes, replace=False)
    sparse = hasattr(rates, "tocsr")
    prototypes = rates[start].toarray() if sparse else rates[start].copy()
    for _ in range(n_iterations):
        nearest, _ = nearest_prototypes(rates, prototypes)
        order = np.argsort(nearest, kind="stable")
        taken, first = np.unique(nearest[order], return_index=True)
        sums = (
            _sums(rates[order], first) if sparse else np.add.reduceat(rates[order], first, axis=0)
        )
        prototypes[taken] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(prototypes)


def nearest_prototypes(rates: Any, prototypes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row the prototype at the smallest angle, and the cosine of that angle.

    >>> nearest, cosine = nearest_prototypes(np.array([[0.6, 0.8]]), np.eye(2))
    >>> nearest.tolist(), cosine.tolist()
    ([1], [0.8])
    """
    n_rows = rates.shape[0]
    nearest = np.empty(n_rows, np.int64)
    cosine = np.empty(n_rows, np.result_type(rates.dtype, prototypes.dtype))
    for start in range(0, n_rows, _ROWS_AT_A_TIME):
        rows = slice(start, start + _ROWS_AT_A_TIME)
        products = rates[rows] @ prototypes.T
        nearest[rows] = products.argmax(axis=1)
        cosine[rows] = np.take_along_axis(products, nearest[rows, None], axis=1)[:, 0]
    return nearest, cosine


def _sums(rows: Any, first: np.ndarray) -> np.ndarray:
    """Sums of stretches of sparse rows, each from one of ``first`` to the next, dense."""
    from scipy.sparse import csr_array

    n = rows.shape[0]
    belongs = csr_array((np.ones(n, rows.dtype), np.arange(n), np.append(first, n)))
    return np.asarray((belongs @ rows).toarray())
