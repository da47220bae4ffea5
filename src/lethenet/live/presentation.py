"""One sample shown while somebody watches: what fired, what it means, what was forgotten."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from ..model import Network, Recording
from ..theory import recognition_probability
from .learner import Learner

POINTS = 240
"""Of a potential's curve, each the highest value of its stretch of time."""
CURVES = 6
MOST_INPUT_SPIKES = 1500


def present(
    learner: Learner, x: np.ndarray, *, learn: bool, name: str | None = None
) -> dict[str, Any]:
    """Show a sample and tell all about it, for the page; ``name`` is the class of a sample to be learned.

    It came in time if, as while learning, no silence lasted for the recognition time.
    """
    sample, network = learner.features(x[None]), learner.network
    seen = Network(network.parameters, network.state.copy()).record(sample[0], learn=learn)
    enough = network.parameters.n_output_spikes
    in_time = max(seen.output_times[:enough], default=np.inf)
    told = {
        "learned": learn,
        "drawn": name is None,
        "in_time": not seen.forced.any() and not (seen.raise_times < in_time).any(),
        "imprint": seen.imprinted,
        "inside": _inside(seen, learner),
        "votes": [],
        "others": [],
        "name": None,
    }
    if learn and len(seen.winners):
        neuron = int(seen.winners[-1])
        told |= {"neuron": neuron, "was": learner.owner(neuron), "before": _packed(learner, neuron)}
        told |= {"spikes": int(network.state.spike_counts[neuron])}
        # a recording changes no bit: the network does the same again
        learner.learn(x[None], [name])
        told["after"] = _packed(learner, neuron)
    if not learn:
        told |= familiarity(learner, sample)
    if not learn and len(learner.model.classes_):
        labelled = learner.model.label_counts_[seen.winners].any()
        likely = learner.model.predict_proba(sample)[0]
        best = np.argsort(-likely, kind="stable")[: 4 * labelled]
        names = learner.model.classes_
        told["votes"] = [(str(names[n]), float(likely[n])) for n in best if likely[n] > 0.01]
    return told


def familiarity(learner: Learner, sample: np.ndarray) -> dict[str, Any]:
    """How familiar a sample (1, n_features) is, and whether it is known; the same each time.

    A single presentation is a matter of luck for what is half familiar. So a sample is known if the neuron
    most like it would answer in time in at least half of all presentations.
    """
    network, p = learner.network, learner.network.parameters
    score = float(network.familiarity(sample)[0])
    told: dict[str, Any] = {"familiar": score, "chance": 0.0, "known": False}
    if score > 0:
        weights = network.state.weights * learner.fired().any(axis=0, keepdims=True).T
        lengths = np.maximum(np.linalg.norm(weights, axis=1), 1e-9)
        nearest = int(np.argmax(weights @ sample[0] / lengths))
        rates = sample[0] / np.linalg.norm(sample[0].astype(float))
        chance = recognition_probability(
            rates, weights[nearest], p.threshold, p.recognition_time,
            n_spikes=p.n_output_spikes, tau=p.tau_mem, n_grid=128,
        )  # fmt: skip
        told |= {"like": nearest, "owner": learner.owner(nearest)}
        told |= {"chance": round(float(chance), 3), "known": bool(chance >= 0.5)}
    return told


def packed(picture: np.ndarray) -> str:
    """A grey picture as text."""
    return base64.b64encode(picture.tobytes()).decode()


def _packed(learner: Learner, neuron: int) -> str:
    return packed(learner.pictures([neuron])[0])


def _inside(seen: Recording, learner: Learner) -> dict[str, Any]:
    """A recording, small enough for a picture of it."""
    p, neurons = seen.parameters, seen.neurons[:CURVES]
    # a frozen network that knows nothing like it goes on for long: the rest is more of the same
    longest = np.inf if seen.learned else 2 * p.recognition_time
    end = max(min(float(seen.duration), longest), 1.0)
    times = seen.times[seen.times <= end]
    starts = np.searchsorted(times, np.linspace(0, end, POINTS, endpoint=False))
    starts = np.minimum(starts, len(times) - 1)
    potentials = np.maximum.reduceat(seen.potentials[: len(times), : len(neurons)], starts, axis=0)
    dopamine = np.maximum.reduceat(seen.dopaminergic[: len(times)], starts)
    shown = np.flatnonzero(seen.input_times <= end)
    shown = shown[:: max(1, len(shown) // MOST_INPUT_SPIKES)]
    spikes = zip(*(a.tolist() for a in (seen.output_times, seen.winners, seen.forced)), strict=True)
    return {
        "end": end,
        "threshold": p.threshold,
        "dopamine_threshold": p.dopaminergic_threshold if seen.learned and p.dopamine else None,
        "owners": [learner.owner(neuron) for neuron in neurons],
        "potentials": np.round(potentials.T, 2).tolist(),
        "dopamine": np.round(dopamine, 3).tolist(),
        "input_times": np.round(seen.input_times[shown], 1).tolist(),
        "inputs": np.round(seen.inputs[shown] / len(seen.sample), 3).tolist(),
        "outputs": [spike for spike in spikes if spike[0] <= end],
        "raises": seen.raise_times[seen.raise_times <= end].tolist(),
    }
