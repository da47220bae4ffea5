"""The fixed layer of edges as spiking neurons, event by event: pixels, detectors, pooling cells, relays.

* **Pixels** are Poisson trains.
* **Detectors**, one for each pixel and direction, are leaky integrators. A pixel's spike adds the linear
  part of the layer (blur, then the gradient along the direction), of either sign. The first detector of a
  pixel at the threshold fires and resets the others there: a race in the place of cos(angle)ᵖ.
* **Pooling cells**, one for each line, add up the spikes of the detectors around their place. One fires
  when *drive since its last spike · time since then* ≥ e² c: its threshold falls as 1/t, so that its rate
  is √(drive/c), and with e exponential, drawn anew after each spike, its train is Poisson. All detectors
  together raise c (shunting inhibition), which divides by the length of the features before inhibition.
* **Relays** send what the second layer sees. A relay gains one at a spike of its pooling cell and loses
  inhibition/n at every such spike at its place, and fires at one: f − inhibition · mean(f), cut at zero.

The root and the inhibition are exact in the mean for a steady drive. The tuning is not: a race has a
shape of its own, and pixels are noisy. Nor is the length: after inhibition it is one only on average.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lethenet.engine.compiling.kernels import entry_kernel
from lethenet.layers import Edges


class Wiring(NamedTuple):
    """Fixed connections: of each pixel to detectors, of each detector to places."""

    first: np.ndarray  # where the connections of each pixel begin in the next two
    targets: np.ndarray
    weights: np.ndarray  # (connections, directions)
    pool_first: np.ndarray  # the same for the places that pool a detector's spikes
    places: np.ndarray
    shares: np.ndarray
    tau: float
    threshold: float
    inhibition: float


class Cells(NamedTuple):
    """What the first layer's neurons hold during a presentation."""

    detectors: np.ndarray  # potentials (pixels, directions), each pixel's at the time in ``seen``
    seen: np.ndarray
    drive: np.ndarray  # of pooling cells (places, directions), since their last spike at ``since``
    since: np.ndarray
    patience: np.ndarray  # e² of each pooling cell
    relays: np.ndarray  # potentials (places, directions)
    total: np.ndarray  # what all detectors together have sent so far


@entry_kernel
def pass_on(
    times: np.ndarray, pixels: np.ndarray, wiring: Wiring, cells: Cells, gain: float, rng: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Let pixel spikes pass through the first layer: when its relays fire, and on which line."""
    n = cells.detectors.shape[1]
    when, lines, n_sent = np.empty(len(times)), np.empty(len(times), np.int64), 0
    for k in range(len(times)):
        time, pixel = times[k], pixels[k]
        for wire in range(wiring.first[pixel], wiring.first[pixel + 1]):
            target = wiring.targets[wire]
            potentials = cells.detectors[target]
            decay = math.exp((cells.seen[target] - time) / wiring.tau)
            cells.seen[target] = time
            winner = 0
            for d in range(n):
                potentials[d] = potentials[d] * decay + wiring.weights[wire, d]
                if potentials[d] > potentials[winner]:
                    winner = d
            if potentials[winner] < wiring.threshold:
                continue
            potentials[:] = 0.0  # the race at this pixel starts again
            for pooled in range(wiring.pool_first[target], wiring.pool_first[target + 1]):
                place, weight = wiring.places[pooled], wiring.shares[pooled]
                cells.total[0] += weight
                cells.drive[place, winner] += weight
                shunt = cells.total[0] / (time * gain**2)
                waited = time - cells.since[place, winner]
                if cells.drive[place, winner] * waited < cells.patience[place, winner] * shunt:
                    continue
                cells.drive[place, winner], cells.since[place, winner] = 0.0, time
                cells.patience[place, winner] = rng.standard_exponential() ** 2
                cells.relays[place] -= wiring.inhibition / n
                cells.relays[place, winner] += 1.0
                if cells.relays[place, winner] >= 1.0:
                    cells.relays[place, winner] -= 1.0
                    if n_sent == len(when):
                        when, lines = np.append(when, when), np.append(lines, lines)
                    when[n_sent], lines[n_sent] = time, place * n + winner
                    n_sent += 1
    return when[:n_sent], lines[:n_sent]


class SpikingEdges:
    """The fixed layer of edges as spiking neurons.

    Parameters
    ----------
    layer : Edges
        Fitted; gives blur, directions, pooling and inhibition.
    pixel_rate : float, default=100.0
        Spikes that all pixels together send in a time unit; rates follow the sample.
    tau, threshold : float
        Of the detectors.

    Attributes
    ----------
    gain : float
        Of the relays' rates; :meth:`calibrate` finds the one that gives them length one on average.

    Examples
    --------
    >>> from lethenet.data import load
    >>> images = load("digits").X_train
    >>> layer = SpikingEdges(Edges().fit(images))
    >>> counts = layer.counts(images[0], duration=400.0, rng=np.random.default_rng(0))
    >>> features = layer.layer.transform(images[:1])[0]
    >>> counts.shape == features.shape, bool(np.corrcoef(counts, features)[0, 1] > 0.9)
    (True, True)
    """

    def __init__(
        self,
        layer: Edges,
        *,
        pixel_rate: float = 100.0,
        tau: float = 15.0,
        threshold: float = 2.0,
    ) -> None:
        self.layer, self.pixel_rate, self.gain = layer, pixel_rate, 1.0
        made_of = layer._constants
        height, width, _ = layer.image_shape_
        (blur_down, step_down), (blur_across, step_across) = (
            _blur_and_difference(size, made_of.taps) for size in (height, width)
        )
        across = sparse.csc_array(sparse.kron(blur_down, step_across))
        down = sparse.csc_array(sparse.kron(step_down, blur_across))
        reached = sparse.csc_array(abs(across) + abs(down))
        pixels = np.repeat(np.arange(height * width), np.diff(reached.indptr))
        steps = [np.asarray(a[reached.indices, pixels]).ravel() for a in (across, down)]
        pool = sparse.csc_array(sparse.kron(made_of.rows, made_of.columns))
        weights = np.stack(steps, axis=1) @ made_of.directions.astype(float)
        self.wiring = Wiring(
            *(reached.indptr.astype(np.int64), reached.indices.astype(np.int64), weights),
            *(pool.indptr.astype(np.int64), pool.indices.astype(np.int64), pool.data.astype(float)),
            *(tau, threshold, float(made_of.inhibition)),
        )

    def rest(self, rng: np.random.Generator) -> Cells:
        """All neurons before a sample."""
        n_pixels, n = len(self.wiring.first) - 1, self.wiring.weights.shape[1]
        lines = (self.layer._n_features_out // n, n)
        return Cells(
            detectors=np.zeros((n_pixels, n)),
            seen=np.zeros(n_pixels),
            drive=np.zeros(lines),
            since=np.zeros(lines),
            patience=rng.standard_exponential(lines) ** 2,
            relays=rng.random(lines),
            total=np.zeros(1),
        )

    def spikes(
        self, sample: np.ndarray, cells: Cells, start: float, end: float, raised: float, rng: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """When relays fire between ``start`` and ``end``, and on which line."""
        rates = sample / sample.sum() * self.pixel_rate
        counts = rng.poisson(rates * (end - start))
        pixels = rng.permutation(np.repeat(np.arange(len(rates)), counts))
        times = np.sort(rng.uniform(start, end, len(pixels)))
        return pass_on(times, pixels, self.wiring, cells, self.gain * raised, rng)

    def counts(self, sample: np.ndarray, duration: float, rng: np.random.Generator) -> np.ndarray:
        """How many spikes each line sends in this time."""
        _, lines = self.spikes(sample, self.rest(rng), 0.0, duration, 1.0, rng)
        return np.bincount(lines, minlength=self.layer._n_features_out)

    def calibrate(self, X: np.ndarray, rng: np.random.Generator, duration: float = 200.0) -> None:
        """Set the gain at which rates along the features have length one on average over X."""
        features = self.layer.transform(X)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        counted = np.array([self.counts(x, duration, rng) for x in X])
        self.gain /= float((counted * features).sum(axis=1).mean()) / duration


def _blur_and_difference(size: int, taps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matrices that blur a line of pixels, and that blur it and take central differences."""
    ends = np.arange(size)
    blur, step = np.zeros((size, size)), np.zeros((size, size))
    for k, weight in enumerate(taps):
        np.add.at(blur, (ends, np.clip(ends + k - len(taps) // 2, 0, size - 1)), weight)
    step[ends, np.minimum(ends + 1, size - 1)] += 0.5
    step[ends, np.maximum(ends - 1, 0)] -= 0.5
    return blur, step @ blur
