"""One sample at a time: what a call needs besides the sample is made once and used again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.encoding import usable
from ..engine.workspace import hold
from .network import Network
from .presented import Presented


class OneSample:
    """A network's place for one sample, with the bits of batches and without most of their cost.

    Only one thread at a time may use it, and what a call returns is overwritten by the next.

    >>> from lethenet.model import PAPER, Network, initial_state
    >>> one = OneSample(Network(PAPER, initial_state(n_neurons=4, n_features=6, seed=0)))
    >>> one.learn([1, 0, 0, 0, 0, 0]).surprises
    array([1.])
    >>> round(one.score([1, 0, 0, 0, 0, 0]), 3)
    1.0
    """

    def __init__(self, network: Network) -> None:
        p, n = network.parameters, network.state.n_features
        self.network = network
        self._row, self._score = np.zeros((1, n)), np.zeros(1)
        self._learned = Presented.empty(1, p.n_output_spikes, surprises=True, n_former=n)
        self._seen = Presented.empty(1, p.n_readout_spikes)
        self._learned_log = hold(self._learned.log(slice(0, 1)))
        self._seen_log = hold(self._seen.log(slice(0, 1)))

    def learn(self, x: Any) -> Presented:
        """Learn a sample."""
        self.network.learn_chunk(self._take(x), self._learned_log)
        self.network.state.n_presentations += 1
        return self._learned

    def recognise(self, x: Any) -> Presented:
        """Recognise a sample, frozen."""
        self.network.recognise_chunk(self._take(x), self._seen_log)
        return self._seen

    def score(self, x: Any) -> float:
        """How familiar a sample is (:meth:`.Network.familiarity`)."""
        self.network.score_chunk(self._take(x), self._score)
        return float(self._score[0])

    def _take(self, x: Any) -> np.ndarray:
        """The sample as kernels take it; ValueError if they cannot."""
        x, row = np.asarray(x), self._row[0]
        if x.shape != row.shape:
            raise ValueError(
                f"x has shape {x.shape}: expected {row.shape}, the features of one sample."
            )
        if x.dtype.kind not in "fiub":
            try:
                x = x.astype(np.float64, casting="same_kind" if x.dtype.kind == "c" else "unsafe")
            except (TypeError, ValueError):
                raise ValueError(f"x is of type {x.dtype}: expected numbers.") from None
        row[:] = x
        if not usable(row):
            below = row[row < 0]
            problem = f"a negative value, {below.min():g}" if below.size else "NaN or infinity"
            raise ValueError(f"x holds {problem}: expected finite numbers of 0 or more.")
        return self._row
