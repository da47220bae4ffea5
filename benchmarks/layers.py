"""What a first layer costs: edges beside numpy's gradient, and whole runs with and without a layer.

    python benchmarks/layers.py --out results/first_layer/speed.jsonl

Turns alternate in one run, so that a noisy machine disturbs both alike; what counts are the ratios. Seconds
of the first part are processor time of one core, those of the runs are what a user waits for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from lethenet.data import load
from lethenet.layers import Edges

IMAGES, TURNS = 20_000, 9


def features() -> dict[str, object]:
    """Images per second and core: all of Edges, and numpy's gradient of the same images alone."""
    X = load("mnist").X_train[:IMAGES]
    images = X.reshape(-1, 28, 28).astype(np.float32)
    layer = Edges((28, 28)).fit(X)
    layer.transform(X[:100])
    seconds: dict[str, list[float]] = {"edges": [], "gradient": []}
    for _ in range(TURNS):
        for name, found in seconds.items():
            began = time.process_time()
            if name == "edges":
                layer.transform(X)
            else:
                np.gradient(images, axis=(1, 2))
            found.append(time.process_time() - began)
    best = {name: IMAGES / min(values) for name, values in seconds.items()}
    typical = {name: IMAGES / median(values) for name, values in seconds.items()}
    return {
        "what": "images of 28 x 28 per second and core",
        "edges_best": round(best["edges"]),
        "edges_median": round(typical["edges"]),
        "numpy_gradient_best": round(best["gradient"]),
        "numpy_gradient_median": round(typical["gradient"]),
        "edges_over_numpy_gradient": round(typical["edges"] / typical["gradient"], 3),
    }


def runs(turns: int) -> dict[str, object]:
    """Whole commands on MNIST with 400 neurons, kernels compiled before."""
    command = [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]
    seconds: dict[str, list[float]] = {"none": [], "edges": []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(-1, turns):
            for layer, found in seconds.items():
                out = Path(folder) / f"{layer}{turn}"
                limit = ["--limit-train", "20", "--limit-test", "10"] if turn < 0 else []
                began = time.perf_counter()
                subprocess.run(
                    [*command, "run", "--layer", layer, *limit, "--out", str(out)],
                    check=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                if turn >= 0:  # the first turn compiles
                    found.append(time.perf_counter() - began)
    typical = {layer: median(found) for layer, found in seconds.items()}
    return {
        "what": "lethenet run on MNIST, 400 neurons, whole command",
        "turns": turns,
        "seconds": {layer: [round(s, 1) for s in found] for layer, found in seconds.items()},
        "edges_over_none": round(typical["edges"] / typical["none"], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    with given.out.open("a", encoding="utf-8") as file:
        for part in (features(), runs(given.turns)):
            print(json.dumps(part), file=file, flush=True)
            print(json.dumps(part, indent=1))


if __name__ == "__main__":
    main()
