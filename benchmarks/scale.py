"""Time and memory per sample, from 100 to 102,400 neurons; MNIST and sparse rows of 20,000 inputs.

    python benchmarks/scale.py

Each size learns 5,000 samples in a process of its own: MNIST's digits strictly in turn, or rows of 100
words out of 20,000, as frequent as words are. Appends to results/scale/measurements.jsonl what is not
there yet, then draws results/scale/scale.svg and writes README.md. Times are the process's own, over the
second half of the samples; memory is the largest that the process ever took, data and libraries included.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

SIZES = {
    "mnist": (100, 400, 1600, 6400, 25_600, 102_400),
    "sparse": (100, 400, 1600, 6400, 25_600),
}
SAMPLES, INPUTS, WORDS = 5000, 20_000, 100
OUT = Path(__file__).parents[1] / "results" / "scale"
LIMIT_MB = 2048
NAMES = {"mnist": "MNIST, 784 inputs", "sparse": f"sparse, {INPUTS:,} inputs"}


def samples(kind: str):
    """The rows to learn, in order."""
    import numpy as np
    from scipy import sparse

    if kind == "mnist":
        from lethenet.data import load

        data = load("mnist").limited(train_per_class=SAMPLES // 10, test_per_class=1)
        return data.X_train[np.argsort(data.y_train, kind="stable")]
    rng = np.random.default_rng(0)
    words = np.minimum((INPUTS ** rng.random((SAMPLES, WORDS))).astype(np.int64), INPUTS - 1)
    rows = np.repeat(np.arange(SAMPLES), WORDS)
    values = rng.random(SAMPLES * WORDS) + 0.1
    return sparse.csr_array((values, (rows, words.ravel())), shape=(SAMPLES, INPUTS))


def learn(kind: str, neurons: int) -> dict[str, object]:
    """Learn them and tell what it took."""
    from lethenet import ControlledForgettingNetwork

    X = samples(kind)
    model = ControlledForgettingNetwork.from_preset(
        "annealed", n_neurons=neurons, random_state=0, n_jobs=1
    )
    # sparse rows have no threshold of their own making that all sizes share: settled on the first half
    half = X.shape[0] // 2
    model.partial_fit(X[:half])
    start = time.process_time()
    model.partial_fit(X[half:])
    learning = (time.process_time() - start) / (X.shape[0] - half)
    shown = X[:: X.shape[0] // 200]
    model.predict(shown[:10])
    start = time.process_time()
    model.predict(shown)
    return {
        "kind": kind,
        "neurons": neurons,
        "samples": X.shape[0],
        "learn_us": round(learning * 1e6, 1),
        "recognise_us": round((time.process_time() - start) / shown.shape[0] * 1e6, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "threshold": round(float(model.threshold_), 3),
    }


def draw(found: list[dict]) -> None:
    """Time and memory over the number of neurons."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for kind, colour in (("mnist", "#3465a4"), ("sparse", "#c4660a")):
        rows = [row for row in found if row["kind"] == kind]
        n = [row["neurons"] for row in rows]
        for what, line in (("learn", "o-"), ("recognise", "s--")):
            times = [row[f"{what}_us"] / 1e3 for row in rows]
            left.loglog(n, times, line, color=colour, label=f"{NAMES[kind]}: {what}", markersize=4)
        right.loglog(
            n, [r["peak_mb"] for r in rows], "o-", color=colour, label=NAMES[kind], markersize=4
        )
    right.axhline(LIMIT_MB, color="grey", linewidth=0.8, linestyle=":")
    right.annotate("2 GB", (100, LIMIT_MB), textcoords="offset points", xytext=(0, 3), color="grey")
    left.set(xlabel="neurons", ylabel="milliseconds per sample", title="Time")
    right.set(xlabel="neurons", ylabel="megabytes, whole process", title="Memory")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(OUT / "scale.svg")
    plt.close(figure)


def write(found: list[dict]) -> None:
    """The table beside the figure."""
    lines = [
        "# Time and memory from 100 to 102,400 neurons",
        "",
        "Made by `python benchmarks/scale.py` (part of `make bench`): 5,000 samples in turn, each size in",
        "a process of its own, one core. Times differ between machines; their growth is what counts.",
        "Memory is the most that the process took, libraries and data included.",
        "",
        "![Time and memory over the number of neurons](scale.svg)",
        "",
        "| inputs | neurons | learning, µs per sample | recognition, µs per sample | peak memory, MB |",
        "|---|---|---|---|---|",
    ]
    for row in found:
        lines.append(
            f"| {NAMES[row['kind']]} | {row['neurons']:,} | {row['learn_us']:.0f}"
            f" | {row['recognise_us']:.0f} | {row['peak_mb']:,} |"
        )
    (OUT / "README.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    """Measure each size that is not there yet."""
    if len(sys.argv) > 2:
        print(json.dumps(learn(sys.argv[1], int(sys.argv[2]))))
        return
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "measurements.jsonl"
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(row["kind"], row["neurons"]) for row in found}
    for kind, sizes in SIZES.items():
        for neurons in sizes:
            if (kind, neurons) in done:
                continue
            command = [sys.executable, __file__, kind, str(neurons)]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            found.append(json.loads(ran.stdout.splitlines()[-1]))
            print(found[-1], flush=True)
            with path.open("a") as file:
                file.write(json.dumps(found[-1]) + "\n")
    found.sort(key=lambda row: (row["kind"], row["neurons"]))
    draw(found)
    write(found)


if __name__ == "__main__":
    main()
