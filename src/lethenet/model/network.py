"""A network that learns and recognises: the state, the kernels, and what they need besides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..engine import learning, recognising
from ..engine.candidates.bounded_neurons import MOST_TURNS
from ..engine.candidates.certificate import Certificate, choose_theta, make_certificate
from ..engine.input_spikes import DRAW
from ..engine.layouts import Layer
from .parameters import Parameters, constants_of
from .state import ARRAY_FIELDS, State

CandidateRule = Literal["certified", "all"]

CHUNK_OF_SAMPLES = 256
"""Samples converted to double precision and handed to a kernel at a time.

Few enough that the allocator keeps their memory; to clear new memory for each chunk takes longer than to
convert it."""


@dataclass(frozen=True)
class Learned:
    """What happened in a series of learning presentations, a row per sample.

    ``winners`` (n, n_output_spikes) holds the neurons that fired, in order, −1 where none did;
    ``imprints`` the neuron that dopamine made learn or −1; ``durations`` the time each sample was
    shown; ``input_spikes`` how many input spikes it sent; ``simulated`` how many neurons were simulated.

    Examples
    --------
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> learned = network.learn(np.eye(16)[:2])
    >>> learned.winners.shape, bool((learned.durations > 0).all())
    ((2, 5), True)
    """

    winners: np.ndarray
    imprints: np.ndarray
    durations: np.ndarray
    input_spikes: np.ndarray
    simulated: np.ndarray


@dataclass(frozen=True)
class Recognised:
    """What happened in a series of recognitions; like :class:`Learned`, and ``raises`` of the rates.

    ``winners`` is (n, n_readout_spikes).

    Examples
    --------
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> network.recognise(np.ones((2, 16))).winners.shape
    (2, 5)
    """

    winners: np.ndarray
    durations: np.ndarray
    input_spikes: np.ndarray
    raises: np.ndarray
    simulated: np.ndarray


class Network:
    """A Controlled Forgetting Network on plain arrays.

    Parameters
    ----------
    parameters : Parameters
        How it behaves.
    state : State
        What it remembers. The network changes it in place while learning.
    candidates : {"certified", "all"}, default="certified"
        Simulate only neurons that can fire (with a proven bound, see :mod:`.certificate`), or all.

    Examples
    --------
    >>> import numpy as np
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> learned = network.learn(np.eye(16)[:3])
    >>> learned.imprints.shape
    (3,)
    """

    def __init__(
        self, parameters: Parameters, state: State, *, candidates: CandidateRule = "certified"
    ) -> None:
        if candidates not in ("certified", "all"):
            raise ValueError(
                f"candidates={candidates!r} is unknown: expected 'certified' or 'all'."
            )
        self.parameters = parameters
        self.state = state
        self.candidates = candidates
        self._certificate: Certificate | None = None

    def learn(self, X: np.ndarray, *, on_chunk: Callable[[int], None] | None = None) -> Learned:
        """Learn the rows of X (non-negative) in order; ``on_chunk`` hears of every chunk's size."""
        n = X.shape[0]
        learned = Learned(
            winners=np.full((n, self.parameters.n_output_spikes), -1, np.int32),
            imprints=np.full(n, -1, np.int32),
            durations=np.zeros(n),
            input_spikes=np.zeros(n, np.int64),
            simulated=np.zeros(n, np.int64),
        )
        constants = constants_of(self.parameters, self.state.n_features)
        certified = self._certifiable(plastic=True)
        for rows in _chunks(n):
            chunk = _doubles(X[rows])
            certificate = self._certificate_for(chunk, certified)
            done = np.zeros(1, np.int64)
            try:
                learning.learn_batch(
                    chunk,
                    constants,
                    certificate,
                    certified,
                    self._layer(),
                    np.uint64(self.state.seed),
                    self.state.n_presentations,
                    self._capacity(),
                    done,
                    learned.winners[rows],
                    learned.imprints[rows],
                    learned.durations[rows],
                    learned.input_spikes[rows],
                    learned.simulated[rows],
                )
            finally:
                # Ctrl-C is raised when the kernel returns: what it learned counts nevertheless
                self.state.n_presentations += int(done[0])
            if on_chunk is not None:
                on_chunk(len(chunk))
        return learned

    def recognise(
        self,
        X: np.ndarray,
        *,
        n_threads: int = 1,
        on_chunk: Callable[[int], None] | None = None,
    ) -> Recognised:
        """Recognise the rows of X, frozen. The result for a row depends on nothing but that row."""
        n = X.shape[0]
        seen = Recognised(
            winners=np.full((n, self.parameters.n_readout_spikes), -1, np.int32),
            durations=np.zeros(n),
            input_spikes=np.zeros(n, np.int64),
            raises=np.zeros(n, np.int64),
            simulated=np.zeros(n, np.int64),
        )
        if n == 0:
            return seen
        constants = constants_of(self.parameters, self.state.n_features, frozen=True)
        certified = self._certifiable(plastic=False)
        certificate = self._certificate_for(X, certified)
        layer = self._layer()

        def work(rows: slice) -> int:
            chunk = _doubles(X[rows])
            recognising.recognise_batch(
                chunk,
                constants,
                certificate,
                certified,
                layer,
                np.uint64(self.state.seed),
                self._capacity(self._watched_raises()),
                self._watched_raises(),
                seen.winners[rows],
                seen.durations[rows],
                seen.input_spikes[rows],
                seen.raises[rows],
                seen.simulated[rows],
            )
            return len(chunk)

        # Threads suffice: the kernels run without the interpreter's lock.
        step = min(CHUNK_OF_SAMPLES, -(-n // n_threads))
        with ThreadPoolExecutor(max_workers=n_threads) as pool:
            for size in pool.map(work, _chunks(n, step)):
                if on_chunk is not None:
                    on_chunk(size)
        return seen

    def forget_derived(self) -> None:
        """Drop what was derived from the weights. Needed after changing them from outside."""
        self._certificate = None

    def _certifiable(self, *, plastic: bool) -> bool:
        """Whether the certificate holds: unit weights, full resets, and rates that are not raised."""
        p = self.parameters
        return (
            self.candidates == "certified"
            and p.normalise_weights
            and p.inhibition == 1.0
            and (p.dopamine or not plastic)
        )

    def _certificate_for(self, X: np.ndarray, certified: bool) -> Certificate:
        if not certified:
            return _NO_CERTIFICATE
        if self._certificate is None:
            chunk = _doubles(X[:CHUNK_OF_SAMPLES])
            peaks = chunk.max(axis=1, keepdims=True)
            shown = chunk[peaks[:, 0] > 0] / peaks[peaks[:, 0] > 0]  # squares stay in range
            norms = np.sqrt(np.einsum("ij,ij->i", shown, shown))
            cubes = np.einsum("ij,ij,ij->i", shown, shown, shown)
            cube_sum = float(np.mean(cubes / norms**3)) if len(shown) else 1.0
            tau, threshold = self.parameters.tau_mem, self.parameters.threshold
            self._certificate = make_certificate(
                self.state.weights,
                threshold=threshold,
                tau_mem=tau,
                theta=choose_theta(tau, cube_sum),
                n_spikes=self._capacity(),
                n_looked_back=self._capacity(self._watched_raises()),
            )
        return self._certificate

    def _layer(self) -> Layer:
        for name in ARRAY_FIELDS:  # an unpickled memory map is read-only: kernels need to write
            setattr(
                self.state, name, np.require(getattr(self.state, name), requirements=["C", "W"])
            )
        return Layer(**{name: getattr(self.state, name) for name in ARRAY_FIELDS})

    def _capacity(self, n_raises: int = 0) -> int:
        """Room for the input spikes of a silence in which rates are raised so many times.

        At first there are at most √n_features per time unit on average. Twelve standard deviations more
        are not exceeded in the lifetime of the universe.
        """
        mean = self.parameters.recognition_time * math.sqrt(self.state.n_features)
        mean *= sum(self.parameters.rate_gain**raises for raises in range(n_raises + 1))
        return int(mean + 12 * math.sqrt(mean)) + 8 * DRAW

    def _watched_raises(self) -> int:
        """Over how many raises of the rates neurons are watched: not over very many spikes."""
        gain = self.parameters.rate_gain
        return MOST_TURNS if gain <= 1.25 else 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_certificate": None}


_NO_CERTIFICATE = Certificate(
    0.0,
    0.0,
    1.0,
    1.0,
    np.zeros(2, np.float32),
    np.zeros((0, 1, 1, 2), np.int16),
    np.zeros(0, np.float32),
    np.zeros((0, 1), np.uint8),
    np.zeros(0, np.uint16),
    0.0,
    0.0,
)


def _chunks(n: int, step: int = CHUNK_OF_SAMPLES) -> Iterator[slice]:
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _doubles(X: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(X, dtype=np.float64)
