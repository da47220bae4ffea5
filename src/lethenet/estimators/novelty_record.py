"""The record of novelties: what was imprinted while learning, when, on whom, and what it overwrote."""

from __future__ import annotations

import numpy as np

from ..model import Presented

NOVELTY = np.dtype(
    [("sample", np.int64), ("neuron", np.int64), ("surprise", float), ("overwritten", np.int64)]
)
"""A novelty: the number of the sample (from 0), the neuron it was imprinted on, how surprising it was
(:class:`~lethenet.estimators.one_sample.Learned`), and how many natural spikes the neuron had had since its
own imprint, −1 if it had not learned anything before."""


def latest_novelties(known: np.ndarray, learned: Presented, first: int, most: int) -> np.ndarray:
    """The novelties known so far and those among the samples just learned, at ``most`` so many.

    ``first`` is the number of the first of these samples.
    """
    when = np.flatnonzero(learned.imprints >= 0)
    new = np.zeros(len(when), NOVELTY)
    new["sample"] = first + when
    new["neuron"] = learned.imprints[when]
    new["surprise"] = learned.surprises[when]
    new["overwritten"] = learned.overwritten[when]
    return np.concatenate([known, new])[-most:]
