"""Give lethenet damaged and hostile files, many times, and use whatever it accepts.

``python tests/fuzz/fuzzing.py all`` runs the whole campaign, in processes of their own with numba's bounds
checks on, and appends a line to ``results/fuzz/campaign.jsonl`` for each batch: stopped, it goes on from
there. ``python tests/fuzz/fuzzing.py model --cases 200 --out /tmp/x.jsonl`` does some of it. Kind and
number seed the chance of a case: ``--first N --cases 1`` does it again, but files of runs hold times.

What may happen: a result, or an error that names the file. What may not: any other exception, a crash, more
than two seconds, more than 600 MB.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from cases import KINDS, RefusedError, do
from originals import make_all

ROOT = Path(__file__).parents[2]
OUT = ROOT / "results" / "fuzz" / "campaign.jsonl"
SECONDS, HARD_SECONDS, MEGABYTES = 2.0, 20.0, 600
CASES = {"model": 100_000, "checkpoint": 20_000, "run": 20_000, "data": 30_000}
BATCH = 5_000
FINDINGS = ("traceback", "unclear", "hang", "crash")


class HangError(BaseException):
    """A case took too long. No ``except Exception`` may catch it."""


def one_case(kind: str, number: int, sound: Path, folder: Path, seconds: float = SECONDS) -> Any:
    """Do one case; what came of it and what was done to the file, or what went wrong."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return "accepted", do(kind, sound, folder, random.Random(f"{kind} {number}"))
    except RefusedError as refused:
        return "refused", str(refused)
    except HangError as error:
        return "hang", _tail(error)
    except Exception as error:
        what = "unclear" if str(error).startswith("unclear: ") else "traceback"
        return what, _tail(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _tail(error: BaseException) -> str:
    return " | ".join(traceback.format_exception(error)[-3:])[:700]


def serve(kind: str, first: int, cases: int, sound: Path, out: Path) -> None:
    """Do some cases in this process, and say what came of them, a line each."""

    from lethenet.data.registry import BUILT_IN

    def too_long(*_: Any) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, too_long)
    faulthandler.enable()
    BUILT_IN["digits"] = cache(BUILT_IN["digits"])  # reading them takes longer than the case
    with tempfile.TemporaryDirectory(dir=_memory()) as name, out.open("a", encoding="utf-8") as log:
        folder = Path(name) / "case"
        for number in range(-60, 0):  # compile what is needed, without a clock
            one_case(kind, number, sound, folder, seconds=0)
        for number in range(first, first + cases):
            began = time.perf_counter()
            print(json.dumps([number, "begun"]), file=log, flush=True)
            # for what no signal reaches, such as a loop in a kernel
            faulthandler.dump_traceback_later(HARD_SECONDS, exit=True)
            what, how = one_case(kind, number, sound, folder)
            faulthandler.cancel_dump_traceback_later()
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            seconds = round(time.perf_counter() - began, 3)
            print(json.dumps([number, what, how, seconds, round(used)]), file=log, flush=True)


def drive(kind: str, first: int, cases: int, sound: Path) -> dict[str, Any]:
    """Do a batch of cases in processes of their own; one that dies is a crash of its last case."""
    counts: Counter[str] = Counter(dict.fromkeys(("accepted", "refused", *FINDINGS), 0))
    mutations: Counter[str] = Counter()
    findings: list[Any] = []
    seconds, slowest, most = time.time(), 0.0, 0
    number = first
    while number < first + cases:
        with tempfile.TemporaryDirectory() as name:
            out = Path(name) / "log.jsonl"
            words = [kind, "--serve", str(out), "--sound", str(sound), "--first", str(number)]
            words += ["--cases", str(first + cases - number)]
            done = subprocess.run(
                [sys.executable, __file__, *words], capture_output=True, text=True, check=False,
                env=environment(),
            )  # fmt: skip
            lines = (
                [json.loads(x) for x in out.read_text("utf-8").splitlines()] if out.exists() else []
            )
        told = {line[0]: line for line in lines if line[1] != "begun"}
        lost = [line[0] for line in lines if line[0] not in told]
        if not lines:
            raise SystemExit(f"the fuzzer itself failed:\n{done.stderr[-3000:]}")
        for n, what, how, took, used in told.values():
            counts[what] += 1
            slowest, most = max(slowest, took), max(most, used)
            if what in FINDINGS:
                findings.append([n, what, how])
            else:
                mutations[how] += 1
        for n in lost:
            what = "hang" if "Timeout" in done.stderr else "crash"
            counts[what] += 1
            findings.append([n, what, done.returncode, done.stderr[-700:]])
        number = max([*told, *lost]) + 1
    return {
        "kind": kind, "first": first, "cases": cases, **counts, "slowest_seconds": slowest,
        "most_megabytes": most, "seconds": round(time.time() - seconds), "sources": sources(),
        "mutations": dict(sorted(mutations.items())), "findings": findings[:30],
    }  # fmt: skip


def environment() -> dict[str, str]:
    """With bounds checks, whose kernels are kept apart from the others; on one core."""
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    kernels = Path(tempfile.gettempdir()) / f"lethenet-fuzz-{os.getuid()}"
    return {**os.environ, **one, "NUMBA_BOUNDSCHECK": "1", "LETHENET_CACHE": str(kernels)}


def sources() -> str:
    """Which code was tried: a hash of the package."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src" / "lethenet").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def read_lines(path: Path) -> list[dict[str, Any]]:
    """What a file of JSON lines holds, nothing if it is not there."""
    return [json.loads(x) for x in path.read_text("utf-8").splitlines()] if path.exists() else []


def append_line(path: Path, line: dict[str, Any]) -> None:
    """Write a line down at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def campaign(kinds: list[str], cases: int | None, first: int, out: Path) -> bool:
    """Do the batches that are missing; whether nothing was found."""
    done = {(line["kind"], line["first"], line["cases"]): line for line in read_lines(out)}
    fine = True
    with tempfile.TemporaryDirectory(dir=_memory()) as name:
        sound = Path(name) / "sound"
        command = [sys.executable, __file__, "all", "--make", "--sound", str(sound)]
        subprocess.run(command, check=True, env=environment())
        for kind in kinds:
            end = first + (cases or CASES[kind])
            for start in range(first, end, BATCH):
                batch = (kind, start, min(BATCH, end - start))
                line = done.get(batch)
                if line is None:
                    line = drive(*batch, sound)
                    append_line(out, line)
                said = {k: line[k] for k in ("accepted", "refused", *FINDINGS, "most_megabytes")}
                print(f"{kind} {start:,}: {said}", file=sys.stderr, flush=True)
                fine &= not line["findings"] and line["most_megabytes"] <= MEGABYTES
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=[*KINDS, "all"])
    parser.add_argument("--cases", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT, help="append what was found here")
    for name in ("--serve", "--sound"):
        parser.add_argument(name, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        make_all(given.sound)
    elif given.serve:
        serve(given.kind, given.first, given.cases, given.sound, given.serve)
    else:
        kinds = [*KINDS] if given.kind == "all" else [given.kind]
        return int(not campaign(kinds, given.cases, given.first, given.out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
