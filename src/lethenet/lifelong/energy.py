"""What learning and recognising would cost in hardware: synaptic operations, and joules as an interval.

A synaptic operation adds one weight to one potential. Hardware does one for each input spike and each
neuron (*dense*); our simulation leaves out neurons that cannot fire (*simulated*). Only these operations
are counted: no memory that idles, no input, no radio. An interval goes from the most to the least thrifty
of the machines named here, so it says what order to expect, not what a given board will draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..model import Presented

CYCLES_PER_OPERATION = 8
"""Of a Cortex-M4: 6 instructions in all (counted in QEMU, 100 neurons, results/device), 1.3 cycles each."""


class Machine(NamedTuple):
    """Joules per synaptic operation, at least and at most, and whence they are."""

    name: str
    least: float
    most: float
    source: str


MACHINES = (
    Machine(
        "microcontroller (Cortex-M4)",
        CYCLES_PER_OPERATION * 20e-12,
        CYCLES_PER_OPERATION * 430e-12,
        f"{CYCLES_PER_OPERATION} cycles per operation; 6 µA/MHz at 3.3 V (Ambiq Apollo3 data sheet) to "
        "130 µA/MHz at 3.3 V (STM32F411 data sheet)",
    ),
    Machine(
        "neuromorphic chip",
        12.7e-12,
        26e-12,
        "12.7 pJ (ODIN, Frenkel et al. 2019) to 26 pJ (TrueNorth, Merolla et al. 2014) per operation; "
        "Loihi has 23.6 pJ (Davies et al. 2018)",
    ),
)


def joules(operations: float) -> dict[str, tuple[float, float]]:
    """The least and the most that so many synaptic operations take, for each machine.

    >>> least, most = joules(1e6)["neuromorphic chip"]
    >>> round(1e6 * least, 1), round(1e6 * most, 1)
    (12.7, 26.0)
    """
    return {m.name: (operations * m.least, operations * m.most) for m in MACHINES}


@dataclass
class Cost:
    """Sums over presentations: samples, input spikes, and operations: spikes times neurons simulated.

    >>> Cost(2, 600, 1000).dense_operations(n_neurons=10), Cost(2, 600, 1000).simulated_per_sample()
    (3000.0, 500.0)
    """

    samples: int = 0
    input_spikes: int = 0
    simulated_operations: int = 0

    def add(self, shown: Presented | Cost) -> None:
        """Count these presentations, or those of another cost."""
        if not isinstance(shown, Cost):
            simulated = int(np.sum(shown.input_spikes * shown.simulated))
            shown = Cost(len(shown.input_spikes), int(shown.input_spikes.sum()), simulated)
        self.samples += shown.samples
        self.input_spikes += shown.input_spikes
        self.simulated_operations += shown.simulated_operations

    def dense_operations(self, n_neurons: int) -> float:
        """Synaptic operations per sample as hardware would do them."""
        return self.input_spikes * n_neurons / max(self.samples, 1)

    def simulated_per_sample(self) -> float | None:
        """Synaptic operations per sample that the simulation did; None before the first."""
        return self.simulated_operations / self.samples if self.samples else None
