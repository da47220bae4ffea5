"""What happened in a series of presentations."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..engine.layouts import Log


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
    overwritten : int64 (n,)
        Where a sample was imprinted: how many natural spikes its neuron had had since its own imprint
        before; −1 where nothing was overwritten, because nothing was imprinted or the neuron was new.
    surprises : float64 (n,), or (0,) if not asked for
        How unlike all that the network knew a sample was: 1 − its highest cosine with a neuron that had
        learned something, before it was learned itself.
    former : float32 (n, n_features), or (0, n_features) if not asked for
        Where a sample was imprinted: the weights that it overwrote; zeros elsewhere.

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
    overwritten: np.ndarray
    surprises: np.ndarray
    former: np.ndarray

    @classmethod
    def empty(
        cls, n_samples: int, n_spikes: int, *, surprises: bool = False, n_former: int = 0
    ) -> Presented:
        """Room for so many samples with so many output spikes each, and what else is asked for."""
        return cls(
            winners=np.full((n_samples, n_spikes), -1, np.int32),
            times=np.full((n_samples, n_spikes), np.nan),
            imprints=np.full(n_samples, -1, np.int32),
            durations=np.zeros(n_samples),
            input_spikes=np.zeros(n_samples, np.int64),
            raises=np.zeros(n_samples, np.int64),
            simulated=np.zeros(n_samples, np.int64),
            overwritten=np.full(n_samples, -1),
            surprises=np.ones(n_samples if surprises else 0),
            former=np.zeros((n_samples if n_former else 0, n_former), np.float32),
        )

    def first(self, n: int) -> Presented:
        """What happened to the first n samples."""
        return Presented(**{field.name: getattr(self, field.name)[:n] for field in fields(self)})

    def log(self, rows: slice) -> Log:
        """These rows as the kernels fill them."""
        arrays = {field.name: getattr(self, field.name)[rows] for field in fields(self)}
        return Log(**arrays, done=np.zeros(1, np.int64))
