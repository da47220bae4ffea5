"""What a user waits for: the whole of a warm ``lethenet run``, beside its learning alone.

Rounds of three processes after each other: the command at an older commit, the command now, and learning
alone (the same stream, nothing else). Writes results/whole_command; part of ``make bench``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "results" / "whole_command"
BEFORE = "fa067ab"
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


def command(source: Path, folder: Path) -> dict[str, float]:
    """Run the command with its defaults; what it took, and what came out."""
    began = time.perf_counter()
    python(COMMAND, "run", "--out", str(folder), source=source)
    total = time.perf_counter() - began
    run = json.loads((folder / "run.json").read_text())
    return {
        "seconds": total,
        "reported_learning": run["seconds"]["learning"],
        "reported_evaluation": run["seconds"]["evaluation"],
        **{name: run["summary"][name] for name in ("accuracy", "train_accuracy", "acc", "bwt")},
    }


def measure(rounds: int, before: str) -> dict[str, list[dict[str, float]]]:
    """So many rounds, after one that warms caches up."""
    found: dict[str, list[dict[str, float]]] = {"before": [], "now": [], "learning": []}
    with tempfile.TemporaryDirectory() as scratch:
        old = Path(scratch) / "old"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(old), before], check=True, capture_output=True)
        try:
            for number in range(rounds + 1):
                folder = Path(scratch) / str(number)
                row = {
                    "before": command(old / "src", folder / "before"),
                    "now": command(ROOT / "src", folder / "now"),
                }
                run = str(folder / "now" / "run.json")
                row["learning"] = {"seconds": float(python(LEARNING, run, source=ROOT / "src"))}
                for name, values in row.items() if number else ():
                    found[name].append(values)
                print(number or "warm-up", {k: round(v["seconds"], 2) for k, v in row.items()})
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)
    return found


def page(found: dict[str, list[dict[str, float]]], before: str) -> str:
    """The measurements as a table."""
    learning = statistics.median(row["seconds"] for row in found["learning"])
    rows = []
    for name, title in (("before", f"before (`{before}`)"), ("now", "now")):
        runs = found[name]
        middle = {key: statistics.median(row[key] for row in runs) for key in runs[0]}
        low, high = (f(row["seconds"] for row in runs) for f in (min, max))
        rows.append(
            f"| {title} | {middle['seconds']:.1f} ({low:.1f} to {high:.1f}) | "
            f"{middle['seconds'] / learning:.2f} | {middle['reported_learning']:.1f} | "
            f"{middle['reported_evaluation']:.1f} | {100 * middle['accuracy']:.2f} | "
            f"{100 * middle['train_accuracy']:.2f} | {100 * middle['bwt']:.2f} |"
        )
    lines = "\n".join(rows)
    names = (
        "", "whole command, s (range)", "over learning alone", "learning, as it reports",
        "waiting for evaluation", "accuracy, %", "train accuracy, %", "BWT, points",
    )  # fmt: skip
    return f"""# The whole command

Made by `python benchmarks/whole_command.py`: {len(found["now"])} rounds after a warm-up, old and new
alternating, medians; {platform.machine()}, {os.cpu_count()} cores. `lethenet run` with its defaults: MNIST,
digits in turn, 400 neurons, report included. Learning alone, the same stream in a process that does nothing
else: **{learning:.2f} s**.

| {" | ".join(names)} |
|{"---|" * len(names)}
{lines}

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
    text = page(found, given.before)
    (TARGET / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
