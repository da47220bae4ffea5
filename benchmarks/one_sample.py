"""One sample at a time: beside rows of batches, beside River's wrapper, and whether a million calls leak.

    python benchmarks/one_sample.py [--out results/one_sample] [--calls 1000000]

All times are CPU time of the thread, taken by turns in one run, medians of rounds. River's wrapper
(``compat.SKL2RiverClassifier``) stands around the classifier of this checkout and, in a process of its own
that is asked by turns, around that of the commit before single samples were thought of (from git).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

BEFORE = "20b6a60"
ROUNDS, ROWS = 15, 256
THRESHOLDS = {"mnist": 13.0, "digits": 15.5}
BATCH_LIMIT, RIVER_LIMIT = 25, 8


def samples(name):
    from lethenet.data import load

    data = load(name)
    order = np.random.default_rng(0).permutation(len(data.y_train))
    order = np.resize(order, 5000)  # digits are fewer, and come again
    return data.X_train[order].astype(float), data.y_train[order]


def timed(work):
    start = time.thread_time()
    work()
    return (time.thread_time() - start) * 1e6 / ROWS


def beside_batches(name, neurons=400):
    """Microseconds per sample of ``learn_one`` and of a row of ``partial_fit``, on the same stream."""
    from lethenet import ControlledForgettingNetwork

    X, _ = samples(name)
    rows, single = (
        ControlledForgettingNetwork.from_preset(
            "annealed", n_neurons=neurons, threshold=THRESHOLDS[name], random_state=0
        ).partial_fit(X[:2000])
        for _ in range(2)
    )
    single.learn_one(X[0])
    rows.partial_fit(X[:1])

    def one_by_one(part):
        for x in part:
            single.learn_one(x)

    found = {"row of a batch": [], "learn_one": [], "difference": []}
    for number in range(ROUNDS + 2):
        start = number * ROWS % (len(X) - ROWS)
        part = X[start : start + ROWS]
        batch, one = (
            timed(lambda part=part: rows.partial_fit(part)),
            timed(lambda part=part: one_by_one(part)),
        )
        if number >= 2:
            for key, value in zip(found, (batch, one, one - batch), strict=True):
                found[key].append(value)
    assert (rows.weights_ == single.weights_).all(), "not the same bits"
    medians = {key: round(statistics.median(values), 1) for key, values in found.items()}
    return {"what": "beside batches", "data": name, "neurons": neurons, **medians}


def river_model(name, adapter):
    """A classifier for River that has learned 2,000 samples, and more of them as dictionaries."""
    from river import compat

    from lethenet import ControlledForgettingClassifier

    X, y = samples(name)
    names = [f"pixel {k}" for k in range(X.shape[1])]
    pairs = [
        (dict(zip(names, row, strict=True)), int(c)) for row, c in zip(X.tolist(), y, strict=True)
    ]
    estimator = ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=400, threshold=THRESHOLDS[name], random_state=0
    )
    if adapter:
        from lethenet.river import Classifier

        model = Classifier(estimator, n_names=len(names))
        for x, label in pairs[:2000]:
            model.learn_one(x, label)
    else:
        model = compat.SKL2RiverClassifier(estimator, classes=list(range(10)))
        model._align_dict(pairs[0][0])
        estimator.partial_fit(X[:2000], y[:2000], classes=list(range(10)))
    return model, pairs


def river_round(model, pairs, number):
    """Microseconds per sample to learn and to predict."""
    part = pairs[2000 + number * ROWS % 2000 :][:ROWS]
    learn = timed(lambda: [model.learn_one(x, label) for x, label in part])
    return learn, timed(lambda: [model.predict_one(x) for x, _ in part])


def answer_by_turns(name):
    """What the other process does: a round for each line that comes."""
    model, pairs = river_model(name, adapter=False)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(river_round(model, pairs, int(line))), flush=True)


def beside_river(name, before):
    """Ratios of River's wrapper to our adapter, learning, predicting, and both."""
    command = [sys.executable, __file__, "--answer", name]
    environment = {**os.environ, "PYTHONPATH": str(before)}
    other = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert other.stdout.readline() == "ready\n"
    ours, wrapper = river_model(name, adapter=True), river_model(name, adapter=False)
    times = {"adapter": [], "wrapper": [], "wrapper before": []}
    for number in range(ROUNDS + 2):
        times["adapter"].append(river_round(*ours, number))
        times["wrapper"].append(river_round(*wrapper, number))
        print(number, file=other.stdin, flush=True)
        times["wrapper before"].append(json.loads(other.stdout.readline()))
    other.stdin.close()
    other.wait()
    medians = {who: np.median(values[2:], axis=0) for who, values in times.items()}
    found = {"what": "beside River", "data": name, "neurons": 400}
    for who, (learn, predict) in medians.items():
        both = learn + predict
        found[who] = {"learn": round(learn), "predict": round(predict), "both": round(both)}
    return found


def resident():
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def leaks(calls):
    """Resident memory, in MiB, over so many calls on digits."""
    from lethenet import ControlledForgettingClassifier

    X, y = samples("digits")
    model = ControlledForgettingClassifier(
        n_neurons=100, threshold=15.5, random_state=0, record_novelties=100
    )
    memory = {}
    for number in range(calls):
        x = X[number % len(X)]
        model.learn_one(x, y[number % len(X)])
        if number % 10 == 0:
            model.predict_one(x)
            model.score_one(x)
        if (number + 1) % (calls // 10) == 0:
            memory[number + 1] = round(resident(), 1)
    return {"what": "memory", "calls of learn_one": calls, "MiB resident after": memory}


PAGE = """# One sample at a time

Made by `python benchmarks/one_sample.py`: microseconds of CPU time per sample, annealed preset, 400
neurons, by turns in one run, medians of {rounds} rounds of {rows} samples. How long a microsecond is
depends on the machine and on who else works on it; compare columns.

| data | row of a batch | `learn_one` | difference | at most |
|---|---|---|---|---|
{batches}

Beside River's wrapper (`SKL2RiverClassifier`) around `ControlledForgettingClassifier`, that of this
version and that before single samples (`{before}`). The adapter is `lethenet.river.Classifier`; wanted
was {limit} times as fast as the wrapper before.

| data | | adapter | wrapper | wrapper before | ratio | ratio to before |
|---|---|---|---|---|---|---|
{river}

Resident memory over {calls:,} calls of `learn_one` on digits, and a tenth as many of `predict_one` and
`score_one`, in MiB after each tenth: {memory}.
"""


def page(found):
    batches, river = [], []
    for f in found[:-1]:
        if f["what"] == "beside batches":
            limit = BATCH_LIMIT if f["data"] == "mnist" else "–"
            cells = [f["data"], f["row of a batch"], f["learn_one"], f["difference"], limit]
            batches.append("| " + " | ".join(map(str, cells)) + " |")
            continue
        for what in ("learn", "predict", "both"):
            times = [f[who][what] for who in ("adapter", "wrapper", "wrapper before")]
            ratios = [f"{time / times[0]:.1f}" for time in times[1:]]
            river.append("| " + " | ".join(map(str, [f["data"], what, *times, *ratios])) + " |")
    return PAGE.format(
        rounds=ROUNDS,
        rows=ROWS,
        before=BEFORE,
        limit=RIVER_LIMIT,
        batches="\n".join(batches),
        river="\n".join(river),
        calls=found[-1]["calls of learn_one"],
        memory=", ".join(map(str, found[-1]["MiB resident after"].values())),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/one_sample"))
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.answer:
        answer_by_turns(options.answer)
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", BEFORE, "src"], capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as old:
            old.extractall(folder, filter="data")
        for name in ("mnist", "digits"):
            found += [beside_batches(name), beside_river(name, Path(folder) / "src")]
            print(*found[-2:], sep="\n", flush=True)
    found.append(leaks(options.calls))
    print(found[-1])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "measurements.json").write_text(json.dumps(found, indent=1) + "\n")
    (options.out / "README.md").write_text(page(found))


if __name__ == "__main__":
    main()
