"""A few labels spread over the links between neurons.

With c_ij the counts of the links (:mod:`lethenet.model.links`), d_i = Σ_j c_ij^1.5 and Y the label counts
of the neurons, a column per class (Zhou et al., *Learning with local and global consistency*, 2004)::

    S_ij = c_ij^1.5 / √(d_i d_j)        F = (1 − α S)⁻¹ Y

Each column of F is then divided by its sum, so that every class weighs the same however many labels it
has; each row, divided by its sum, says how likely the classes are for a neuron. Strong links count for more
than their share (the power 1.5): they lead to the same class more often. The power, α and
``WORTH`` were chosen on held-out training samples (results/labels).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.links import NO_PARTNER
from .readout import shares

POWER = 1.5
WORTH = 30
"""What spread labels count, in output spikes: a neuron with many labels of its own believes these."""
_EXACT, _MOST_STEPS = 1e-8, 500


def link_matrix(partners: np.ndarray, counts: np.ndarray, power: float = POWER) -> Any:
    """S, the symmetrically normalised links, as a sparse matrix (n_neurons, n_neurons).

    >>> link_matrix(np.array([[1], [0], [-1]]), np.array([[7], [7], [0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    from scipy.sparse import csr_array

    neurons, places = np.nonzero(partners != NO_PARTNER)
    others = partners[neurons, places]
    strengths = counts[neurons, places].astype(np.float64) ** power
    degrees = np.bincount(neurons, strengths, minlength=len(partners))
    values = strengths / np.sqrt(degrees[neurons] * degrees[others])
    return csr_array((values, (neurons, others)), shape=(len(partners), len(partners)))


def spread(links: Any, histograms: np.ndarray, alpha: float) -> np.ndarray:
    """How likely each class is for each neuron (n_neurons, n_classes), by the labels around it.

    Rows sum to one; a row of zeros belongs to a neuron that no label reaches.

    >>> chain = link_matrix(np.array([[1, -1], [0, 2], [1, -1]]), np.array([[4, 0], [4, 4], [4, 0]]))
    >>> spread(chain, np.array([[5, 0], [0, 0], [0, 5]]), alpha=0.9).round(2)
    array([[0.6, 0.4],
           [0.5, 0.5],
           [0.4, 0.6]])
    """
    F = np.maximum(solve(links, histograms.astype(np.float64), alpha), 0.0)
    masses = F.sum(axis=0)
    F /= np.where(masses > 0, masses, 1)
    return shares(F)


def solve(links: Any, Y: np.ndarray, alpha: float) -> np.ndarray:
    """(1 − α S)⁻¹ Y by conjugate gradients, all columns at once."""
    found, rest = np.zeros_like(Y), Y.copy()
    direction, left = rest.copy(), np.einsum("ij,ij->j", rest, rest)
    enough = _EXACT**2 * left
    for _ in range(_MOST_STEPS):
        if (left <= enough).all():
            break
        changed = direction - alpha * (links @ direction)
        lengths = np.einsum("ij,ij->j", direction, changed)
        step = left / np.where(lengths > 0, lengths, 1)
        found += step * direction
        rest -= step * changed
        now = np.einsum("ij,ij->j", rest, rest)
        direction = rest + now / np.where(left > 0, left, 1) * direction
        left = now
    return found


def with_spread_labels(histograms: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """Histograms for a read-out: a neuron's own labels, and spread ones that count ``WORTH`` spikes.

    >>> with_spread_labels(np.array([[0, 0], [90, 0]]), np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([[15., 15.],
           [90., 30.]])
    """
    return np.asarray(histograms + WORTH * likely)
