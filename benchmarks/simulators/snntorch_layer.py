"""snnTorch: `import_from_nir`, with a time step of 1e-4 s built in; our files have that step for it."""

import contextlib
import sys
from importlib.metadata import version

import nir
from simulator_common import Step, main
from snntorch.import_nir import import_from_nir


def build(graph: nir.NIRGraph) -> Step:
    with contextlib.redirect_stdout(sys.stderr):  # it prints as it imports
        network = import_from_nir(graph)

    def step(x):
        spikes, _ = network(x)
        return spikes, network.neurons.mem

    return step


if __name__ == "__main__":
    main(build, version("snntorch"))
