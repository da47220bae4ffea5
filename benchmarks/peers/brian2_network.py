"""Time one learning presentation of an equivalent network in Brian2, as C++ standalone.

The network: 784 Poisson inputs, the L2-normalised image as rates; N leaky integrate-and-fire
neurons with dense delta synapses; at an output spike one-sided STDP on the winner's weights,
``w += α (pre / τ_pre − w)``, and a reset of every potential of the layer; 250 steps of one time
unit per sample; potentials and traces start each sample at zero; float32; Brian2's default
compiler flags (``-O3 -ffast-math -march=native``), one thread.

Equal work, and where it is not, Brian2 does less:

- Same inputs, neuron, inhibition and STDP, and 250 time units per sample where ours takes about
  300 (until five output spikes). No dopaminergic neuron, no L2-normalisation after STDP.
- Time steps instead of exact spike times: about ten input spikes share a step, so decay and
  threshold run 250 times per sample, not once per input spike.
- Weights start as copies of other samples, so the layer fires as a trained one does.

Written for speed, as far as Brian2's own language goes (no hand-written C++):

- Rates are copied from the TimedArray once per sample, not looked up at every step, and no random
  number is drawn for a black pixel (``p > 0 and …`` short-circuits in C++).
- Traces live at the 784 inputs, not at the synapses; STDP runs at output spikes only.
- The inhibition goes through a one-neuron relay: 2 N synapses that work at output spikes only,
  instead of N² between the neurons.
- The dense synapses come in blocks of neurons (see `block_size`).

Several neurons may cross in one step; then all of them fire and learn (``output_spikes_per_sample``
says how many there were), where ours takes the highest alone.
"""

import shutil
import sys
import tempfile
import time
from typing import Any

from peer_common import STEPS_PER_SAMPLE, Task, Timing, json_only, read_task, report, unit_rows

import brian2  # isort: skip  (after peer_common, which sets the thread counts)
import numpy as np
from brian2 import NeuronGroup, Synapses, ms

# One time unit is 1 ms here; Brian2 wants a unit, nothing depends on which.
CONSTANTS = {
    "tau_mem": 15 * ms,
    "tau_pre": 200 * ms,
    "tau_pre_in_time_units": 200,
    "threshold": 13.5,
    "alpha": 0.01,
}


def build_inputs(task: Task) -> NeuronGroup:
    """Poisson inputs with their pre-synaptic traces; a new image every 250 steps."""
    presentation = STEPS_PER_SAMPLE * ms
    images = brian2.TimedArray(unit_rows(task.timed), dt=presentation, name="images")
    inputs = NeuronGroup(
        784,
        "dpre/dt = -pre / tau_pre : 1\np : 1",
        threshold="p > 0 and rand() < p",
        reset="pre += 1",
        method="exact",
        namespace=CONSTANTS | {"images": images},
        name="inputs",
    )
    # A trace counts the input spikes of its own step before STDP reads it.
    inputs.resetter["spike"].when = "after_thresholds"
    inputs.run_regularly("p = images(t, i)\npre = 0", dt=presentation, when="start")
    return inputs


def block_size(neurons: int) -> int:
    """Neurons per Synapses object: what was fastest of a few sizes tried, for Brian2's sake.

    Brian2 lists the synapses of all spikes of a step before it works through them, and at many
    neurons the lists outgrow the cache. Medians of interleaved runs, ms per sample, with the same
    output spikes: at 6400 neurons 47.5 in one object, 33.6 in blocks of 1600, 39.0 of 800 (five
    runs); at 1600 neurons 8.3 in one object, 7.3 in blocks of 800, 9.3 of 400 (nine runs). Sizes
    between and beyond were not tried.
    """
    return 800 if neurons <= 1600 else 1600


def connect_in_blocks(
    inputs: NeuronGroup, neurons: NeuronGroup, prototypes: np.ndarray
) -> list[Synapses]:
    """Plastic all-to-all synapses, one object per block of neurons."""
    blocks = []
    size = block_size(len(prototypes))
    for start in range(0, len(prototypes), size):
        block = Synapses(
            inputs,
            neurons[start : start + size],
            "w : 1",
            on_pre="v_post += w",
            on_post="w += alpha * (pre_pre / tau_pre_in_time_units - w)",
            namespace=CONSTANTS,
            name=f"synapses_from_{start}",
        )
        block.post.when = "before_resets"
        block.connect()
        block.w = prototypes[start : start + size].T.ravel()  # numbered input by input
        blocks.append(block)
    return blocks


def build_network(task: Task) -> tuple[brian2.Network, dict[str, Any]]:
    """Put the network together; the parts are also returned by name, for checks.

    Order within a step: decay, input spikes, their weights, output threshold, STDP and relay,
    reset of all potentials. An output spike thus follows its input spike in the same step.
    """
    inputs = build_inputs(task)
    neurons = NeuronGroup(
        task.neurons,
        "dv/dt = -v / tau_mem : 1",
        threshold="v >= threshold",
        reset="v = 0",
        method="exact",
        namespace=CONSTANTS,
        name="neurons",
    )
    neurons.thresholder["spike"].when = "after_synapses"
    neurons.run_regularly("v = 0", dt=STEPS_PER_SAMPLE * ms, when="start")

    synapses = connect_in_blocks(inputs, neurons, task.prototypes())

    relay = NeuronGroup(1, "fired : 1", threshold="fired > 0", reset="fired = 0", name="relay")
    relay.thresholder["spike"].when = "resets"
    relay.resetter["spike"].when = "end"
    to_relay = Synapses(neurons, relay, on_pre="fired_post = 1", name="to_relay")
    to_relay.pre.when = "before_resets"
    to_relay.connect()
    from_relay = Synapses(relay, neurons, on_pre="v_post = 0", name="from_relay")
    from_relay.pre.when = "after_resets"
    from_relay.connect()

    output = brian2.SpikeMonitor(neurons, record=False, name="output")
    parts = [inputs, neurons, *synapses, relay, to_relay, from_relay, output]
    return brian2.Network(*parts), {part.name: part for part in parts}


def run_once() -> Timing:
    """Run the compiled program from its start and take the time of its simulation loop alone.

    Brian2's generated main program clocks its own loop over the time steps (``std::clock``, CPU
    seconds, into ``last_run_info.txt``), without compiling, loading and creating the synapses:
    exactly the cost per sample, so no difference of two runs is needed. The wall time is that of
    the whole program, set-up included, and only here to show that nothing else took long.
    """
    start = time.perf_counter()
    brian2.device.run(with_output=False)
    return Timing(brian2.device._last_run_time, time.perf_counter() - start)


def prepare_device(directory: str) -> None:
    """Choose float32 and C++ standalone; everything built afterwards goes there."""
    brian2.prefs.core.default_float_dtype = np.float32
    brian2.prefs.devices.cpp_standalone.extra_make_args_unix = ["-j1"]
    brian2.set_device("cpp_standalone", directory=directory, build_on_run=False)
    brian2.defaultclock.dt = 1 * ms
    brian2.seed(1)


def main() -> None:
    task = read_task("Time Brian2 (C++ standalone) on an equivalent network.")
    directory = tempfile.mkdtemp(prefix="brian2-peer-")
    try:
        with json_only() as write:
            prepare_device(directory)
            network, parts = build_network(task)
            network.run(task.count * STEPS_PER_SAMPLE * ms)
            start = time.perf_counter()
            brian2.device.build(directory=directory, compile=True, run=False, with_output=False)
            build_seconds = time.perf_counter() - start
            print(f"built in {build_seconds:.0f} s", file=sys.stderr)
            timings = [run_once() for _ in range(task.repeats)]
            details = {
                "mode": "C++ standalone",
                "steps_per_sample": STEPS_PER_SAMPLE,
                "dt": 1.0,
                "dtype": "float32",
                "neurons_per_synapses_object": min(block_size(task.neurons), task.neurons),
                "output_spikes_per_sample": int(parts["output"].num_spikes) / task.count,
                "input_spikes_per_sample_expected": float(
                    unit_rows(task.timed).sum() / task.count * STEPS_PER_SAMPLE
                ),
                "build_seconds_not_counted": build_seconds,
                "wall_note": "wall times include creating the synapses; CPU times do not",
            }
            write(
                report(
                    peer="Brian2",
                    version=brian2.__version__,
                    task=task,
                    timings=timings,
                    details=details,
                )
            )
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
