"""Kill real processes at random moments: at the end there are the bits of one that was left alone.

``python tests/fuzz/kills.py`` appends a line to ``results/fuzz/kills.jsonl`` for each life: a run (with or
without a twin) or a sweep is killed a few times, goes on, and is let finish. Stopped, it goes on with the
lives that are missing. In the lives called *first compilation* the kernel cache is empty at the start, so
that kills come while kernels are compiled and written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import ROOT, append_line, read_lines, sources

OUT = ROOT / "results" / "fuzz" / "kills.jsonl"
COMMAND = [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]
KILLS, LIVES = 5, {"run": 44, "twin": 24, "sweep": 10, "first compilation": 6}
DIGITS = ["--dataset", "digits", "--threshold", "15.0", "--neurons", "40"]
RUN = [*DIGITS, "--epochs", "2", "--checkpoint-samples", "40", "--n-jobs", "1"]
SWEEP = [
    "--dataset",
    "digits",
    "--neurons",
    "10,20,30",
    "--threshold",
    "15.0",
    "--seeds",
    "4",
    "--jobs",
    "2",
]
NOT_COMPARED = ("started", "finished", "seconds", "simulated", "command", "machine")


def words(life: str, folder: Path) -> list[str]:
    """The command that begins this life, or goes on with it."""
    if life == "sweep":  # which takes up where its results file ends
        return ["sweep", *SWEEP, "--out", str(folder / "results.jsonl")]
    if (folder / "run").exists():
        return ["resume", str(folder / "run"), "--no-report"]
    twin = ["--twin"] if life == "twin" else []
    return ["run", *RUN, *twin, "--out", str(folder / "run"), "--no-report"]


def start(life: str, folder: Path, cache: Path | None) -> subprocess.Popen[bytes]:
    """A process of its own, with all that it starts in one group."""
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    own = {} if cache is None else {"LETHENET_CACHE": str(cache)}
    return subprocess.Popen(
        [*COMMAND, *words(life, folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, **one, **own}, start_new_session=True,
    )  # fmt: skip


def finish(life: str, folder: Path, cache: Path | None = None) -> float:
    """Let it come to its end; how long that took."""
    began = time.monotonic()
    process = start(life, folder, cache)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"{life} in {folder} failed: {errors.decode()[-2000:]}")
    return time.monotonic() - began


def one_life(life: str, number: int, folder: Path, seconds: float) -> Counter[str]:
    """Kill it a few times at any moment, then let it finish; how often it was killed doing what."""
    chance, killed = random.Random(f"{life} {number}"), Counter[str]()
    cache = folder / "cache" if life == "first compilation" else None
    for _ in range(2 * KILLS if cache else KILLS):
        doing = "resume" if (folder / "run").exists() else "run"
        process = start(life, folder, cache)
        # what is kept makes the next attempt shorter, so that kills must come soon
        time.sleep(chance.uniform(0.05, seconds / (4 if cache else 2)))
        # of a sweep, now and then only the process that leads, whose workers must then end by themselves
        if life == "sweep" and chance.random() < 0.3:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.returncode
        killed[doing if life == "run" else life if life != "twin" else f"{doing} with a twin"] += 1
    finish(life, folder, cache)
    return killed


def content(folder: Path) -> dict[str, Any]:
    """All that a life must come to, bit for bit."""
    if (folder / "results.jsonl").exists():
        lines = read_lines(folder / "results.jsonl")
        return {
            x["key"]: [x["config"], x["results"]] for x in sorted(lines, key=lambda x: x["key"])
        }
    found: dict[str, Any] = {}
    for place in sorted(p.parent for p in folder.glob("run/**/run.json")):
        document = json.loads((place / "run.json").read_text("utf-8"))
        kept = {k: v for k, v in document.items() if k not in NOT_COMPARED}
        files = {f: (place / f).read_bytes() for f in ("arrays.safetensors", "model.safetensors")}
        left = [
            p.name for p in place.iterdir() if p.name.endswith((".part", "checkpoint.safetensors"))
        ]
        found[place.name] = {**files, "run.json": kept, "left over": left}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lives", type=int, help="of each kind, instead of all")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    done = {(line["life"], line["number"]) for line in read_lines(given.out)}
    for life, lives in LIVES.items():
        missing = [n for n in range(given.lives or lives) if (life, n) not in done]
        if not missing:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            compiled = life == "first compilation"
            finish(life, folder / "warm")
            empty = folder / "unbroken" / "cache" if compiled else None
            seconds = finish(life, folder / "unbroken", empty)
            expected = content(folder / "unbroken")
            for number in missing:
                place = folder / str(number)
                killed = one_life(life, number, place, seconds)
                same = content(place) == expected
                line = {"life": life, "number": number, "kills": dict(killed), "same_bits": same,
                        "unbroken_seconds": round(seconds, 1), "sources": sources()}  # fmt: skip
                append_line(given.out, line)
                print(line, file=sys.stderr, flush=True)
    return int(not all(line["same_bits"] for line in read_lines(given.out)))


if __name__ == "__main__":
    raise SystemExit(main())
