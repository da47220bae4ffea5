"""Hashes of what every preset does: winners, durations, weights and usage, bit for bit.

``python benchmarks/bits.py > FILE`` in two checkouts, then ``diff``: 2,000 learning presentations of MNIST
(200 of each digit, in turn) and 300 recognitions, for every preset at 400 and 6400 neurons.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from lethenet.data import load
from lethenet.model import PRESETS, Network, initial_state, preset_parameters

SIZES = (400, 6400)


def digest(*arrays: np.ndarray) -> str:
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


def main(names: list[str]) -> None:
    data = load("mnist").limited(train_per_class=200, test_per_class=30)
    order = np.argsort(data.y_train, kind="stable")
    X, shown = data.X_train[order], data.X_test
    for preset in names or PRESETS:
        for neurons in SIZES:
            state = initial_state(neurons, X.shape[1], seed=7)
            network = Network(preset_parameters(preset, neurons), state)
            learned = network.learn(X)
            seen = network.recognise(shown)
            lines = {
                "winners": digest(learned.winners, learned.imprints),
                "durations": digest(learned.durations, learned.input_spikes),
                "weights": digest(state.weights),
                "usage": digest(state.usage, state.total_usage, state.spike_counts),
                "recognition": digest(seen.winners, seen.durations, seen.raises),
            }
            for what, text in lines.items():
                print(preset, neurons, what, text, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
