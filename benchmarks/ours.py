"""lethenet's side of the benchmark: times kernels in turn in one process, prints JSON lines.

Same command line as the peers' scripts. CPU seconds of this process, one thread, after a warm-up that
compiles the kernels and fills the network by its own protocol: 5,000 samples of each digit, one digit
after the other. What is timed are samples that it has not seen, new ones in every repeat.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator

import numba
import numpy as np

import lethenet
from lethenet.engine.input_spikes import DRAW
from lethenet.engine.llvm.neuron_steps import GROUP
from lethenet.engine.membrane import integrate
from lethenet.engine.presentation import draws_at_once
from lethenet.model import PAPER, Network, initial_state, reference


@numba.njit(error_model="numpy", nogil=True)
def multiply_add(u, columns, inputs, growth):
    """The bare loop: one multiplication and one addition a neuron and input spike, nothing else."""
    for k in range(inputs.size):
        row, factor = inputs[k], growth[k]
        for c in range(u.size):
            u[c] += columns[row, c] * factor


@numba.njit(error_model="numpy", nogil=True)
def event_loop(neurons, columns, potentials, inputs, growth, thresholds):
    """lethenet's loop over the same spikes and neurons, in windows as it takes them; nobody fires."""
    size = draws_at_once(columns.shape[0]) * DRAW
    for first in range(0, inputs.size, size):
        last = min(first + size, inputs.size)
        n_groups = columns.shape[0]
        integrate(
            n_groups, neurons, columns, potentials, inputs, growth, thresholds, first, last, 0
        )


def filled_network(X: np.ndarray, fresh: int, neurons: int) -> Network:
    """A network that has learned the samples behind the first ``fresh``, which come class by class."""
    network = Network(PAPER, initial_state(neurons, X.shape[1], seed=1))
    network.learn(X[fresh:])
    return network


def slices(X: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """``count`` samples after the other, from the start again when there are no more."""
    while True:
        for start in range(0, len(X) - count + 1, count):
            yield X[start : start + count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", required=True)
    parser.add_argument("--neurons", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    with np.load(options.samples) as file:
        X, fresh = file["X"], int(file["fresh"])
    network = filled_network(X, fresh, options.neurons)
    new = slices(X[:fresh], options.count)
    shown = next(new)
    learned = network.learn(shown)
    spikes, simulated = learned.input_spikes.mean(), learned.simulated.mean()

    few = slices(X[:fresh], max(options.count // 10, 20))
    n_few = len(next(few))
    full = Network(PAPER, network.state.copy(), candidates="all")
    full.learn(next(few)[:2])
    rng = np.random.default_rng(0)
    n_active = int((shown > 0).sum(axis=1).mean())
    n_spikes = int(spikes)
    columns = rng.random((n_active, options.neurons), dtype=np.float32)
    u = np.zeros(options.neurons, np.float32)
    inputs = rng.integers(0, n_active, n_spikes).astype(np.int32)
    growth = rng.random(n_spikes, dtype=np.float32)
    multiply_add(u, columns, inputs, growth)

    groups = -(-options.neurons // GROUP)
    in_groups = rng.random((groups, n_active, GROUP), dtype=np.float32)
    potentials = np.zeros((groups, 2, GROUP), np.float32)
    never = np.full(n_spikes, np.inf, np.float32)
    event_loop(np.arange(groups * GROUP), in_groups, potentials, inputs, growth, never)

    def loop() -> None:
        for _ in range(5):
            event_loop(np.arange(groups * GROUP), in_groups, potentials, inputs, growth, never)

    def bare() -> None:
        for _ in range(5):
            multiply_add(u, columns, inputs, growth)

    def plain() -> None:
        state = network.state.copy()
        for x in shown[:2].astype(float):
            reference.present(x, state, PAPER, plastic=True)

    jobs = {
        "lethenet, learning": (lambda: network.learn(next(new)), options.count),
        "lethenet, frozen": (lambda: network.recognise(next(new)), options.count),
        "lethenet, all neurons simulated": (lambda: full.learn(next(few)), n_few),
        "event loop, all neurons": (loop, 5),
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
