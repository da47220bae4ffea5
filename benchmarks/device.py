"""``make device``: the network as C on this computer and on a Cortex-M in QEMU, measured.

A network of 100 neurons learns MNIST's digits in turn in floating point, becomes C, and goes on learning on
both machines: same bits? how much RAM, how many instructions? A network of 400 neurons learns the same
samples by our engine and by the C, in turn, on one core: the ratio of speeds, never a time. Writes
results/device/results.json and README.md. What needs ARM's compiler or QEMU is left out without them.

    python benchmarks/device.py              # a few minutes
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from lethenet.data import disjoint, load
from lethenet.interchange.c import write_c
from lethenet.interchange.c.host import HostNetwork, image_of
from lethenet.interchange.c.project import Samples, ram_bytes
from lethenet.model import Network, initial_state, preset_parameters, quantise

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "device"
BUILD = ROOT / "build" / "device"
PAGE = """# On a device, measured

Made by `make device`: MNIST, 28 × 28 pixels, annealed rule, 100 neurons unless said; test digits.
Host: gcc {compiler}. Cortex-M4: QEMU, mps2-an386. RAM in bytes, with 2 kB of stack.

| what | measured | limit |
|---|---|---|
{rows}
"""


def learned(data, neurons, every):
    """A network that has seen every n-th sample of each digit in turn, and its label counts."""
    state = initial_state(neurons, data.n_features, seed=0)
    network = Network(preset_parameters("annealed", neurons), state)
    rows = np.concatenate([task.indices for task in disjoint(data.y_train)])[::every]
    shown = network.learn(data.X_train[rows])
    counts = np.zeros((neurons, 10), np.int64)
    for winners, label in zip(shown.winners, data.y_train[rows], strict=True):
        np.add.at(counts[:, label], winners[winners >= 0], 1)
    network.label_counts_ = counts
    return network


def make(folder, target):
    done = subprocess.run(
        ["make", "--silent", "-C", str(folder), target], capture_output=True, text=True, check=True
    )
    return done.stdout


def same_everywhere(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def instructions(text, way):
    pairs = re.findall(rf"# {way}: input spikes (\d+), instructions (\d+)", text)
    return [int(n) for _, n in pairs]


def arm_ram(folder):
    listed = subprocess.run(
        ["arm-none-eabi-size", "-A", str(folder / "example.elf")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    sizes = dict(re.findall(r"^(\.\w+)\s+(\d+)", listed.stdout, re.M))
    return sum(int(sizes[name]) for name in (".data", ".bss", ".stack"))


def on_boards(network, data, n_samples):
    samples = Samples(data.X_test[:n_samples], data.y_test[:n_samples], "Test samples of MNIST.")
    found = {}
    for name, bits, learning in (("learning", 8, True), ("frozen", 4, False)):
        folder = BUILD / name
        integers = quantise(network, bits=bits)
        write_c(folder, integers, learning=learning, samples=samples)
        found[f"{name}: RAM by our count"] = sum(ram_bytes(integers, learning=learning).values())
        here = make(folder, "run")
        found[f"{name}: right of {n_samples}"] = int(re.search(r"right (\d+)", here)[1])
        if not shutil.which("arm-none-eabi-gcc"):
            continue
        make(folder, "example.elf")
        found[f"{name}: RAM by the linker"] = arm_ram(folder)
        if not shutil.which("qemu-system-arm"):
            continue
        there = make(folder, "qemu")
        found[f"{name}: same bits in QEMU"] = same_everywhere(there) == same_everywhere(here)
        for way in ("learned", "recognised"):
            counted = instructions(there, way)
            if counted:
                found[f"{name}: instructions per sample {way}"] = float(np.mean(counted))
                found[f"{name}: most instructions, {way}"] = max(counted)
    return found


def agreement(network, data, n):
    """Whether C and Python reference have the same state after n samples of full size, and answer alike."""
    integers = quantise(network)
    host, python = HostNetwork(integers), copy.deepcopy(integers)
    host.learn(data.X_train[:n])
    for x in data.X_train[:n]:
        python.learn(x)
    shown = host.recognise(data.X_test[:n]).winners
    alike = all(
        row[row >= 0].tolist() == python.recognise(x).winners
        for row, x in zip(shown, data.X_test[:n], strict=True)
    )
    return alike and host.save() == image_of(python)


def speed_ratio(data, neurons, count, rounds):
    """How fast the C learns as a share of the engine's speed: the same samples, one core, in turn."""
    network = learned(data, neurons, every=10)
    host = HostNetwork(quantise(network))
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(rounds):
        X = data.X_train[rng.choice(len(data.X_train), count)]
        began = time.process_time()
        network.learn(X)
        between = time.process_time()
        host.learn(X)
        ratios.append((between - began) / (time.process_time() - between))
    return median(ratios), ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100, help="digits shown to the boards")
    parser.add_argument("--agree", type=int, default=30, help="full-size samples, C against Python")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    data = load("mnist")
    network = learned(data, 100, every=6)
    found = on_boards(network, data, options.samples)
    found[f"C and Python alike over {options.agree} + {options.agree} digits"] = agreement(
        network, data, options.agree
    )
    ratio, ratios = speed_ratio(data, 400, 500, options.rounds)
    found["speed of the C by the engine's, 400 neurons"] = round(ratio, 3)
    found["lowest and highest of the rounds"] = [round(min(ratios), 3), round(max(ratios), 3)]
    limits = {
        "learning: RAM by the linker": ("≤", 128 * 1024),
        "frozen: RAM by the linker": ("≤", 64 * 1024),
        "learning: instructions per sample learned": ("≤", 3e6),
        "speed of the C by the engine's, 400 neurons": ("≥", 0.3),
    }
    rows = []
    for name, value in found.items():
        sign, limit = limits.get(name, ("", ""))
        shown = f"{value:,.0f}" if isinstance(value, float) and value > 1000 else value
        shown = f"{value:,}" if isinstance(value, int) and value > 1 else shown
        rows.append(
            f"| {name} | {shown} | {sign} {limit:,} |" if sign else f"| {name} | {shown} | |"
        )
    version = subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True, check=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "results.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    page = PAGE.format(compiler=version.stdout.strip(), rows="\n".join(rows))
    (RESULTS / "README.md").write_text(page, "utf-8")
    print(page)
    broken = [
        name
        for name, (sign, limit) in limits.items()
        if name in found and not (found[name] <= limit if sign == "≤" else found[name] >= limit)
    ]
    broken += [name for name, value in found.items() if value is False]
    for name in broken:
        print(f"not as promised: {name}: {found[name]}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
