"""One sample shown to a network while somebody watches: what fired, what it means, what was forgotten."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..model import Network
from .learner import Learner

POINTS = 240
"""Of a potential's curve, each the highest value of its stretch of time."""
CURVES = 6
MOST_INPUT_SPIKES = 1500


@dataclass(frozen=True, eq=False)
class Presentation:
    """What a presentation was like.

    Attributes
    ----------
    drawn, learned : bool
        Whether it was a drawing, and whether it was learned.
    known : bool
        Whether somebody fired before the recognition time was over.
    answer : str or None
        The name with most votes, if any neuron that fired has one.
    votes : list of (name, share)
        The best names.
    winners, imprint
        The neurons that fired, in order, and the one that dopamine made learn, or −1.
    change : dict
        Of the neuron that learned: its picture before and after, whose it was, its spikes until then.
    inside : dict
        Spikes and potentials, made small; empty where the network cannot be recorded.
    name : str or None
        The name that was given to it afterwards.
    others : list of str or None
        What the other networks answered.
    """

    drawn: bool
    learned: bool
    known: bool
    answer: str | None
    votes: list[tuple[str, float]]
    winners: np.ndarray
    imprint: int
    image: str
    change: dict[str, Any] = field(default_factory=dict)
    inside: dict[str, Any] = field(default_factory=dict)
    name: str | None = None
    others: list[str | None] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """For the page."""
        return {**vars(self), "winners": self.winners.tolist()}


def present(
    learner: Learner, x: np.ndarray, classes: Sequence[str], *, learn: bool, label: int = -1
) -> Presentation:
    """Show a sample, recorded; learned samples of the stream have a ``label``, the number of a class."""
    before, counts = learner.fired(), learner.counts.copy()
    pictures = learner.pictures(slice(None)) if learn else None
    likely, named, known, inside = np.zeros((1, 0)), np.zeros(1, bool), True, {}
    sample, imprint = learner.features(x[None]), -1
    if isinstance(learner.network, Network):
        recording = learner.network.record(sample[0], learn=learn)
        winners = recording.winners
        imprint = recording.imprinted
        enough = learner.network.parameters.n_output_spikes  # after so many, learning would have ended
        silent = recording.raise_times[recording.raise_times < max(recording.output_times[:enough], default=np.inf)]
        known = imprint < 0 if learn else not len(silent)
        inside = _inside(recording, [_name(counts, n, classes) for n in recording.neurons[:CURVES]])
        if learn:
            heard = SimpleNamespace(winners=winners[None], imprints=np.array([imprint]))
            learner.count(heard, x[None], np.array([label]))
    else:
        shown = (
            learner.learn(sample, np.array([label])) if learn else learner.network.recognise(sample)
        )
        winners = shown.winners[0]
    if imprint < 0:  # what was imprinted had no name before
        likely, named = learner.answers(winners[None])
    best = np.argsort(-likely[0], kind="stable")[:4] if named[0] else []
    votes = [(classes[n], round(float(likely[0, n]), 3)) for n in best if likely[0, n] >= 0.01]
    change = {}
    if pictures is not None and len(winners):
        neuron = imprint if imprint >= 0 else int(winners[0])
        change = {
            "neuron": neuron,
            "before": packed(pictures[neuron]),
            "after": packed(learner.pictures([neuron])[0]),
            "was": _name(counts, neuron, classes),
            "spikes": int(before[0, neuron]),
        }
    answer = votes[0][0] if votes else None
    image = packed(np.asarray(x * (255 / max(float(x.max()), 1e-12)), np.uint8))
    drawn = label < 0
    return Presentation(drawn, learn, known, answer, votes, winners, imprint, image, change, inside)


def packed(picture: np.ndarray) -> str:
    """A grey picture as text."""
    return base64.b64encode(picture.tobytes()).decode()


def _name(counts: np.ndarray, neuron: int, classes: Sequence[str]) -> str | None:
    return classes[int(counts[neuron].argmax())] if counts[neuron].any() else None


def _inside(recording: Any, owners: list[str | None]) -> dict[str, Any]:
    """A recording, small enough for a picture of it."""
    p = recording.parameters
    # a frozen network that knows nothing like it goes on for long: the rest is more of the same
    end = min(float(recording.duration), max(2 * p.recognition_time, 1.0))
    shown = recording.times <= end
    times = recording.times[shown]
    starts = np.searchsorted(times, np.linspace(0, end, POINTS, endpoint=False))
    starts = np.minimum(starts, len(times) - 1)
    potentials = recording.potentials[shown][:, : len(owners)]
    highest = np.maximum.reduceat(potentials, starts, axis=0) if len(times) else potentials
    dopamine = np.maximum.reduceat(recording.dopaminergic[shown], starts)
    inputs = np.flatnonzero(recording.input_times <= end)
    inputs = inputs[:: max(1, len(inputs) // MOST_INPUT_SPIKES)]
    fired = recording.output_times <= end
    return {
        "end": end,
        "threshold": p.threshold,
        "dopamine_threshold": p.dopaminergic_threshold
        if recording.learned and p.dopamine
        else None,
        "recognition_time": p.recognition_time,
        "neurons": recording.neurons[: len(owners)].tolist(),
        "owners": owners,
        "potentials": np.round(highest.T, 2).tolist(),
        "dopamine": np.round(dopamine, 3).tolist(),
        "input_times": np.round(recording.input_times[inputs], 1).tolist(),
        "inputs": np.round(recording.inputs[inputs] / len(recording.sample), 3).tolist(),
        "outputs": [
            [round(float(t), 1), int(n), bool(f)]
            for t, n, f in zip(
                recording.output_times[fired],
                recording.winners[fired],
                recording.forced[fired],
                strict=True,
            )
        ],
        "raises": np.round(recording.raise_times[recording.raise_times <= end], 1).tolist(),
    }
