"""Sparse text of 50,000 columns: peak memory of learning it sparse and dense, and whether bits are equal.

    python benchmarks/sparse.py

Rows of 100 words out of 50,000, as frequent as words are. Each way runs in a process of its own. Writes
results/bench/sparse.json.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
from pathlib import Path

ROWS, COLUMNS, WORDS, NEURONS = 1500, 50_000, 100, 400
OUT = Path(__file__).parents[1] / "results" / "bench" / "sparse.json"


def learn(kind: str) -> dict[str, object]:
    """Learn with the threshold from the data, and predict; what it took above what was there before."""
    import numpy as np
    from scipy import sparse

    from lethenet import ControlledForgettingNetwork

    rng = np.random.default_rng(0)
    words = np.minimum((COLUMNS ** rng.random((ROWS, WORDS))).astype(np.int64), COLUMNS - 1)
    X = sparse.csr_array(
        (rng.random(ROWS * WORDS) + 0.1, (np.repeat(np.arange(ROWS), WORDS), words.ravel())),
        shape=(ROWS, COLUMNS),
    )
    # compiled, or read from the cache, before anything is measured
    ControlledForgettingNetwork(n_neurons=2, threshold=5.0, random_state=0).fit(np.eye(3)).predict(
        np.eye(3)
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    given = X.toarray() if kind == "dense" else X
    model = ControlledForgettingNetwork.from_preset("annealed", n_neurons=NEURONS, random_state=0)
    if kind == "dense":
        model.set_params(threshold=float(sys.argv[2]))
    answers = model.fit(given).predict(given)
    digest = hashlib.sha256(model.weights_.tobytes() + answers.tobytes()).hexdigest()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"peak_mb": round(peak / 1024), "sha256": digest[:16], "threshold": model.threshold_}


def main() -> None:
    """Run both ways, each in its own process, and write down what they took."""
    if len(sys.argv) > 1:
        print(json.dumps(learn(sys.argv[1])))
        return
    found: dict[str, object] = {"rows": ROWS, "columns": COLUMNS, "neurons": NEURONS}
    found["matrix_dense_mb"] = round(ROWS * COLUMNS * 8 / 2**20)
    found["weights_mb"] = round(NEURONS * COLUMNS * 4 / 2**20)
    threshold = "0"
    for kind in ("sparse", "dense"):
        done = subprocess.run(
            [sys.executable, __file__, kind, threshold], capture_output=True, text=True, check=True
        )
        found[kind] = json.loads(done.stdout.splitlines()[-1])
        threshold = str(found[kind]["threshold"])  # type: ignore[index]
    found["same_bits"] = found["sparse"]["sha256"] == found["dense"]["sha256"]  # type: ignore[index]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
