"""When does shot noise first reach a threshold? The survival equation, on a grid.

Between spikes the potential decays, at a spike (rate Λ = Σ λᵢ) it jumps by wᵢ with probability λᵢ/Λ, and
nothing else matters for its future: it is a Markov process. The probability S(v, t) that a neuron now
at v does not fire within t obeys Kolmogorov's backward equation::

    ∂S/∂t = −(v/τ) ∂S/∂v + Σ λᵢ [S(v + wᵢ) 1(v + wᵢ < v_th) − S(v)],    S(v, 0) = 1

On nodes v_j = j h with v_th half a cell above the last, h = v_th/(n − ½), it becomes dS/dt = A S: S(t) is
e^(At) 1, and A m = −1 gives the mean time m to the first spike. Time is not discretised; what is:

* the derivative: third order, biased against the drift;
* S(v + w) between nodes: a parabola through three nodes;
* the edge: a jump from v_j that ends in the cell cut by v_th survives with the part of its cell that
  stays below (the parabola through the last nodes is followed to the middle of that part).

The error falls nearly as h². With h a 25th of the potential's standard deviation (:func:`grid_size`)
firing probabilities of images are within 3e-4 of those on much finer grids (tested).
"""

from __future__ import annotations

import math

import numpy as np

_CELLS_PER_DEVIATION = 25
_FEWEST, _MOST = 128, 768
_PARTS = 16


def grid_size(rates: np.ndarray, weights: np.ndarray, threshold: float, tau: float) -> int:
    """How many nodes resolve the noise: h at most a 25th of √Var[V]."""
    deviation = math.sqrt(0.5 * tau * float((rates * weights**2).sum()))
    if deviation == 0:
        return _FEWEST
    return int(np.clip(math.ceil(_CELLS_PER_DEVIATION * threshold / deviation), _FEWEST, _MOST))


def survival_operator(
    rates: np.ndarray, weights: np.ndarray, threshold: float, tau: float, n: int
) -> np.ndarray:
    """The matrix A of the survival equation on n nodes; the first node is v = 0."""
    used = rates * weights > 0
    jumps = weights[used] * (n - 0.5) / threshold  # in cells
    A = _decay(n, tau)
    A[np.diag_indices(n)] -= float(rates[used].sum())
    inside = jumps < n
    _add_jumps(A, rates[used][inside], jumps[inside])
    return A


def _decay(n: int, tau: float) -> np.ndarray:
    """−(v/τ) ∂/∂v: in units of cells, −(j/τ) times a difference of neighbours."""
    stencil = np.zeros((n, n))
    j = np.arange(2, n - 1)
    for offset, factor in ((1, 2 / 6), (0, 3 / 6), (-1, -6 / 6), (-2, 1 / 6)):
        stencil[j, j + offset] = factor
    stencil[1, 2], stencil[1, 0] = 0.5, -0.5
    stencil[n - 1, n - 3 :] = 0.5, -2.0, 1.5  # nothing above the last node is alive
    return -(np.arange(n) / tau)[:, None] * stencil


def _add_jumps(A: np.ndarray, rates: np.ndarray, jumps: np.ndarray) -> None:
    """Add Σ λᵢ S(v + wᵢ), as far as it stays below the threshold."""
    from scipy.linalg import toeplitz

    n = len(A)
    whole = np.floor(jumps).astype(np.int64)
    r = jumps - whole

    def by_whole(factor: np.ndarray) -> np.ndarray:
        """In row j at column j + whole: what the jumps of so many whole cells add."""
        return np.triu(toeplitz(np.bincount(whole, rates * factor, minlength=n)))

    # Rows that land entirely below the threshold, j + whole <= n - 2: the same in every row.
    A[:, : n - 1] += by_whole(1 - r**2)[:, : n - 1]
    A[:, 1:] += by_whole(r * (r + 1) / 2)[:, : n - 1]
    A[:, : n - 2] += by_whole(r * (r - 1) / 2)[:, 1 : n - 1]
    # There is no node below v = 0: a straight line serves there.
    small = whole == 0
    A[0, 0] += float((rates * (r * r - r))[small].sum())
    A[0, 1] += float((rates * (r - r * r) / 2)[small].sum())
    # The row from which the jump ends in the cell that the threshold cuts.
    cut, alive, s = n - 1 - whole, rates * (1 - r), r / 2
    np.add.at(A, (cut, n - 1), alive * (s + 1) * (s + 2) / 2)
    np.add.at(A, (cut, n - 2), -alive * s * (s + 2))
    np.add.at(A, (cut, n - 3), alive * s * (s + 1) / 2)


def survival(A: np.ndarray, durations: np.ndarray) -> np.ndarray:
    """P(no spike within each duration), starting at rest; durations in any order."""
    from scipy.linalg import expm

    times, places = np.unique(durations, return_inverse=True)
    steps = np.diff(times, prepend=0.0)
    propagators: dict[float, np.ndarray] = {}
    state, alive = np.ones(len(A)), []
    for step in steps:
        key = float(f"{step:.9g}")  # equal steps of a grid differ in their last bits
        if key not in propagators:
            # e^(A step) 1 in parts: products with a vector are cheaper than e^A of a large A
            propagators[key] = expm(A * (step / _PARTS))
        for _ in range(_PARTS):
            state = propagators[key] @ state
        alive.append(state[0])
    return np.asarray(np.clip(np.array(alive)[places].reshape(durations.shape), 0.0, 1.0))


def mean_first_passage(A: np.ndarray) -> float:
    """E[time to the first spike], starting at rest: A m = −1."""
    return float(np.linalg.solve(A, -np.ones(len(A)))[0])
