"""``lethenet watch`` killed again and again, and fed with garbage: what comes out, beside an unbroken run.

    python benchmarks/watch.py [--kills 50] [--lines 100000]

Writes results/watch. Digits of scikit-learn, again and again, each with a little noise, are lines of JSON;
one line in a hundred is garbage. *Kills*: a process is killed (SIGKILL) at random moments, from its start
on, and started again with the same command until it ends; state and answers are compared with those of a
process that nobody kills, byte for byte. *Garbage*: the counts of an unbroken run are compared with those
known from making the lines.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from lethenet.lifelong import Watcher

ROOT = Path(__file__).parents[1]
OUT = ROOT / "results/watch"
COMMAND = [
    sys.executable,
    "-c",
    "import sys; from lethenet.cli import main; sys.exit(main())",
    "watch",
]
GARBAGE = {
    "json": b'{"x": [1, 2',
    "utf-8": b"[1, \xfe\xff]",
    "width": b"[1, 2, 3]",
    "range": b"[" + b"0, " * 63 + b"NaN]",
    "negative": b"[" + b"1, " * 63 + b"-5]",
    "number": b"[" + b"[1], " * 63 + b"[2]]",
    "blank": b"[" + b"0, " * 63 + b"0]",
    "label": b'{"x": [' + b"1, " * 63 + b'1], "y": ["a"]}',
    "long": b"[" + b"1, " * 400_000 + b"1]",
}
"""What is wrong, and a line of that kind."""


def make_lines(path: Path, n: int, seed: int) -> dict[str, int]:
    """Write n lines; how many there are of each kind of garbage, and of samples."""
    X, y = load_digits(return_X_y=True)
    rng, counts = np.random.default_rng(seed), Counter()
    kinds, chances = list(GARBAGE), [0.12375] * 8 + [0.01]
    with path.open("wb") as file:
        for k in range(n):
            if rng.random() < 0.01:
                kind = str(rng.choice(kinds, p=chances))
                file.write(GARBAGE[kind] + b"\n")
            else:
                kind, row = "samples", int(rng.integers(len(X)))
                x = np.clip(X[row] + rng.integers(-1, 2, 64), 0, 16).astype(int).tolist()
                file.write(json.dumps({"x": x, "y": int(y[row]), "id": k}).encode() + b"\n")
            counts[kind] += 1
    return dict(counts)


def command(folder: Path, lines: Path, *more: str) -> list[str]:
    where = ["--state", str(folder / "state"), "--output", str(folder / "answers")]
    return [*COMMAND, str(lines), "--neurons", "100", *where, *more]


def run(folder: Path, lines: Path, *more: str) -> str:
    folder.mkdir()
    done = subprocess.run(command(folder, lines, *more), capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


def killed(folder: Path, lines: Path, kills: int, whole: int, seed: int) -> dict[str, object]:
    """Kill at a random moment of what is left, so that the last kill finds something left to do."""
    folder.mkdir()
    rng, found, answers = random.Random(seed), [], folder / "answers"
    for number in range(kills):
        process = subprocess.Popen(
            command(folder, lines, "--checkpoint-samples", "100"), stderr=subprocess.DEVNULL
        )
        if number % 10 == 0:  # while it starts, reads its state or waits for samples to settle by
            time.sleep(rng.uniform(0, 5))
        else:
            target = whole * (number + rng.random()) / (kills + 1)
            while process.poll() is None and (
                not answers.exists() or answers.stat().st_size < target
            ):
                time.sleep(0.0005)
            time.sleep(rng.uniform(0, 0.02))
        process.kill()
        if process.wait() == 0:
            break
        state = folder / "state"
        found.append(Watcher.open(state).progress.lines if state.exists() else 0)
        print(f"killed {len(found)} times, {found[-1]} lines are safe", flush=True)
    subprocess.run(command(folder, lines), check=True, capture_output=True)
    return {
        "kills": len(found),
        "never lost what was safe": found == sorted(found),
        "lines safe": found,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--lines", type=int, default=100_000)
    options = parser.parse_args()
    results: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = make_lines(folder / "lines", options.lines, seed=0)
        samples = made.pop("samples")
        print(total := run(folder / "garbage", folder / "lines"), flush=True)
        progress = Watcher.open(folder / "garbage/state").progress
        results["garbage"] = {
            "lines": progress.lines,
            "answers": progress.answers,
            "novel": progress.novel,
            "bad": dict(sorted(progress.bad.items())),
            "lines counted exactly": progress.lines == options.lines,
            "answers counted exactly": progress.answers == samples == answered(folder / "garbage"),
            "bad lines counted exactly": progress.bad == made,
            "bytes counted exactly": progress.bytes == (folder / "lines").stat().st_size,
            "what it says is the same": numbers(total)
            >= {options.lines, samples, sum(made.values())},
        }
        write(results)
        make_lines(folder / "some lines", 10_000, seed=1)
        run(folder / "unbroken", folder / "some lines")
        whole = (folder / "unbroken/answers").stat().st_size
        results["kills"] = killed(folder / "killed", folder / "some lines", options.kills, whole, 2)
        for part in ("state", "answers"):
            one, other = ((folder / run / part).read_bytes() for run in ("unbroken", "killed"))
            results["kills"][f"same {part}, byte for byte"] = one == other
    write(results)


def answered(folder: Path) -> int:
    return (folder / "answers").read_bytes().count(b"\n")


def numbers(text: str) -> set[int]:
    return set(map(int, re.findall(r"\d+", text)))


def write(results: dict[str, object]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    lines = [
        "# Watching lines: kills and garbage",
        "",
        "Made by `python benchmarks/watch.py`: `lethenet watch --neurons 100`, digits of scikit-learn with "
        "a little noise as lines of JSON, one line in a hundred garbage.",
    ]
    for title, name in (("Garbage", "garbage"), ("Killed", "kills")):
        lines += ["", f"## {title}", "", "| what | outcome |", "|---|---|"]
        for what, outcome in results.get(name, {}).items():
            if isinstance(outcome, dict):
                text = ", ".join(f"{reason} {n}" for reason, n in outcome.items())
            elif isinstance(outcome, list):
                text = f"{outcome[0]} after the first kill, {outcome[-1]} after the last"
            else:
                text = (
                    {True: "yes", False: "**no**"}[outcome]
                    if isinstance(outcome, bool)
                    else outcome
                )
            lines.append(f"| {what} | {text} |")
    (OUT / "README.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
