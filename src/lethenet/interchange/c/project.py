"""A folder that builds: the network's C with an example, a board, a Makefile and what it takes."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...model.integer import IntegerNetwork
from .sources import c_sources, rendered, write_files

EXAMPLE = (
    "main.c", "samples.h", "board.h", "board_host.c", "board_cortex_m.c", "cortex_m.ld", "Makefile",
    "SIZES.md",
)  # fmt: skip
PER_OPERATION, PER_SPIKE = 4, 200
"""Instructions of a Cortex-M4, as counted in QEMU (tests/interchange/test_c_project.py checks them)."""
STACK = 2048
TABLES = 4 * 257 + 2 * 256 + 4 * 16
TRIED = 3


class Samples(NamedTuple):
    """Samples for the example: rows of bytes, class numbers (−1 where unknown), and what they are."""

    X: np.ndarray
    labels: np.ndarray
    about: str


def write_c(
    folder: str | os.PathLike[str],
    integers: IntegerNetwork,
    *,
    name: str = "network",
    learning: bool = True,
    samples: Samples | None = None,
) -> list[Path]:
    """Write a network as C into a folder, with an example that runs and a report of sizes; the files.

    ``integers`` are made by :func:`lethenet.model.quantise`; ``name`` is what the header and the source are
    called. Unless it goes on ``learning``, weights are constants in flash; two of 4 bits share a byte. The
    example sees ``samples``, by default what some of the neurons have learned.

    >>> import tempfile
    >>> from lethenet.model import PAPER, initial_state, quantise
    >>> from lethenet.model.network import Network
    >>> network = Network(PAPER, initial_state(n_neurons=3, n_features=4, seed=0))
    >>> files = write_c(tempfile.mkdtemp(), quantise(network))
    >>> sorted(file.name for file in files)[:3]
    ['Makefile', 'SIZES.md', 'board.h']
    """
    samples = samples or prototypes(integers)
    ram = ram_bytes(integers, learning=learning)
    flash = flash_bytes(integers, ram, learning=learning)
    in_example = sum(ram.values()) + 64 * integers.constants.n_output_spikes
    values = {
        "c": integers.constants,
        "name": name,
        "learning": learning,
        "samples": samples,
        "ram": ram,
        "flash": flash,
        "ram_kb": next_power(in_example),
        "flash_kb": next_power(flash + samples.X.size + 16384),
        "operations": input_spikes(integers, samples.X[:TRIED], learning=learning),
        "n_tried": min(TRIED, len(samples.X)),
        "per_operation": PER_OPERATION,
        "per_spike": PER_SPIKE,
    }
    texts = c_sources(integers, name=name, learning=learning)
    texts |= {file: rendered(file, **values) for file in EXAMPLE}
    return write_files(folder, texts)


def prototypes(integers: IntegerNetwork, n: int = 10) -> Samples:
    """What some of the neurons have learned, as samples."""
    chosen = np.linspace(0, integers.constants.n_neurons - 1, n).astype(int)
    weights = integers.weights[:, np.unique(chosen)].T
    X = (weights * 255 // np.maximum(weights.max(axis=1, keepdims=True), 1)).astype(np.uint8)
    return Samples(X, np.full(len(X), -1), "What some of the neurons have learned, as samples.")


def ram_bytes(integers: IntegerNetwork, *, learning: bool) -> dict[str, int]:
    """How much RAM each part of a network takes, in bytes."""
    c, found = integers.constants, {}
    if learning:
        found["weights"] = c.n_features * c.n_neurons * (2 if c.bits == 16 else 1)
        if c.rounding == "shadow":
            found["shadow of the weights"] = 2 * c.n_features * c.n_neurons
        found["usage and spikes since the last imprint"] = 6 * c.n_neurons
        found["traces"] = 8 * c.n_features
    found["label counts"] = 2 * c.n_neurons * c.n_classes
    found["potentials"] = 4 * c.n_neurons
    found["alias table"] = 10 * c.n_features
    found["spikes drawn ahead"] = 6 * 32
    found["stack"] = STACK
    return found


def flash_bytes(integers: IntegerNetwork, ram: dict[str, int], *, learning: bool) -> int:
    """Constants and first values, in bytes."""
    c = integers.constants
    column = (c.n_neurons + 1) // 2 if c.bits == 4 else c.n_neurons * (2 if c.bits == 16 else 1)
    parts = ("weights", "shadow of the weights", "usage and spikes since the last imprint")
    first = sum(ram.get(part, 0) for part in parts) if learning else c.n_features * column
    return TABLES + first + ram["label counts"]


def next_power(n_bytes: int) -> int:
    """So many kB that are a power of two: 128 for 100,000 bytes."""
    return 1 << (-(-n_bytes // 1024) - 1).bit_length()


def input_spikes(integers: IntegerNetwork, X: np.ndarray, *, learning: bool) -> dict[str, float]:
    """Mean input spikes of a sample that is learned and of one that is recognised."""
    tried = copy.deepcopy(integers)
    ways = {"learned": tried.learn} if learning else {}
    ways["recognised"] = tried.recognise
    return {
        what: float(np.mean([show(x).n_input_spikes for x in X])) for what, show in ways.items()
    }
