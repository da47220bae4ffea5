"""Spreading labels over links beside labelling 1,000 samples: the ratio of their times, in turn.

    python benchmarks/spreading.py [--neurons 6400] [--out FILE]

A network with 16 links a neuron learns MNIST, digits in turn. Then, by turns, labels of ten samples a class
spread over its links (the sparse matrix is made anew each time), and 1,000 samples are labelled.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from lethenet.data import load
from lethenet.estimators.readout import count_labels
from lethenet.estimators.spreading import link_matrix, spread
from lethenet.model import Network, initial_state, preset_parameters

ROUNDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neurons", type=int, default=6400)
    parser.add_argument("--out", type=Path, help="append a line of JSON")
    options = parser.parse_args()
    data, n = load("mnist"), options.neurons
    parameters = replace(preset_parameters("annealed", n), links=16)
    network = Network(parameters, initial_state(n, data.n_features, seed=1))
    network.learn(data.X_train[np.argsort(data.y_train, kind="stable")])
    chosen = np.concatenate([np.flatnonzero(data.y_train == c)[:10] for c in range(10)])
    state = network.state
    counts = count_labels(
        network.recognise(data.X_train[chosen]).winners, data.y_train[chosen], n, 10
    )
    spreading, labelling = [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        spread(link_matrix(state.link_partners, state.link_counts), counts, 0.97)
        middle = time.process_time()
        winners = network.recognise(data.X_train[:1000]).winners
        count_labels(winners, data.y_train[:1000], n, 10)
        spreading.append(middle - start)
        labelling.append(time.process_time() - middle)
    ratio = statistics.median(spreading) / statistics.median(labelling)
    links = state.link_partners.nbytes + state.link_counts.nbytes
    found = {
        "what": "spreading over labelling 1,000 samples",
        "neurons": n,
        "links": int((state.link_partners >= 0).sum()) // 2,
        "ratio": round(ratio, 3),
        "memory of links over weights": round(links / state.weights.nbytes, 3),
    }
    print(found)
    if options.out:
        with options.out.open("a") as stream:
            stream.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
