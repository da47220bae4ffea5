"""Give lethenet damaged and hostile files, many times, and use whatever it accepts.

``python tests/fuzz/fuzzing.py all --out results/fuzz/results.json`` runs all of it, in processes of their
own, with numba's bounds checks on; ``python tests/fuzz/fuzzing.py model --cases 200`` some of it. A case is
known by its kind and number: ``--first N --cases 1`` does it again. Only trials have been run so far.

What may happen: a result, or an error that the command line explains in one line. What may not: any other
exception, a crash, more than two seconds, more than 600 MB.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from mutations import bytes_changed, document_changed, sealed_file_changed

SECONDS, MEGABYTES = 2.0, 600
CASES = {"model": 100_000, "checkpoint": 20_000, "run": 20_000, "data": 30_000}
BATCH = 2500


class HangError(Exception):
    """A case took too long."""


def originals(folder: Path) -> None:
    """One sound file of each sort, to be damaged."""
    import numpy as np

    import lethenet
    from lethenet.data import write_idx
    from lethenet.estimators import make_pipeline
    from lethenet.layers import Edges, OnOff, Patches
    from lethenet.lifelong import Config, run

    rng = np.random.default_rng(0)
    X, y = rng.random((24, 64)), np.arange(24) % 3
    own = {"n_neurons": 6, "threshold": 12.0, "random_state": 0}
    network = lethenet.ControlledForgettingNetwork(**own).fit(X)
    classifier = lethenet.ControlledForgettingClassifier(links=3, readout="evidence", **own)
    named = lethenet.ControlledForgettingClassifier(**own).fit(X, np.array(list("abc"))[y])
    edges = make_pipeline(Edges((8, 8)), lethenet.ControlledForgettingClassifier(**own))
    on_off = make_pipeline(OnOff(), lethenet.ControlledForgettingNetwork(**own))
    patches = make_pipeline(
        Patches((8, 8), n_neurons=4, patch_side=3, random_state=0),
        lethenet.ControlledForgettingClassifier(**own),
    )
    models = [network, classifier.partial_fit(X, y), named, network.network_]
    models += [edges.fit(X, y), patches.fit(X, y), on_off.fit(X - 0.5)]
    (folder / "models").mkdir()
    for number, model in enumerate(models):
        lethenet.save(model, folder / "models" / f"{number}.safetensors")
    config = Config.of(
        dataset="digits", neurons=6, threshold=15.0, train_per_class=4, test_per_class=2, links=2,
        classes=(0, 1, 2), n_jobs=1, checkpoint_samples=5,
    )  # fmt: skip
    run(config, folder / "run")

    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "learning" and event["samples_done"] > 8:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        run(config, folder / "half", interrupt)
    except KeyboardInterrupt:
        pass
    except Exception as error:
        if type(error).__name__ != "Interrupted":
            raise
    assert (folder / "half" / "checkpoint.safetensors").exists()
    data = folder / "data"
    (data / "idx").mkdir(parents=True)
    images, labels = (16 * X).astype(np.uint8).reshape(-1, 8, 8), y.astype(np.uint8)
    np.savez(data / "whole.npz", X=images, y=y)
    np.savez_compressed(data / "parts.npz", X_train=X, y_train=y, X_test=X[:6], y_test=y[:6])
    for part in ("train", "t10k"):
        write_idx(data / "idx" / f"{part}-images-idx3-ubyte", images)
        write_idx(data / "idx" / f"{part}-labels-idx1-ubyte", labels)
        for name in (f"{part}-images-idx3-ubyte",) if part == "train" else ():
            packed = gzip.compress((data / "idx" / name).read_bytes())
            (data / "idx" / name).unlink()
            (data / "idx" / f"{name}.gz").write_bytes(packed)
    table = "\n".join(
        ",".join(map(str, [*row[:4].round(3), label])) for row, label in zip(X, y, strict=True)
    )
    (data / "table.csv").write_text("a,b,c,d,label\n" + table + "\n")


def model_case(folder: Path, chance: random.Random) -> None:
    """A damaged model file: load, predict, learn, save, load."""
    import numpy as np

    import lethenet

    path = folder / "models" / f"{chance.randrange(7)}.safetensors"
    _damage(path, chance)
    model = lethenet.load(path)
    rng = np.random.default_rng(1)
    if isinstance(model, lethenet.model.Network):
        X = rng.random((3, model.state.n_features))
        model.recognise(X)
        model.learn(X)
    else:
        X = rng.random((3, model.n_features_in_))
        model.predict(X)
        final = model[-1] if hasattr(model, "steps") else model
        labels = final.classes_[np.zeros(3, int)] if hasattr(final, "classes_") else None
        model.partial_fit(X, labels)
        model.predict(X)
    lethenet.save(model, path)
    lethenet.load(path)


def checkpoint_case(folder: Path, chance: random.Random) -> None:
    """A damaged checkpoint: resume to the end, read."""
    from lethenet.lifelong import resume

    _damage(folder / "half" / "checkpoint.safetensors", chance)
    _use(resume(folder / "half"))


def run_case(folder: Path, chance: random.Random) -> None:
    """A damaged file in a finished run: read, resume, report."""
    from lethenet.lifelong import Result, resume
    from lethenet.report.run_report import report_html

    name = chance.choice(("run.json", "run.json", "arrays.safetensors", "model.safetensors"))
    path = folder / "run" / name
    if name != "run.json":
        _damage(path, chance)
    elif chance.random() < 0.4:
        path.write_bytes(bytes_changed(path.read_bytes(), chance))
    else:
        changed = document_changed(json.loads(path.read_text("utf-8")), chance)
        text = json.dumps(changed)
        text = "[" * 10**5 if chance.random() < 0.002 else text
        path.write_text(text, "utf-8")
    result = Result.load(folder / "run")
    _use(result)
    if chance.random() < 0.002:  # figures take seconds
        report_html(result)
    resume(folder / "run")


def data_case(folder: Path, chance: random.Random) -> None:
    """A damaged data file: load, learn."""
    from lethenet.data import load
    from lethenet.model import PAPER, Network, initial_state

    name = chance.choice(("whole.npz", "parts.npz", "idx", "idx", "table.csv"))
    path = folder / "data" / name
    file = chance.choice(sorted(path.iterdir())) if path.is_dir() else path
    file.write_bytes(bytes_changed(file.read_bytes(), chance))
    data = load(path)
    network = Network(PAPER, initial_state(4, data.n_features, 0))
    network.learn(data.X_train[:3])


KINDS: dict[str, Callable[[Path, random.Random], None]] = {
    "model": model_case, "checkpoint": checkpoint_case, "run": run_case, "data": data_case,
}  # fmt: skip


def _damage(path: Path, chance: random.Random) -> None:
    if chance.random() < 0.3:
        path.write_bytes(bytes_changed(path.read_bytes(), chance))
    else:
        sealed_file_changed(path, chance)


def _use(result: Any) -> None:
    from lethenet.cli.display import headline_table

    str(result.accuracy_matrix), result.arrays, result.task_names, result._repr_html_()
    if result.finished:
        headline_table(result)
        _ = result.model, result.accuracy, result.forgetting


def one_case(kind: str, number: int, sound: Path, folder: Path, seconds: float = SECONDS) -> str:
    """Do one case in a fresh copy of the sound files; what came of it."""
    from lethenet.cli.errors import explain

    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    chance = random.Random(f"{kind} {number}")
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            KINDS[kind](folder, chance)
    except HangError:
        return "hang"
    except Exception as error:
        if explain(error) is not None:
            return "refused"
        import traceback

        return "traceback: " + " | ".join(traceback.format_exception(error)[-2:])[:500]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return "accepted"


def serve(kind: str, first: int, cases: int, out: Path) -> None:
    """Do some cases in this process, and say what came of them, a line each."""

    def too_long(*_: Any) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, too_long)
    faulthandler.enable()
    with tempfile.TemporaryDirectory() as name, out.open("a", encoding="utf-8") as log:
        sound, folder = Path(name) / "sound", Path(name) / "case"
        sound.mkdir()
        originals(sound)
        for number in range(-8, 0):  # compile what is needed, without a clock
            one_case(kind, number, sound, folder, seconds=0)
        for number in range(first, first + cases):
            began = time.perf_counter()
            log.write(json.dumps([number, "begun"]) + "\n")
            log.flush()
            found = one_case(kind, number, sound, folder)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            log.write(
                json.dumps([number, found, round(time.perf_counter() - began, 3), used]) + "\n"
            )
            log.flush()


def drive(kind: str, cases: int, first: int = 0) -> dict[str, Any]:
    """Do many cases in processes of their own; a process that dies is a crash of its last case."""
    counts: Counter[str] = Counter()
    bad: list[Any] = []
    slowest, most = 0.0, 0
    with tempfile.TemporaryDirectory() as name:
        number, end = first, first + cases
        while number < end:
            out = Path(name) / f"{number}.jsonl"
            words = [kind, "--serve", str(out), "--first", str(number)]
            words += ["--cases", str(min(BATCH, end - number))]
            done = subprocess.run(
                [sys.executable, __file__, *words], capture_output=True, text=True, check=False,
                env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "OPENBLAS_NUM_THREADS": "1",
                     "LETHENET_CACHE": str(Path(tempfile.gettempdir()) / "lethenet-fuzz-cache")},
            )  # fmt: skip
            lines = (
                [json.loads(x) for x in out.read_text("utf-8").splitlines()] if out.exists() else []
            )
            told = {line[0]: line for line in lines if line[1] != "begun"}
            begun = {line[0] for line in lines} - set(told)
            for line in told.values():
                what = line[1].partition(":")[0]
                counts[what] += 1
                slowest, most = max(slowest, line[2]), max(most, line[3])
                if what in ("hang", "traceback"):
                    bad.append(line)
            if done.returncode and not begun and not told:
                raise SystemExit(f"the fuzzer itself failed:\n{done.stderr[-3000:]}")
            if begun:
                counts["crash"] += 1
                bad.append([*begun, "crash", done.returncode, done.stderr[-600:]])
            number = max([*told, *begun], default=number) + 1
            print(
                f"{kind}: {number - first:,} of {cases:,}, {dict(counts)}",
                file=sys.stderr,
                flush=True,
            )
    return {
        "cases": cases, "first": first, **counts, "slowest_seconds": slowest,
        "most_megabytes": most, "bad": bad[:50],
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=[*KINDS, "all"])
    parser.add_argument("--cases", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help="write what was found here, as JSON")
    given = parser.parse_args()
    if given.serve:
        serve(given.kind, given.first, given.cases, given.serve)
        return 0
    found = json.loads(given.out.read_text("utf-8")) if given.out and given.out.exists() else {}
    failed = False
    for kind in KINDS if given.kind == "all" else [given.kind]:
        found[kind] = drive(kind, given.cases or CASES[kind], given.first)
        failed |= bool(found[kind]["bad"]) or found[kind]["most_megabytes"] > MEGABYTES
        if given.out:
            given.out.parent.mkdir(parents=True, exist_ok=True)
            given.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
