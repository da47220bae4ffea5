"""Time one learning presentation of BindsNET's DiehlAndCook2015 model, with its defaults.

The model that BindsNET offers for this task: 784 Poisson inputs, N excitatory neurons with STDP,
N inhibitory neurons that silence the others (an N × N matrix of weights), 250 steps of 1 ms per
sample, learning on. Each sample is encoded (``bindsnet.encoding.poisson``, pixel intensity up to
128 Hz as in BindsNET's own MNIST example), run, and the state reset: all three are timed, since
drawing the input spikes and starting afresh is part of a presentation everywhere else, too.

Equal work: one unsupervised presentation to a winner-take-all layer of N neurons with STDP. It is
not the same network (adaptive thresholds, inhibition through neurons, STDP at input spikes as
well): this is what a user of BindsNET runs, not the fastest that torch could do. Brian2, with an
equivalent network, is the fair bar; this is the usual one. In BindsNET's favour: no monitors while
timing, and no autograd.
"""

import time

from peer_common import STEPS_PER_SAMPLE, json_only, read_task, report, timed

import torch  # isort: skip  (after peer_common, which sets the thread counts)
import stand_ins
from numpy import ndarray

INTENSITY_HZ = 128.0


def main() -> None:
    task = read_task("Time BindsNET's DiehlAndCook2015.")
    with json_only() as write, torch.no_grad():
        torch.set_num_threads(1)
        torch.set_num_interop_threads(1)
        torch.manual_seed(1)
        stand_ins.install()
        from importlib.metadata import version

        from bindsnet.encoding import poisson
        from bindsnet.models import DiehlAndCook2015
        from bindsnet.network.monitors import Monitor

        network = DiehlAndCook2015(n_inpt=784, n_neurons=task.neurons, dt=1.0)

        def run(image: ndarray) -> torch.Tensor:
            rates = torch.from_numpy(image / 255.0).float() * INTENSITY_HZ
            spikes = poisson(rates, time=STEPS_PER_SAMPLE, dt=1.0)
            network.run(inputs={"X": spikes}, time=STEPS_PER_SAMPLE)
            return spikes

        def present_all() -> None:
            for image in task.timed:
                run(image)
                network.reset_state_variables()

        start = time.perf_counter()
        run(task.X[-1])  # warm-up: allocations, the first call of every kernel
        network.reset_state_variables()
        warm_up = time.perf_counter() - start
        timings = [timed(present_all) for _ in range(task.repeats)]

        # One more presentation, not timed, to see that the layer fires at all.
        monitor = Monitor(network.layers["Ae"], state_vars=["s"], time=STEPS_PER_SAMPLE)
        network.add_monitor(monitor, name="output")
        spikes = run(task.X[0])

        details = {
            "model": "DiehlAndCook2015, defaults",
            "steps_per_sample": STEPS_PER_SAMPLE,
            "dt": 1.0,
            "dtype": "float32",
            "learning": network.learning,
            "output_spikes_in_one_sample": int(monitor.get("s").sum()),
            "input_spikes_in_one_sample": int(spikes.sum()),
            "torch": torch.__version__,
            "warm_up_seconds_not_counted": warm_up,
        }
        write(
            report(
                peer="BindsNET",
                version=version("bindsnet"),
                task=task,
                timings=timings,
                details=details,
            )
        )


if __name__ == "__main__":
    main()
