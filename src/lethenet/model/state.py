"""What the network remembers: a few plain arrays. Everything else is derived from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._limits import check_memory
from .links import NO_PARTNER
from .numbers import INITIAL_WEIGHTS, two_words


@dataclass(eq=False)
class State:
    """The complete state of a network between two presentations.

    Attributes
    ----------
    seed : int
        Key of all random numbers.
    n_presentations : int
        How many samples were learned. With the seed, the place in the stream of random numbers.
    weights : float32 (n_neurons, n_features)
        Non-negative weight vectors, a row each.
    usage : float64 (n_neurons,)
        How much each dopaminergic weight was depressed: log d = −η · usage, up to normalisation.
    total_usage : float64 (1,)
        Sum of all depressions so far; the layer's clock for firing age.
    spike_counts : int64 (n_neurons,)
        Natural output spikes (not forced by dopamine).
    imprint_counts : int64 (n_neurons,)
        Spikes forced by dopamine.
    spikes_since_imprint : int64 (n_neurons,)
        Output spikes since the last imprint, which itself counts as the first.
    trace : float64 (n_features,)
        Pre-synaptic traces at the end of the last presentation (used when they are carried over).
    link_partners : int32 (n_neurons, links)
        With which neurons each is linked, −1 in an empty place (:mod:`.links`); no columns without links.
    link_counts : int32 (n_neurons, links)
        How strong these links are.

    Examples
    --------
    >>> state = initial_state(n_neurons=3, n_features=5, seed=0)
    >>> state.n_neurons, state.n_features, state.n_presentations
    (3, 5, 0)
    """

    seed: int
    n_presentations: int
    weights: np.ndarray
    usage: np.ndarray
    total_usage: np.ndarray
    spike_counts: np.ndarray
    imprint_counts: np.ndarray
    spikes_since_imprint: np.ndarray
    trace: np.ndarray
    link_partners: np.ndarray
    link_counts: np.ndarray

    @property
    def n_neurons(self) -> int:
        """Number of neurons."""
        return int(self.weights.shape[0])

    @property
    def n_features(self) -> int:
        """Number of inputs."""
        return int(self.weights.shape[1])

    def copy(self) -> State:
        """An independent copy."""
        arrays = {name: getattr(self, name).copy() for name in ARRAY_FIELDS}
        return State(seed=self.seed, n_presentations=self.n_presentations, **arrays)

    def make_room_for_links(self, links: int) -> None:
        """Give each neuron so many places for links. If it had another number, they begin anew.

        >>> state = initial_state(n_neurons=3, n_features=5, seed=0)
        >>> state.make_room_for_links(2)
        >>> state.link_partners.tolist()
        [[-1, -1], [-1, -1], [-1, -1]]
        """
        if self.link_partners.shape[1] != links:
            self.link_partners = np.full((self.n_neurons, links), NO_PARTNER, np.int32)
            self.link_counts = np.zeros((self.n_neurons, links), np.int32)


ARRAY_FIELDS = {
    "weights": np.dtype(np.float32),
    "usage": np.dtype(np.float64),
    "total_usage": np.dtype(np.float64),
    "spike_counts": np.dtype(np.int64),
    "imprint_counts": np.dtype(np.int64),
    "spikes_since_imprint": np.dtype(np.int64),
    "trace": np.dtype(np.float64),
    "link_partners": np.dtype(np.int32),
    "link_counts": np.dtype(np.int32),
}
"""Names and types of a state's arrays."""


def array_shapes(n_neurons: int, n_features: int, links: int = 0) -> dict[str, tuple[int, ...]]:
    """The shape each of a state's arrays must have."""
    return {
        "weights": (n_neurons, n_features),
        "usage": (n_neurons,),
        "total_usage": (1,),
        "spike_counts": (n_neurons,),
        "imprint_counts": (n_neurons,),
        "spikes_since_imprint": (n_neurons,),
        "trace": (n_features,),
        "link_partners": (n_neurons, links),
        "link_counts": (n_neurons, links),
    }


def initial_state(n_neurons: int, n_features: int, seed: int) -> State:
    """A network that has seen nothing: uniform random weight vectors of length one.

    >>> state = initial_state(n_neurons=3, n_features=5, seed=0)
    >>> state.weights.shape, bool(state.weights.min() > 0)
    ((3, 5), True)
    """
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed={seed!r} is out of range: expected 0 to 2**64 - 1.")
    check_memory(n_neurons, n_features)
    # numpy's generator serves here: this is drawn once, by one implementation
    key = two_words(seed=seed, number=0, use=INITIAL_WEIGHTS, index=0)
    generator = np.random.Generator(np.random.Philox(key=np.array(key, dtype=np.uint64)))
    weights = 1.0 - generator.random((n_neurons, n_features), dtype=np.float32)  # in (0, 1]
    weights /= np.sqrt(np.einsum("ij,ij->i", weights, weights, dtype=np.float64))[:, None].astype(
        np.float32
    )
    shapes = array_shapes(n_neurons, n_features)
    arrays = {name: np.zeros(shapes[name], kind) for name, kind in ARRAY_FIELDS.items()}
    return State(seed, 0, **{**arrays, "weights": np.ascontiguousarray(weights)})
