"""The traditional network that Controlled Forgetting replaces: a layer in the manner of Diehl & Cook.

Same neurons, same Poisson inputs, same random numbers and the same winner-take-all reset as
:class:`~lethenet.model.Network`; what differs is how it keeps all neurons in use and how it learns:

* homeostasis by adaptive thresholds, v_th + θ_j: θ_j rises by θ_plus at each spike of its own neuron and
  decays with τ_θ, dθ_j/dt = −θ_j/τ_θ;
* STDP with a static offset and a soft bound, Δw = η (x_pre − x_tar)(w_max − w)^μ, and constant sums of
  weights (:mod:`.plasticity`);
* no dopamine: when nobody fires, the input rates are raised, while learning too.

Diehl & Cook, "Unsupervised learning of digit recognition using spike-timing-dependent plasticity",
Frontiers in Computational Neuroscience 9:99, 2015. Theirs has conductances and an inhibitory layer of its
own; delta synapses and a reset stand for them here, so that both networks differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lethenet.model.network import CHUNK_OF_SAMPLES, as_doubles, chunks_of

from .batches import Answers, present_batch
from .parameters import TraditionalParameters, traditional_constants, traditional_for
from .presentation import TraditionalLayer
from .state import TraditionalState, initial_traditional_state


class TraditionalNetwork:
    """A Diehl & Cook style network on plain arrays.

    Parameters
    ----------
    parameters : TraditionalParameters
        How it behaves.
    state : TraditionalState
        What it remembers. The network changes it in place while learning.

    Examples
    --------
    >>> from lethenet_reproduction.traditional import *
    >>> state = initial_traditional_state(TRADITIONAL, n_neurons=4, n_features=16, seed=0)
    >>> network = TraditionalNetwork(TRADITIONAL, state)
    >>> _ = network.learn(np.eye(16)[:3])
    >>> int(state.spike_counts.sum())
    15
    """

    def __init__(self, parameters: TraditionalParameters, state: TraditionalState) -> None:
        self.parameters = parameters
        self.state = state

    def learn(self, X: np.ndarray, *, on_chunk: Callable[[int], None] | None = None) -> Answers:
        """Learn the rows of X (non-negative) in order; ``on_chunk`` hears of every chunk's size."""
        answers = self._no_answers(X.shape[0])
        for rows in chunks_of(X.shape[0]):
            done = np.zeros(1, np.int64)
            try:
                self._present(X, rows, answers, done, plastic=True)
            finally:
                # Ctrl-C is raised when the kernel returns: what it learned counts nevertheless
                self.state.n_presentations += int(done[0])
            if on_chunk is not None:
                on_chunk(int(done[0]))
        return answers

    def recognise(
        self, X: np.ndarray, *, n_threads: int = 1, on_chunk: Callable[[int], None] | None = None
    ) -> Answers:
        """Recognise the rows of X; weights and thresholds stand still.

        The result for a row depends on nothing but that row.
        """
        n = X.shape[0]
        answers = self._no_answers(n)
        if n == 0:
            return answers

        def work(rows: slice) -> int:
            done = np.zeros(1, np.int64)
            self._present(X, rows, answers, done, plastic=False)
            return int(done[0])

        # Threads suffice: the kernels run without the interpreter's lock.
        step = min(CHUNK_OF_SAMPLES, -(-n // n_threads))
        with ThreadPoolExecutor(max_workers=n_threads) as pool:
            for size in pool.map(work, chunks_of(n, step)):
                if on_chunk is not None:
                    on_chunk(size)
        return answers

    def _no_answers(self, n: int) -> Answers:
        return Answers(
            winners=np.full((n, self.parameters.n_output_spikes), -1, np.int32),
            durations=np.zeros(n),
            input_spikes=np.zeros(n, np.int64),
            raises=np.zeros(n, np.int64),
        )

    def _present(
        self, X: np.ndarray, rows: slice, answers: Answers, done: np.ndarray, *, plastic: bool
    ) -> None:
        state = self.state
        present_batch(
            as_doubles(X[rows]),
            traditional_constants(self.parameters),
            TraditionalLayer(state.weights, state.thetas, state.spike_counts),
            plastic,
            np.uint64(state.seed),
            state.n_presentations,
            done,
            Answers(*(array[rows] for array in answers)),
        )


def traditional_network(n_neurons: int, n_features: int, seed: int) -> TraditionalNetwork:
    """One that has seen nothing, with the tuned parameters: what ``lethenet live`` compares with.

    >>> traditional_network(n_neurons=4, n_features=16, seed=0).state.n_presentations
    0
    """
    parameters = traditional_for(n_neurons)
    state = initial_traditional_state(parameters, n_neurons, n_features, seed)
    return TraditionalNetwork(parameters, state)
