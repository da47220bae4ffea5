"""What the simulators' scripts share: the layer, the raster, the first winners as one JSON line.

It runs in the environments of the simulators, without lethenet. A script gives `main` a function that turns
a NIR graph into a `step`: input spikes (samples, inputs) in, output spikes and potentials after them out.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import nir  # after the number of threads was set
import numpy as np
import torch

STEP_SECONDS = 1e-4
SAMPLES_AT_A_TIME = 50
STEPS_AT_A_TIME = 200

Step = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def layer_of(graph: nir.NIRGraph) -> tuple[nir.Linear, nir.LIF]:
    """The weights and the neurons, whatever their names are."""
    nodes = graph.nodes.values()
    (weights,) = (node for node in nodes if isinstance(node, nir.Linear | nir.Affine))
    (neurons,) = (node for node in nodes if isinstance(node, nir.LIF))
    return weights, neurons


def with_exact_decay(graph: nir.NIRGraph) -> nir.NIRGraph:
    """Give forward Euler, which decays by 1 − dt/τ, the τ with which that is e^(−dt/τ) of the file."""
    _, neurons = layer_of(graph)
    neurons.tau = STEP_SECONDS / -np.expm1(-STEP_SECONDS / neurons.tau)
    neurons.r = neurons.tau / STEP_SECONDS
    return graph


class Raster:
    """Input spikes as rows of sample, step and input, sorted by sample and step."""

    def __init__(self, path: Path, n_inputs: int) -> None:
        with np.load(path, allow_pickle=False) as file:
            self.sample, self.step, self.input = (file[k] for k in ("sample", "step", "input"))
        self.n_inputs = n_inputs
        self.ends = np.zeros(self.sample.max() + 1, np.int64)
        np.maximum.at(self.ends, self.sample, self.step + 1)

    def block(self, samples: np.ndarray, start: int) -> torch.Tensor:
        """Spikes of some samples in some steps, as (steps, samples, inputs)."""
        place = np.full(len(self.ends), -1)
        place[samples] = np.arange(len(samples))
        rows = (place[self.sample] >= 0) & (self.step >= start)
        rows &= self.step < start + STEPS_AT_A_TIME
        dense = torch.zeros(STEPS_AT_A_TIME, len(samples), self.n_inputs)
        where = (self.step[rows] - start, place[self.sample[rows]], self.input[rows])
        one = torch.ones(int(rows.sum()))
        dense.index_put_(tuple(map(torch.as_tensor, where)), one, accumulate=True)
        return dense


def first_winners(build: Callable[[nir.NIRGraph], Step], read: Callable, raster: Raster):
    """For each sample the neuron that fires first, and in which step; −1 where none does.

    Of several that fire in one step it is the one with the highest potential, as in lethenet: what was
    left of the potential before the step, and what the step's spikes add.
    """
    n = len(raster.ends)
    winners, steps, ties = np.full(n, -1), np.full(n, -1), 0
    by_length = np.argsort(raster.ends, kind="stable")
    for first in range(0, n, SAMPLES_AT_A_TIME):
        samples = by_length[first : first + SAMPLES_AT_A_TIME]
        graph = read()
        weight, neurons = layer_of(graph)
        added, keep = torch.as_tensor(weight.weight), 1 - STEP_SECONDS / float(neurons.tau[0])
        step, before = build(graph), torch.zeros(len(samples), len(weight.weight))
        for start in range(0, int(raster.ends[samples].max()), STEPS_AT_A_TIME):
            for offset, x in enumerate(raster.block(samples, start)):
                spikes, after = step(x)
                fired = spikes > 0
                for row in torch.nonzero(fired.any(dim=1))[:, 0].tolist():
                    if winners[samples[row]] < 0:
                        height = before[row] * keep + added @ x[row]
                        height[~fired[row]] = -torch.inf
                        winners[samples[row]] = int(height.argmax())
                        steps[samples[row]] = start + offset
                        ties += int(fired[row].sum() > 1)
                before = after
            if (winners[samples] >= 0).all():
                break
        print(f"{first + len(samples)} of {n} samples", file=sys.stderr, flush=True)
    return winners, steps, ties


def main(build: Callable[[nir.NIRGraph], Step], version: str) -> None:
    """Read the command line, run, print one JSON line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--layer", type=Path, required=True, help="NIR file")
    parser.add_argument("--raster", type=Path, required=True, help=".npz: sample, step, input")
    parser.add_argument("--exact-decay", action="store_true", help="choose τ for forward Euler")
    given = parser.parse_args()
    torch.set_num_threads(1)

    def read() -> nir.NIRGraph:
        graph = nir.read(given.layer)
        return with_exact_decay(graph) if given.exact_decay else graph

    weights, _ = layer_of(read())
    with torch.no_grad():
        raster = Raster(given.raster, weights.weight.shape[1])
        winners, steps, ties = first_winners(build, read, raster)
    found = {"winners": winners.tolist(), "steps": steps.tolist(), "ties": ties}
    print(json.dumps({**found, "version": version, "torch": torch.__version__}))
