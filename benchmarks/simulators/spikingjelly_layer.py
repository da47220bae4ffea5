"""SpikingJelly: `import_from_nir(dt=…)`. It wants r = τ/dt (or 1) and v_leak = v_reset: so it is."""

from importlib.metadata import version

import nir
from simulator_common import STEP_SECONDS, Step, main
from spikingjelly.activation_based.nir_exchange import import_from_nir


def build(graph: nir.NIRGraph) -> Step:
    network = import_from_nir(graph, dt=STEP_SECONDS)
    state = None

    def step(x):
        nonlocal state
        spikes, state = network(x, state)
        return spikes, state["neurons"][0]

    return step


if __name__ == "__main__":
    main(build, version("spikingjelly"))
