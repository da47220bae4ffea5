"""What a user waits for: the whole of a warm ``lethenet run``, beside its learning alone.

Rounds of three processes after each other, each with a seed of its own: the command at an older commit, the
command now, and learning alone (the same stream, nothing else). Writes results/whole_command; part of
``make bench``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lethenet.interchange import read_arrays

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "results" / "whole_command"
BEFORE = "fa067ab"
OUTCOMES = {
    "accuracy": "accuracy, %",
    "train_accuracy": "training accuracy, %",
    "acc": "ACC, %",
    "bwt": "BWT, points",
}
COMMAND = "import sys; from lethenet.cli import main; sys.exit(main())"
LEARNING = """
import json, sys, time
from lethenet.lifelong import Config
from lethenet.lifelong.protocol import Experiment, load_data
with open(sys.argv[1]) as file:
    config = Config.from_json(json.load(file)["config"])
experiment = Experiment(config, load_data(config))
network, X = experiment.network, experiment.data.X_train
network.learn(X[:1])  # the kernels are loaded
experiment = Experiment(config, experiment.data)
began = time.perf_counter()
for task in experiment.tasks:
    experiment.network.learn(X[task.indices])
print(time.perf_counter() - began)
"""


def python(code: str, *words: str, source: Path) -> str:
    """What a process prints that runs this code with the package of this source tree."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    ended = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return ended.stdout


def command(source: Path, folder: Path, seed: int) -> dict[str, Any]:
    """Run the command with its defaults, but the seed; what it took, and what came out."""
    began = time.perf_counter()
    python(COMMAND, "run", "--out", str(folder), "--seed", str(seed), source=source)
    total = time.perf_counter() - began
    run = json.loads((folder / "run.json").read_text())
    weights = read_arrays(folder / "arrays.safetensors")[0]["weights"]
    return {
        "seed": seed,
        "seconds": total,
        "weights": hashlib.sha256(weights.tobytes()).hexdigest(),
        "reported_learning": run["seconds"]["learning"],
        "reported_evaluation": run["seconds"]["evaluation"],
        **{name: run["summary"][name] for name in OUTCOMES},
    }


def measure(rounds: int, before: str) -> dict[str, list[dict[str, Any]]]:
    """So many rounds, after one that warms caches up."""
    found: dict[str, list[dict[str, Any]]] = {"before": [], "now": [], "learning": []}
    with tempfile.TemporaryDirectory() as scratch:
        old = Path(scratch) / "old"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(old), before], check=True, capture_output=True)
        try:
            for number in range(-1, rounds):
                folder, seed = Path(scratch) / str(number), max(number, 0)
                row = {
                    "before": command(old / "src", folder / "before", seed),
                    "now": command(ROOT / "src", folder / "now", seed),
                }
                run = str(folder / "now" / "run.json")
                row["learning"] = {"seconds": float(python(LEARNING, run, source=ROOT / "src"))}
                for name, values in row.items() if number >= 0 else ():
                    found[name].append(values)
                print({k: round(v["seconds"], 2) for k, v in row.items()}, flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    return found


def section(found: dict[str, list[dict[str, Any]]], before: str) -> str:
    """The measurements as tables."""
    learning = statistics.median(row["seconds"] for row in found["learning"])
    times, outcomes = [], []
    for name, title in (("before", f"before (`{before}`)"), ("now", "now")):
        runs = found[name]
        low, middle, high = (
            f(row["seconds"] for row in runs) for f in (min, statistics.median, max)
        )
        pairs = zip(runs, found["learning"], strict=True)
        over = statistics.median(run["seconds"] / alone["seconds"] for run, alone in pairs)
        times.append(f"| {title} | {middle:.1f} ({low:.1f} to {high:.1f}) | {over:.2f} |")
    for old, new in zip(found["before"], found["now"], strict=True):
        cells = [f"{100 * old[key]:.2f} / {100 * new[key]:.2f}" for key in OUTCOMES]
        same = "same bits" if old["weights"] == new["weights"] else "other bits"
        outcomes.append(f"| {new['seed']} | {' | '.join(cells)} | {same} |")
    return f"""`lethenet run` with its defaults, warm, report included: MNIST, digits in turn, 400 neurons.
Learning alone, the same stream in a process that does nothing else: {learning:.2f} s.
{len(found["now"])} rounds after a warm-up, old and new alternating, medians; {platform.machine()},
{os.cpu_count()} cores.

| | whole command, s (range) | times learning alone (wanted: at most 4) |
|---|---|---|
{chr(10).join(times)}

What came out, before / now:

| seed | {" | ".join(OUTCOMES.values())} | weights after each task |
|---|{"---|" * len(OUTCOMES)}---|
{chr(10).join(outcomes)}

Evaluations before the last take their labels from counts made while learning (`--interim-labels online`,
the annealed preset's default), so R's rows before the last, and BWT with them, differ by tenths of a point;
the last row is measured as before.
"""


def main() -> None:
    """Measure, write, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", default=BEFORE)
    given = parser.parse_args()
    found = measure(given.rounds, given.before)
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "measurements.json").write_text(json.dumps(found, indent=1) + "\n")
    made = "# The whole command\n\nMade by `python benchmarks/whole_command.py`, a part of `make bench`. "
    text = made + section(found, given.before)
    (TARGET / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
