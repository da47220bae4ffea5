"""``make bench``: lethenet and its peers on the same samples, side by side in one run.

Rounds go through all programs in turn, because the machine's speed drifts; what counts is the ratio of
medians, never a time. Writes results/bench/measurements.jsonl, README.md and speed.png / .svg.

    python benchmarks/run.py                 # everything, about half an hour on two cores
    python benchmarks/run.py --quick         # sizes 400 and 1600, one round
    python benchmarks/run.py --without bindsnet
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
import environments  # noqa: E402

RESULTS = ROOT / "results" / "bench"
OURS = ("lethenet, learning", "lethenet, frozen", "lethenet, all neurons simulated")
SIZES = (100, 400, 1600, 6400, 25_600)
# samples timed and repeats within a call, per size: enough for a steady median, and no more
CALLS = {
    "ours": {100: (1000, 5), 400: (1000, 15), 1600: (600, 5), 6400: (400, 5), 25_600: (200, 3)},
    "brian2": {400: (400, 9), 1600: (150, 5), 6400: (30, 5)},
    "bindsnet": {400: (8, 3), 1600: (3, 3), 6400: (1, 2)},
    "kmeans": {100: (2048, 3), 400: (2048, 3), 1600: (2048, 3), 6400: (2048, 2)},
}
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(interpreter, script, samples, neurons, count, repeats):
    command = [interpreter, script, "--samples", samples, "--neurons", str(neurons)]
    command += ["--count", str(count), "--repeats", str(repeats)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **ONE_THREAD}, check=False
    )
    if done.returncode:
        say(f"  failed: {done.stderr.strip().splitlines()[-1:]}")
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def new_then_in_turn(labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Samples to be timed in random order, then 5,000 of each class in turn to fill networks with."""
    by_class = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    in_turn = np.concatenate([places[:5000] for places in by_class])
    rest = np.concatenate([places[5000:] for places in by_class])
    return np.concatenate([np.random.default_rng(0).permutation(rest), in_turn]), len(rest)


def frozen_on_two_cores(samples) -> dict[str, float]:
    """Wall-clock time of recognising 10,000 images at 6400 neurons, on one core and on two, in turn."""
    from ours import filled_network

    with np.load(samples) as file:
        X, fresh = file["X"], int(file["fresh"])
    network = filled_network(X, fresh, 6400)
    images = X[:10_000]
    network.recognise(images[:64], n_threads=2)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for threads, values in seconds.items():
            start = time.perf_counter()
            network.recognise(images, n_threads=threads)
            values.append(time.perf_counter() - start)
    one, two = (float(np.median(v)) for v in seconds.values())
    return {"one_core": one, "two_cores": two, "speed_up": one / two}


def medians(rows):
    grouped: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        key = (row["peer"], row["neurons"])
        grouped.setdefault(key, []).extend(row["seconds_per_sample_repeats"])
    return {key: float(np.median(values)) for key, values in grouped.items()}


def summary(rows, cores, machine) -> str:
    ms = medians(rows)
    names = list(dict.fromkeys(name for name, _ in ms))
    sizes = sorted({size for _, size in ms})
    lines = [
        "# Speed beside the peers",
        "",
        "Made by `make bench`. CPU milliseconds per sample (one core), medians; times mean nothing "
        "beyond this run, ratios do. " + machine,
        "",
        "| | " + " | ".join(f"{size:,} neurons" for size in sizes) + " |",
        "|---|" + "---|" * len(sizes),
    ]
    for name in names:
        cells = [f"{1e3 * ms[name, size]:.4g}" if (name, size) in ms else "–" for size in sizes]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "## Ratios", "", "| what | measured | wanted |", "|---|---|---|"]

    def ratio(label, above, below, wanted):
        if above in ms and below in ms:
            lines.append(f"| {label} | {ms[above] / ms[below]:.1f} | {wanted} |")

    learning = OURS[0]
    for size, brian, binds in ((400, "≥ 20", "≥ 800"), (1600, "", ""), (6400, "≥ 60", "≥ 10,000")):
        for name in names:
            if name.lower().startswith("brian2"):
                ratio(f"{name} / {learning}, {size}", (name, size), (learning, size), brian)
            if name.lower().startswith("bindsnet"):
                ratio(f"{name} / {learning}, {size}", (name, size), (learning, size), binds)
    ratio("all neurons / certified, 6400", (OURS[2], 6400), (learning, 6400), "≥ 8")
    ratio("learning, 6400 / 400", (learning, 6400), (learning, 400), "< 4")
    ratio("learning, 25,600 / 400", (learning, 25_600), (learning, 400), "< 12")
    for size in (400, 1600, 6400, 25_600):
        bare = ("bare multiply-add loop", size)
        ratio(f"event loop / bare loop, {size}", ("event loop, all neurons", size), bare, "< 1.5")
        ratio(f"all neurons, whole sample / bare loop, {size}", (OURS[2], size), bare, "")
    if cores:
        lines.append(
            f"| frozen, 6400, 10,000 images: 1 core / 2 | {cores['speed_up']:.2f} | ≥ 1.7 |"
        )
    lines += [
        "",
        "lethenet's layer has learned 5,000 samples of each digit, one digit after the other. Samples that "
        "are timed were not among them and are in random order, new ones in every repeat; "
        "`neurons_simulated` in measurements.jsonl tells how many neurons could have fired. The event loop "
        "is that of a layer in which all neurons are simulated, alone; the whole sample adds random "
        "numbers, "
        "exponentials, plasticity and, with few neurons, takes most of its time for these.",
        "",
        "Why this is equal work: [benchmarks/peers](../../benchmarks/peers/README.md).",
    ]
    return "\n".join(lines) + "\n"


def whole_command() -> str:
    """What a user waits for, as a section."""
    say("the whole command")
    script = ROOT / "benchmarks" / "whole_command.py"
    subprocess.run([sys.executable, script], check=True, stdout=sys.stderr)
    page = (ROOT / "results" / "whole_command" / "README.md").read_text()
    return f"\n#{page}"


def draw(rows) -> None:
    from matplotlib.figure import Figure

    ms = medians(rows)
    figure = Figure(figsize=(9.5, 5), layout="constrained")
    axes = figure.subplots()
    markers = "osD^vP*X<>"
    for place, name in enumerate(dict.fromkeys(name for name, _ in ms)):
        sizes = sorted(size for other, size in ms if other == name)
        axes.plot(
            sizes, [1e3 * ms[name, size] for size in sizes], marker=markers[place], label=name
        )
    axes.set(xscale="log", yscale="log", xlabel="neurons", ylabel="CPU ms per sample, one core")
    axes.grid(alpha=0.3, which="both")
    figure.legend(loc="outside right upper", fontsize="small")
    for suffix in ("png", "svg"):
        figure.savefig(RESULTS / f"speed.{suffix}", dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="sizes 400 and 1600, one round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--without", nargs="*", default=[], choices=list(environments.PEERS))
    options = parser.parse_args()
    from lethenet.data import load

    interpreters = {"ours": (Path(sys.executable), ROOT / "benchmarks" / "ours.py")}
    for name, peer in environments.PEERS.items():
        if name in options.without:
            continue
        try:
            interpreters[name] = (environments.interpreter_of(name), peer.script)
        except environments.PeerUnavailableError as error:
            say(f"{name} is left out: {error}")
    data = load("mnist")
    order, fresh = new_then_in_turn(data.y_train)
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "samples.npz"
        np.savez(samples, X=data.X_train[order], fresh=fresh)
        for turn in range(1 if options.quick else options.rounds):
            for size in (400, 1600) if options.quick else SIZES:
                for name, (interpreter, script) in interpreters.items():
                    if size not in CALLS[name]:
                        continue
                    say(f"round {turn + 1}: {name}, {size} neurons")
                    for row in measure(interpreter, script, samples, size, *CALLS[name][size]):
                        rows.append({**row, "round": turn + 1})
                        say(f"  {row['peer']}: {1e3 * row['seconds_per_sample']:.4g} ms")
        cores = None if options.quick else frozen_on_two_cores(samples)
    versions = {row["peer"].split(",")[0]: row["version"] for row in rows}
    machine = (
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + "."
    )
    where = RESULTS / ("quick.jsonl" if options.quick else "measurements.jsonl")
    where.write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = summary(rows, cores, machine) + ("" if options.quick else whole_command())
    print(text)
    if not options.quick:
        (RESULTS / "README.md").write_text(text)
        draw(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
