"""A network that learns and recognises: the state, the kernels, and what they need besides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numba.core.errors import NumbaError

from ..engine.batches import recognise_batch
from ..engine.candidates.bounded_neurons import MOST_RAISES
from ..engine.candidates.certificate import choose_theta, make_certificate, no_certificate
from ..engine.input_spikes import DRAW
from ..engine.layouts import Certificate, Layer, Log, Setting
from ..engine.rule_kernels import learning_kernel
from .constants import constants_of
from .parameters import Parameters
from .state import ARRAY_FIELDS, State

CandidateRule = Literal["certified", "all"]

CHUNK_OF_SAMPLES = 256
"""Samples converted to double precision and handed to a kernel at a time, at most.

Few enough that the allocator keeps their memory; to clear new memory for each chunk takes longer than to
convert it."""

CHUNK_OF_NUMBERS = 2**22
"""Numbers in a chunk, about: of samples with very many features, sparse ones above all, it takes fewer."""


@dataclass(frozen=True)
class Presented:
    """What happened in a series of presentations, a row per sample.

    Attributes
    ----------
    winners : int32 (n, n_output_spikes), or (n, n_readout_spikes) of a frozen network
        The neurons that fired, in order; −1 where none did.
    times : float64, as many
        When they fired, in time units since the sample appeared; nan where none did.
    imprints : int32 (n,)
        The neuron that dopamine made learn, or −1.
    durations : float64 (n,)
        How long the sample was shown.
    input_spikes : int64 (n,)
        How many input spikes it sent.
    raises : int64 (n,)
        How often its rates were raised.
    simulated : int64 (n,)
        How many neurons were candidates: simulated, or kept an eye on by a bound.

    Examples
    --------
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> learned = network.learn(np.eye(16)[:2])
    >>> learned.winners.shape, bool((learned.durations > 0).all())
    ((2, 5), True)
    >>> bool(np.nanmax(learned.times[0]) == learned.durations[0])
    True
    """

    winners: np.ndarray
    times: np.ndarray
    imprints: np.ndarray
    durations: np.ndarray
    input_spikes: np.ndarray
    raises: np.ndarray
    simulated: np.ndarray

    @classmethod
    def empty(cls, n_samples: int, n_spikes: int) -> Presented:
        """Room for so many samples with so many output spikes each."""
        return cls(
            winners=np.full((n_samples, n_spikes), -1, np.int32),
            times=np.full((n_samples, n_spikes), np.nan),
            imprints=np.full(n_samples, -1, np.int32),
            durations=np.zeros(n_samples),
            input_spikes=np.zeros(n_samples, np.int64),
            raises=np.zeros(n_samples, np.int64),
            simulated=np.zeros(n_samples, np.int64),
        )

    def log(self, rows: slice) -> Log:
        """These rows as the kernels fill them."""
        arrays = {field.name: getattr(self, field.name)[rows] for field in fields(self)}
        return Log(**arrays, done=np.zeros(1, np.int64))


class Network:
    """A Controlled Forgetting Network on plain arrays.

    Parameters
    ----------
    parameters : Parameters
        How it behaves.
    state : State
        What it remembers. The network changes it in place while learning.
    candidates : {"certified", "all"}, default="certified"
        Simulate only neurons that can fire (with a proven bound, see
        :mod:`lethenet.engine.candidates.certificate`), or all.

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
        state.make_room_for_links(parameters.links)
        self.candidates = candidates
        self._certificate: Certificate | None = None

    def learn(self, X: Any, *, on_chunk: Callable[[int], None] | None = None) -> Presented:
        """Learn the rows of X (non-negative, an array or scipy's CSR) in order.

        ``on_chunk`` hears of every chunk's size.
        """
        learned = Presented.empty(X.shape[0], self.parameters.n_output_spikes)
        rule = self.parameters.rule
        learn_batch = learning_kernel(rule)
        for rows in chunks_of(X.shape[0], chunk_size(X.shape[1])):
            chunk = as_doubles(X[rows])
            log = learned.log(rows)
            try:
                setting = self._setting(chunk, plastic=True)
                learn_batch(chunk, setting, self.state.n_presentations, self._capacity(), log)
            except NumbaError as error:
                raise ValueError(f"The rule {rule.name!r} cannot be compiled: {error}") from error
            finally:
                # Ctrl-C is raised when the kernel returns: what it learned counts nevertheless
                self.state.n_presentations += int(log.done[0])
            if on_chunk is not None:
                on_chunk(len(chunk))
        return learned

    def recognise(
        self,
        X: Any,
        *,
        n_threads: int = 1,
        on_chunk: Callable[[int], None] | None = None,
    ) -> Presented:
        """Recognise the rows of X, frozen. The result for a row depends on nothing but that row."""
        n = X.shape[0]
        seen = Presented.empty(n, self.parameters.n_readout_spikes)
        if n == 0:
            return seen
        setting, n_raises = self._setting(X, plastic=False), self._bounded_raises()

        def recognise_rows(rows: slice) -> int:
            chunk = as_doubles(X[rows])
            recognise_batch(chunk, setting, n_raises, self._capacity(n_raises), seen.log(rows))
            return len(chunk)

        # Threads suffice: the kernels run without the interpreter's lock.
        step = min(chunk_size(X.shape[1]), -(-n // n_threads))
        with ThreadPoolExecutor(max_workers=n_threads) as pool:
            for size in pool.map(recognise_rows, chunks_of(n, step)):
                if on_chunk is not None:
                    on_chunk(size)
        return seen

    def forget_derived(self) -> None:
        """Drop what was derived from the weights. Needed after changing them from outside."""
        self._certificate = None

    def _setting(self, X: Any, *, plastic: bool) -> Setting:
        """What kernels need besides the samples, of which X are the first."""
        certified = self._certifiable(plastic=plastic)
        return Setting(
            constants_of(self.parameters, self.state.n_features, frozen=not plastic),
            self._certificate_for(X, certified),
            certified,
            self._layer(),
            np.uint64(self.state.seed),
        )

    def _certifiable(self, *, plastic: bool) -> bool:
        """Whether the certificate holds: unit weights, full resets, no raised rates while learning."""
        p = self.parameters
        return (
            self.candidates == "certified"
            and p.normalise_weights
            and p.inhibition == 1.0
            and (p.dopamine or not plastic)
        )

    def _certificate_for(self, X: Any, certified: bool) -> Certificate:
        if not certified:
            return no_certificate()
        if self._certificate is None:
            chunk = as_doubles(X[: chunk_size(X.shape[1])])
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
                n_looked_back=self._capacity(self._bounded_raises()),
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

    def _bounded_raises(self) -> int:
        """Over how many raises of the rates neurons are bounded: three, or none if rates rise fast."""
        gain = self.parameters.rate_gain
        return MOST_RAISES if gain <= 1.25 else 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_certificate": None}


def chunks_of(n: int, step: int = CHUNK_OF_SAMPLES) -> Iterator[slice]:
    """Rows 0 to n − 1, some at a time."""
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def chunk_size(n_features: int) -> int:
    """How many samples of so many features make a chunk.

    >>> chunk_size(784), chunk_size(50_000)
    (256, 83)
    """
    return max(1, min(CHUNK_OF_SAMPLES, CHUNK_OF_NUMBERS // n_features))


def as_doubles(X: Any) -> np.ndarray:
    """Samples, dense or sparse, as the kernels take them."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    return np.ascontiguousarray(dense, dtype=np.float64)
