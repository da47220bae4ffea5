"""Does a layer that we export to NIR do the same in other simulators? Run by `make nir`.

    python benchmarks/simulators/run.py                # 500 test digits, results into results/nir
    python benchmarks/simulators/run.py --samples 50 --quick   # a trial: one time step, prints only

Trains a network on MNIST's digits in turn, writes it as NIR, and sends the input spikes of test digits
through Norse, SpikingJelly and snnTorch, each in an environment of its own. Their first winners and the
time steps in which these fire are compared with our simulation, which has no time steps.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "results" / "nir"
sys.path[:0] = [str(HERE), str(HERE.parent / "peers")]

import raster  # noqa: E402
from environments import Peer, PeerUnavailableError, build  # noqa: E402
from page import page  # noqa: E402

import lethenet  # noqa: E402
from lethenet.data import load  # noqa: E402
from lethenet.model import annealed_threshold  # noqa: E402

NEURONS = 100
CASES = ((1.0, True), (0.1, False), (0.1, True))
"""Time steps, in time units, and whether τ is chosen so that a step of forward Euler decays exactly."""
FINE = (0.005, True)
"""With `--fine`, for half of the digits: it takes ten times as long as all of the others."""
INPUT_GOES_ON = 20.0
"""Time units of input behind our first output spike, for those that fire later."""

TORCH = ("torch==2.13.0", "numpy==2.4.6", "nir==1.0.8", "h5py==3.16.0")


def simulator(name: str, pinned: str, check: str, *more: str) -> Peer:
    # Without their dependencies: they ask for torchvision and torchaudio, which pull other builds of torch.
    alone = ("--no-deps", "nirtorch==2.6", pinned)
    return Peer(HERE / f"{name}_layer.py", ((*TORCH, *more), alone), check)


SIMULATORS = {
    "norse": simulator("norse", "norse==1.1.0", "import norse.torch"),
    "spikingjelly": simulator(
        "spikingjelly",
        "spikingjelly==2.0.0",
        "import spikingjelly.activation_based.nir_exchange",
        "loguru==0.7.3",
        "packaging==26.3",
        "tqdm==4.70.1",
    ),
    "snntorch": simulator("snntorch", "snntorch==1.0.0", "import snntorch.import_nir"),
}


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def trained() -> tuple[lethenet.ControlledForgettingNetwork, np.ndarray]:
    """A network that has seen every digit in turn, and the test digits."""
    data = load("mnist")
    in_turn = np.argsort(data.y_train, kind="stable")
    model = lethenet.ControlledForgettingNetwork.from_preset(
        "annealed", n_neurons=NEURONS, threshold=annealed_threshold(NEURONS), random_state=0
    )
    return model.fit(data.X_train[in_turn]), data.X_test


def compare(found: dict, winners: np.ndarray, steps: np.ndarray) -> dict[str, float]:
    """Shares of samples with our first winner: at any time, within three steps, in the same step."""
    same = np.array(found["winners"]) == winners
    apart = abs(np.array(found["steps"]) - steps)
    shares = {"winner": same, "within_3": same & (apart <= 3), "same_step": same & (apart == 0)}
    return {name: round(float(share.mean()), 4) for name, share in shares.items()}


def measure(name: str, python: Path, layer: Path, spikes: Path, exact_decay: bool) -> dict:
    command = [python, SIMULATORS[name].script, "--layer", layer, "--raster", spikes]
    command += ["--exact-decay"] if exact_decay else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    if done.returncode:
        raise RuntimeError(f"{name}: {' '.join(done.stderr.splitlines()[-3:])}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=500, help="test digits (500)")
    parser.add_argument("--quick", action="store_true", help="one time step; write no results")
    parser.add_argument("--fine", action="store_true", help="a time step of 0.005, too")
    parser.add_argument("--jobs", type=int, default=1, help="simulators at a time (1)")
    options = parser.parse_args()
    pythons = {}
    for name, peer in SIMULATORS.items():
        try:
            pythons[name] = build(name, peer=peer)
        except PeerUnavailableError as error:
            say(f"{name} is left out: {error}")

    model, X = trained()
    network, X = model.network_, X[: options.samples]
    p, weights = network.parameters, network.state.weights.astype(np.float64)
    seen = network.recognise(X)
    all_winners, all_times = seen.winners[:, 0], seen.times[:, 0]
    say(
        f"{len(X)} digits: our first output spike after {np.median(all_times):.0f} time units (median)"
    )
    all_samples = [
        raster.spikes_of(x.astype(np.float64), network, time + INPUT_GOES_ON)
        for x, time in zip(X, all_times, strict=True)
    ]
    again = [raster.first_winner(spikes, weights, p.tau_mem, p.threshold) for spikes in all_samples]
    assert [winner for winner, _ in again] == all_winners.tolist(), (
        "these are not the spikes we draw"
    )

    rows = []
    cases = [(0.1, True)] if options.quick else [*CASES, FINE][: 4 if options.fine else 3]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        for time_step, exact_decay in cases:
            n = len(X) // 2 if time_step == FINE[0] else len(X)
            samples, winners, times = all_samples[:n], all_winners[:n], all_times[:n]
            layer, spikes = Path(folder) / "layer.nir", Path(folder) / "raster.npz"
            lethenet.write_nir(layer, model, time_step=time_step)
            np.savez(spikes, **raster.raster_of(samples, time_step))
            ours = [
                raster.first_winner(
                    raster.Spikes(s.times // time_step * time_step, s.inputs),
                    weights,
                    p.tau_mem,
                    p.threshold,
                )
                for s in samples
            ]
            on_raster = np.array([w for w, _ in ours])
            steps = np.array([-9 if w < 0 else round(t / time_step) for w, t in ours])
            calls = {
                name: pool.submit(measure, name, python, layer, spikes, exact_decay)
                for name, python in pythons.items()
            }
            for name, call in calls.items():
                found = call.result()
                row = {
                    "simulator": name,
                    "version": found["version"],
                    "torch": found["torch"],
                    "time_step": time_step,
                    "exact_decay": exact_decay,
                    "samples": n,
                    "neurons": len(weights),
                    "threshold": p.threshold,
                    "median_time": round(float(np.median(all_times)), 1),
                    "ties": found["ties"],
                    "same_raster": compare(found, on_raster, steps),
                    "continuous_time": compare(found, winners, times // time_step),
                }
                rows.append(row)
                say(json.dumps(row))
            if not options.quick:  # after each case: the fine ones take long
                RESULTS.mkdir(parents=True, exist_ok=True)
                lines = "".join(json.dumps(row) + "\n" for row in rows)
                (RESULTS / "results.jsonl").write_text(lines, encoding="utf-8")
    print(page(rows))
    if not options.quick:
        (RESULTS / "README.md").write_text(page(rows), encoding="utf-8")
    wanted = [r for r in rows if r["exact_decay"] and r["time_step"] == 0.1]
    enough = len(wanted) == len(SIMULATORS) and all(
        r["same_raster"]["within_3"] >= 0.95 for r in wanted
    )
    say("≥ 95 % within 3 steps in all three" if enough else "NOT ≥ 95 % in all three")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
