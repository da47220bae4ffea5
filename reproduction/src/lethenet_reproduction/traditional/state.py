"""What the traditional network remembers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lethenet.model.state import initial_state

from .parameters import TraditionalParameters


@dataclass(eq=False)
class TraditionalState:
    """The complete state of a traditional network between two presentations.

    Attributes
    ----------
    seed : int
        Key of all random numbers.
    n_presentations : int
        How many samples were learned. With the seed, the place in the stream of random numbers.
    weights : float32 (n_neurons, n_features)
        Non-negative weights, a row per neuron.
    thetas : float64 (n_neurons,)
        How far each neuron's threshold stands above v_th.
    spike_counts : int64 (n_neurons,)
        Output spikes while learning.

    Examples
    --------
    >>> from lethenet_reproduction.traditional import TRADITIONAL
    >>> state = initial_traditional_state(TRADITIONAL, n_neurons=3, n_features=5, seed=0)
    >>> state.n_neurons, state.n_features, state.n_presentations
    (3, 5, 0)
    """

    seed: int
    n_presentations: int
    weights: np.ndarray
    thetas: np.ndarray
    spike_counts: np.ndarray

    @property
    def n_neurons(self) -> int:
        """Number of neurons."""
        return int(self.weights.shape[0])

    @property
    def n_features(self) -> int:
        """Number of inputs."""
        return int(self.weights.shape[1])

    def copy(self) -> TraditionalState:
        """An independent copy."""
        return TraditionalState(
            self.seed,
            self.n_presentations,
            self.weights.copy(),
            self.thetas.copy(),
            self.spike_counts.copy(),
        )


def initial_traditional_state(
    parameters: TraditionalParameters, n_neurons: int, n_features: int, seed: int
) -> TraditionalState:
    """A network that has seen nothing: uniform random weights with the norm that is kept later.

    The directions are those of :func:`~lethenet.model.initial_state` with the same seed.

    >>> from lethenet_reproduction.traditional import TRADITIONAL
    >>> state = initial_traditional_state(TRADITIONAL, n_neurons=3, n_features=5, seed=0)
    >>> bool(np.allclose(np.linalg.norm(state.weights, axis=1), TRADITIONAL.norm))
    True
    """
    weights = initial_state(n_neurons, n_features, seed).weights  # of length one
    sums = weights.sum(axis=1, dtype=np.float64, keepdims=True)
    sizes = sums if parameters.normalisation == "sum" else np.ones_like(sums)
    return TraditionalState(
        seed=seed,
        n_presentations=0,
        weights=np.ascontiguousarray(weights * (parameters.norm / sizes), dtype=np.float32),
        thetas=np.zeros(n_neurons),
        spike_counts=np.zeros(n_neurons, np.int64),
    )
