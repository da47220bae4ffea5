"""The input spikes of samples, as our frozen network sees them, up to its first output spike.

A raster is what every simulator gets: which input spiked in which time step. Spikes are made by the plain
reference, so they are those that `Network.recognise` draws, raised rates included; `first_winner` runs over
them again, event by event, so that a mistake in here cannot pass for agreement.
"""

from dataclasses import dataclass

import numpy as np

from lethenet.model import Network
from lethenet.model.numbers import RECOGNITION, content_hash
from lethenet.model.reference import encode, input_spikes


@dataclass(frozen=True)
class Spikes:
    """Input spikes of one sample: when, in time units, and from which input."""

    times: np.ndarray
    inputs: np.ndarray


def spikes_of(sample: np.ndarray, network: Network, until: float) -> Spikes:
    """What a sample sends to a frozen network that is silent, up to a time."""
    p = network.parameters
    active, rates, total = encode(sample)
    number = content_hash(active, rates)
    drawn = input_spikes(
        active, rates, total, seed=network.state.seed, number=number, use=RECOGNITION
    )
    times, inputs = [], []
    gain, silent_since = 1.0, 0.0
    source, interval = next(drawn)
    time = interval / total
    while time <= until:
        if silent_since + p.recognition_time <= time:
            silent_since += p.recognition_time
            gain *= p.rate_gain
            time = silent_since + (time - silent_since) / p.rate_gain
            continue
        times.append(time)
        inputs.append(source)
        source, interval = next(drawn)
        time += interval / (total * gain)
    return Spikes(np.array(times), np.array(inputs))


def first_winner(spikes: Spikes, weights: np.ndarray, tau: float, threshold: float):
    """The neuron that crosses the threshold first, and when: no time steps, double precision."""
    potentials, before = np.zeros(len(weights)), 0.0
    for time, source in zip(spikes.times, spikes.inputs, strict=True):
        potentials *= np.exp((before - time) / tau)
        potentials += weights[:, source]
        before = time
        if potentials.max() >= threshold:
            return int(potentials.argmax()), float(time)
    return -1, np.nan


def raster_of(samples: list[Spikes], time_step: float) -> dict[str, np.ndarray]:
    """All spikes as three columns: sample, time step, input. Two at once are two rows."""
    return {
        "sample": np.repeat(np.arange(len(samples)), [len(s.times) for s in samples]),
        "step": np.concatenate([s.times // time_step for s in samples]).astype(np.int64),
        "input": np.concatenate([s.inputs for s in samples]).astype(np.int64),
    }
