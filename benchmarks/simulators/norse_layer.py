"""Norse: `from_nir(dt=…)`. It ignores r, so r goes into the weights: a spike adds W·r·dt/τ."""

from importlib.metadata import version

import nir
import norse.torch
from simulator_common import STEP_SECONDS, Step, layer_of, main


def build(graph: nir.NIRGraph) -> Step:
    weights, neurons = layer_of(graph)
    weights.weight = weights.weight * neurons.r[:, None].astype(weights.weight.dtype)
    network = norse.torch.from_nir(graph, dt=STEP_SECONDS, ignore_warnings=True)
    state = None

    def step(x):
        nonlocal state
        spikes, state = network(x, state)
        return spikes, state.state["neurons"][0].v

    return step


if __name__ == "__main__":
    main(build, version("norse"))
