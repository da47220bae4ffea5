"""A network that learns and recognises: the state, the kernels, and what they need besides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter, is_
from typing import Any, Literal

import numpy as np
from numba.core.errors import NumbaError

from ..engine.batches import recognise_batch
from ..engine.candidates.bounded_neurons import MOST_RAISES
from ..engine.candidates.certificate import choose_theta, make_certificate, no_certificate
from ..engine.familiarity import score_batch
from ..engine.input_spikes import DRAW
from ..engine.layouts import Certificate, Layer, Setting
from ..engine.rule_kernels import learning_kernel
from ..engine.workspace import Held, hold, new_workspace
from .constants import constants_of
from .parameters import Parameters
from .presented import Presented
from .recording import Neurons, record_all
from .state import ARRAY_FIELDS, State

CandidateRule = Literal["certified", "all"]

_arrays = attrgetter(*ARRAY_FIELDS)

CHUNK_OF_SAMPLES = 256
"""Samples converted to double precision and handed to a kernel at a time, at most.

Few enough that the allocator keeps their memory; to clear new memory for each chunk takes longer than to
convert it."""

CHUNK_OF_NUMBERS = 2**22
"""Numbers in a chunk, about: samples with very many features, sparse ones above all, come fewer at once."""


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
        self._workspaces: dict[bool, list[Any]] = {True: [], False: []}  # to learn, to recognise

    def learn(
        self,
        X: Any,
        *,
        on_chunk: Callable[[int], None] | None = None,
        surprises: bool = False,
        former: bool = False,
        into: Presented | None = None,
    ) -> Presented:
        """Learn the rows of X (not negative, dense or CSR) in order; ``on_chunk`` hears of chunks' sizes.

        ``surprises`` asks how unlike all that was known each row is, ``former`` for the weights that were
        overwritten (:class:`Presented`). After an exception, Ctrl-C among them, ``into`` holds what
        happened to the rows that were learned: as many as ``state.n_presentations`` has risen by.
        """
        learned = into or Presented.empty(
            X.shape[0],
            self.parameters.n_output_spikes,
            surprises=surprises,
            n_former=self.state.n_features if former else 0,
        )
        for rows in chunks_of(X.shape[0], chunk_size(X.shape[1])):
            chunk = as_doubles(X[rows])
            log = learned.log(rows)
            try:
                self.learn_chunk(chunk, hold(log))
            finally:
                # Ctrl-C is raised when the kernel returns: what it learned counts nevertheless
                self.state.n_presentations += int(log.done[0])
            if on_chunk is not None:
                on_chunk(len(chunk))
        return learned

    def learn_chunk(self, chunk: np.ndarray, log: Held) -> None:
        """Learn rows as kernels take them. Nothing is checked, and presentations are not counted."""
        rule = self.parameters.rule
        workspace = self._workspace(chunk, plastic=True)
        try:
            learning_kernel(rule)(chunk, workspace[1], self.state.n_presentations, log)
        except NumbaError as error:
            raise ValueError(f"The rule {rule.name!r} cannot be compiled: {error}") from error
        self._workspaces[True][:] = [workspace]

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
        if self._certifiable(plastic=False):
            self._certificate_for(X)  # once, not in every thread

        def recognise_rows(rows: slice) -> int:
            chunk = as_doubles(X[rows])
            self.recognise_chunk(chunk, hold(seen.log(rows)))
            return len(chunk)

        # Threads suffice: the kernels run without the interpreter's lock.
        step = min(chunk_size(X.shape[1]), -(-n // n_threads))
        with ThreadPoolExecutor(max_workers=n_threads) as pool:
            for size in pool.map(recognise_rows, chunks_of(n, step)):
                if on_chunk is not None:
                    on_chunk(size)
        return seen

    def record(self, x: np.ndarray, *, learn: bool = False, neurons: Neurons = None) -> Any:
        """A sample's :class:`.Recording`, every spike and potential; for rows of samples, a list.

        With ``learn`` the network learns it, exactly as by :meth:`learn`; nothing changes otherwise. The
        recording comes from the plain reference, which has the same bits and needs tenths of a second.
        ``neurons`` says whose potentials are recorded: so many (10 for None) that fire or come closest
        to it, "all", or a list.

        >>> from lethenet.model import PAPER, Network, initial_state
        >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
        >>> len(network.record(np.ones(16)).inputs) > 100, network.state.n_presentations
        (True, 0)
        """
        return record_all(
            x, self.state, self.parameters, self.learn if learn else None, neurons=neurons
        )

    def recognise_chunk(self, chunk: np.ndarray, log: Held) -> None:
        """Recognise rows as kernels take them; nothing is checked."""
        workspace = self._workspace(chunk, plastic=False)
        recognise_batch(chunk, workspace[1], self._bounded_raises(), log)
        self._workspaces[False][:] = [workspace]

    def familiarity(self, X: Any) -> np.ndarray:
        """How familiar each row of X is: its highest cosine with a neuron that has learned something.

        0 if none has, or if the row is blank.

        >>> from lethenet.model import PAPER, Network, initial_state
        >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
        >>> _ = network.learn(np.eye(16)[:1])
        >>> network.familiarity(np.eye(16)[:2]).round(3)
        array([1., 0.])
        """
        scores = np.zeros(X.shape[0])
        for rows in chunks_of(X.shape[0], chunk_size(X.shape[1])):
            self.score_chunk(as_doubles(X[rows]), scores[rows])
        return scores

    def score_chunk(self, chunk: np.ndarray, scores: np.ndarray) -> None:
        """Write the familiarity of rows as kernels take them; nothing is checked."""
        workspace = self._workspace(chunk, plastic=False)
        score_batch(chunk, workspace[1], scores)
        self._workspaces[False][:] = [workspace]

    def forget_derived(self) -> None:
        """Drop what was derived from the weights. Needed after changing them from outside."""
        self._certificate = None
        self._workspaces = {True: [], False: []}

    def _workspace(self, X: np.ndarray, *, plastic: bool) -> tuple[tuple[np.ndarray, ...], Held]:
        """What a kernel works with, for samples of which X are the first, and the arrays in it.

        Who takes it puts it back if all went well: no two threads ever share one.
        """
        try:
            kept: tuple[tuple[np.ndarray, ...], Held] = self._workspaces[plastic].pop()
            if all(map(is_, kept[0], _arrays(self.state))):
                return kept
        except IndexError:
            pass
        setting = self._setting(X, plastic=plastic)
        n_raises = 0 if plastic else self._bounded_raises()
        return setting.layer, new_workspace(setting, self._capacity(n_raises), plastic)

    def _setting(self, X: Any, *, plastic: bool) -> Setting:
        """What kernels need besides the samples, of which X are the first."""
        certified = self._certifiable(plastic=plastic)
        return Setting(
            constants_of(self.parameters, self.state.n_features, frozen=not plastic),
            self._certificate_for(X) if certified else no_certificate(),
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

    def _certificate_for(self, X: Any) -> Certificate:
        if self._certificate is None:
            chunk = as_doubles(X[: chunk_size(X.shape[1])])
            peaks = chunk.max(axis=1, keepdims=True)
            shown = chunk[peaks[:, 0] > 0] / peaks[peaks[:, 0] > 0]  # squares stay in range
            norms = np.sqrt(np.einsum("ij,ij->i", shown, shown))
            cubes = np.einsum("ij,ij,ij->i", shown, shown, shown)
            cube_sum = float(np.mean(cubes / norms**3)) if len(shown) else 1.0
            p, raises = self.parameters, self._bounded_raises()
            self._certificate = make_certificate(
                self.state.weights,
                threshold=p.threshold,
                tau_mem=p.tau_mem,
                theta=choose_theta(p.tau_mem, cube_sum),
                n_spikes=self._capacity(),
                n_looked_back=self._capacity(raises),
                gains=tuple(p.rate_gain**n for n in range(raises + 1)),
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
        derived: dict[str, Any] = {"_certificate": None, "_workspaces": {True: [], False: []}}
        return {**self.__dict__, **derived}


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
