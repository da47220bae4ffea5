"""A self-organising map after Kohonen (1982): prototypes on a grid, neighbours of the winner learn with it.

c = argmin ‖x − p_j‖,    p_j ← p_j + η(t) · exp(−d(j, c)² / 2σ(t)²) · (x − p_j)

A stream has no end that could be known, so rate η and radius σ fall as 1/(1 + t/decay) down to what they
keep for life.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from .directions import StreamEstimator, half_squares

LEAST = 1e-3
"""Neighbours that would move by less than this share of the winner's step stay where they are."""


@dataclass(eq=False, repr=False)
class SelfOrganisingMap(StreamEstimator):
    """Kohonen's map, one sample at a time.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of prototypes, on a grid as square as it can be.
    learning_rate, final_rate : float, default=0.2 and 0.05
        η at the first sample, and what it falls to.
    radius, final_radius : float, default=None and 0.3
        σ at the first sample, and what it falls to, in steps of the grid; None is half its longer side.
    decay : float, default=50
        After so many samples, half of the way has been gone.
    random_state : int, default=0
        Draws the directions around the first sample at which prototypes start.

    Examples
    --------
    >>> X = np.eye(4).repeat(50, axis=0)
    >>> len(set(SelfOrganisingMap(n_clusters=9).fit(X).labels_.tolist()))
    4
    """

    n_clusters: int = 8
    _: KW_ONLY
    learning_rate: float = 0.2
    final_rate: float = 0.05
    radius: float | None = None
    final_radius: float = 0.3
    decay: float = 50.0
    random_state: int = 0

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the rows of X one by one. ``y`` is ignored."""
        first_time = not hasattr(self, "cluster_centers_")
        samples = self._checked(X, reset=first_time)
        for name in ("learning_rate", "final_rate", "final_radius", "decay"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected a number above 0.")
        if first_time:
            noise = np.random.default_rng(self.random_state).random(
                (self.n_clusters, samples.shape[1]), np.float32
            )
            self.cluster_centers_ = samples[0] + np.float32(0.01) * noise
            self.n_seen_ = 0
        width = math.ceil(math.sqrt(self.n_clusters))
        radius = width / 2 if self.radius is None else self.radius
        places = np.stack(np.divmod(np.arange(self.n_clusters), width), axis=1)
        distances = ((places[:, None] - places[None]) ** 2).sum(axis=2)
        prototypes = self.cluster_centers_
        halves = half_squares(prototypes)
        for sample in samples:
            left = 1 / (1 + self.n_seen_ / self.decay)
            rate = self.final_rate + (self.learning_rate - self.final_rate) * left
            sigma = self.final_radius + (radius - self.final_radius) * left
            near = distances[int(np.argmax(prototypes @ sample - halves))]
            moving = np.flatnonzero(near <= -2 * sigma**2 * math.log(LEAST))
            steps = (rate * np.exp(near[moving] / (-2 * sigma**2))).astype(np.float32)
            moved = prototypes[moving]
            moved += steps[:, None] * (sample - moved)
            prototypes[moving] = moved
            halves[moving] = half_squares(moved)
            self.n_seen_ += 1
        return self
