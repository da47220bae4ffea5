"""Two checkouts of lethenet side by side, in turn, in one run: learning, recognition, compiling.

    python benchmarks/side_by_side.py OLD/.venv/bin/python NEW/.venv/bin/python [--out FILE] [--rounds 9]

Each side has one process that waits for its turn, so what else the machine does hits both alike. A
network is filled with 12,000 samples of MNIST in turn; then each turn learns (recognises) the same new
samples, from the same state. Times are the process's own (other processes' do not count); the figure is
the ratio of the medians, new over old. ``--compile`` measures the first call with an empty cache instead,
``--rule`` a rule of one's own beside the built-in one, ``--links`` learning with links beside learning
without, in the new checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WORKER = """
import json, sys, time
import numpy as np
from dataclasses import replace
from lethenet.data import load
from lethenet.model import Network, initial_state, preset_parameters
data = load("mnist")
order = np.argsort(data.y_train, kind="stable")[::5]
filling, X = data.X_train[order], data.X_train[1::25]
kept = {}
def own(weight, pre, rate, offset):
    return weight + rate * (pre - weight)
def filled(preset, neurons, rule):
    if (preset, neurons, rule) not in kept:
        parameters = preset_parameters(preset, neurons)
        if rule == "own":
            from lethenet.model import Rule
            parameters = replace(parameters, stdp=Rule(step=own))
        if rule == "links":
            parameters = replace(parameters, links=16)
        network = Network(parameters, initial_state(neurons, X.shape[1], seed=1))
        network.learn(filling)
        network.recognise(X[:50])
        kept[preset, neurons, rule] = network
    return kept[preset, neurons, rule]
for line in sys.stdin:
    what, preset, neurons, count, rule = json.loads(line)
    network = filled(preset, neurons, rule)
    if what == "learn":
        network = Network(network.parameters, network.state.copy())
        network.learn(X[:20])
        rows = X[20:20 + count]
        start = time.process_time()
        network.learn(rows)
    else:
        rows = X[:count]
        start = time.process_time()
        network.recognise(rows)
    print(json.dumps((time.process_time() - start) / count * 1e6), flush=True)
"""

FIRST_CALL = """
import time
start = time.perf_counter()
import numpy as np
from lethenet.model import PAPER, Network, initial_state
network = Network(PAPER, initial_state(40, 16, 0))
network.learn(np.eye(16))
learned = time.perf_counter() - start
network.recognise(np.eye(16))
print(learned, time.perf_counter() - start)
"""

CASES = [
    ("learn", "annealed", 400, 300),
    ("recognise", "annealed", 400, 200),
    ("learn", "annealed", 6400, 150),
    ("recognise", "annealed", 6400, 60),
    ("learn", "paper", 400, 300),
    ("learn", "paper", 6400, 150),
]


class Side:
    def __init__(self, python: str, rule: str = "built-in") -> None:
        self.rule = rule
        self.process = subprocess.Popen(
            [python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def microseconds(self, case: tuple[str, str, int, int]) -> float:
        print(json.dumps([*case, self.rule]), file=self.process.stdin, flush=True)
        return float(json.loads(self.process.stdout.readline()))


def first_call(python: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, "-c", FIRST_CALL],
            env={**os.environ, "LETHENET_CACHE": str(Path(folder) / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rule", action="store_const", const="own", dest="other")
    parser.add_argument("--links", action="store_const", const="links", dest="other")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of cases")
    parser.add_argument("--out", type=Path, help="append a line of JSON for each measurement")
    options = parser.parse_args()
    lines = []
    if options.compile:
        times = [(first_call(options.old), first_call(options.new)) for _ in range(options.rounds)]
        for place, what in enumerate(("first learn", "first learn and recognise")):
            sides = [[pair[side][place] for pair in times] for side in (0, 1)]
            lines.append({"what": what, "unit": "s", **ratio(*sides)})
            print(lines[-1], flush=True)
    else:
        sides = [Side(options.new if options.other else options.old)]
        sides.append(Side(options.new, options.other or "built-in"))
        cases = CASES[:4:2] if options.other else CASES
        names = {"own": "own rule over built-in", "links": "with links over without"}
        for case in [cases[n] for n in options.only] if options.only else cases:
            for side in sides:
                side.microseconds(case)  # fill and warm up
            rounds = [[side.microseconds(case) for side in sides] for _ in range(options.rounds)]
            what, preset, neurons, _ = case
            found = ratio(*([pair[side] for pair in rounds] for side in (0, 1)))
            name = f"{what}, {names.get(options.other, preset)}"
            lines.append({"what": name, "neurons": neurons, "unit": "us per sample", **found})
            print(lines[-1], flush=True)
    if options.out:
        with options.out.open("a") as stream:
            stream.writelines(json.dumps(line) + "\n" for line in lines)


def ratio(old: list[float], new: list[float]) -> dict[str, object]:
    medians = statistics.median(old), statistics.median(new)
    return {
        "old": round(medians[0], 2),
        "new": round(medians[1], 2),
        "ratio": round(medians[1] / medians[0], 3),
        "ratio of the fastest": round(min(new) / min(old), 3),
        "rounds": len(old),
    }


if __name__ == "__main__":
    sys.exit(main())
