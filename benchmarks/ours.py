"""lethenet's side of the benchmark: times kernels in turn in one process, prints JSON lines.

Same command line as the peers' scripts. CPU seconds of this process, one thread, after a warm-up that
compiles the kernels and fills the network: it starts from samples (as the Brian2 network does) and learns
some thousand more, so that what is timed is a network at work, not an empty one.
"""

from __future__ import annotations

import argparse
import json
import time

import numba
import numpy as np

import lethenet
from lethenet.model import PAPER, Network, initial_state, reference


@numba.njit(error_model="numpy", nogil=True)
def multiply_add(u, columns, inputs, growth):
    """The bare loop: one multiplication and one addition a neuron and input spike, nothing else."""
    for k in range(inputs.size):
        row, factor = inputs[k], growth[k]
        for c in range(u.size):
            u[c] += columns[row, c] * factor


def filled_network(X: np.ndarray, count: int, neurons: int) -> Network:
    state = initial_state(neurons, X.shape[1], seed=1)
    copies = X[count : count + neurons].astype(np.float64)
    copies /= np.linalg.norm(copies, axis=1, keepdims=True)
    state.weights[: len(copies)] = copies
    network = Network(PAPER, state)
    network.learn(X[count : count + max(neurons, 4000)])
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", required=True)
    parser.add_argument("--neurons", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    with np.load(options.samples) as file:
        X = file["X"]
    shown = X[: options.count]
    network = filled_network(X, options.count, options.neurons)
    learned = network.learn(shown)
    spikes, simulated = learned.input_spikes.mean(), learned.simulated.mean()

    few = shown[: max(options.count // 10, 20)]
    full = Network(PAPER, network.state.copy(), candidates="all")
    full.learn(few[:2])
    rng = np.random.default_rng(0)
    n_active = int((shown > 0).sum(axis=1).mean())
    n_spikes = int(spikes)
    columns = rng.random((n_active, options.neurons), dtype=np.float32)
    u = np.zeros(options.neurons, np.float32)
    inputs = rng.integers(0, n_active, n_spikes).astype(np.int32)
    growth = rng.random(n_spikes, dtype=np.float32)
    multiply_add(u, columns, inputs, growth)

    def bare() -> None:
        for _ in range(5):
            multiply_add(u, columns, inputs, growth)

    def plain() -> None:
        state = network.state.copy()
        for x in shown[:2].astype(float):
            reference.present(x, state, PAPER, plastic=True)

    jobs = {
        "lethenet, learning": (lambda: network.learn(shown), len(shown)),
        "lethenet, frozen": (lambda: network.recognise(shown), len(shown)),
        "lethenet, all neurons simulated": (lambda: full.learn(few), len(few)),
        "bare multiply-add loop": (bare, 5),
    }
    if options.neurons <= 1600:
        jobs["plain reference"] = (plain, 2)
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(options.repeats):  # in turn, so that drifts of the machine hit all alike
        for name, (work, samples) in jobs.items():
            start = time.process_time()
            work()
            seconds[name].append((time.process_time() - start) / samples)
    for name, values in seconds.items():
        print(
            json.dumps(
                {
                    "peer": name,
                    "version": lethenet.__version__,
                    "neurons": options.neurons,
                    "samples": jobs[name][1],
                    "seconds_per_sample": float(np.median(values)),
                    "seconds_per_sample_repeats": values,
                    "details": {
                        "input_spikes_per_sample": float(spikes),
                        "neurons_simulated": float(simulated),
                        "threshold": PAPER.threshold,
                    },
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
