"""What an output spike does to potentials: its neuron is reset, the others are inhibited."""

from __future__ import annotations

import numpy as np

from .compiling.kernels import kernel
from .layouts import Layer, Sample
from .llvm.neuron_steps import GROUP


@kernel
def update_column(layer: Layer, sample: Sample, columns: np.ndarray, c: int, neuron: int) -> None:
    """Copy a neuron's weights from the active inputs into its column."""
    for k in range(sample.n_active):
        columns[c // GROUP, k, c % GROUP] = layer.weights[neuron, sample.active[k]]


@kernel
def inhibit(potentials: np.ndarray, inhibition: float, decay: float, winner: int) -> None:
    """Reset the winner, take their share of potential from all others, and start a new time base."""
    if inhibition == 1.0:
        set_to_zero(potentials)
        return
    scale_down(potentials, np.float32((1.0 - inhibition) * decay))
    potentials[winner // GROUP, 0, winner % GROUP] = 0.0


@kernel
def set_to_zero(potentials: np.ndarray) -> None:
    """All potentials at rest."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] = np.float32(0.0)


@kernel
def take_snapshot(potentials: np.ndarray, snapshot: np.ndarray) -> None:
    """Copy all potentials to where they stay as they are."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            snapshot[group, lane] = potentials[group, 0, lane]


@kernel
def restore(snapshot: np.ndarray, potentials: np.ndarray) -> None:
    """Make the potentials what they were when they were kept."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] = snapshot[group, lane]


@kernel
def scale_down(potentials: np.ndarray, scale: np.float32) -> None:
    """Multiply all potentials by the same number."""
    for group in range(potentials.shape[0]):
        for lane in range(GROUP):
            potentials[group, 0, lane] *= scale
