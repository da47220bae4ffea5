"""How long the figures and the report of a run take, after learning.

    python benchmarks/report.py RUN_DIR                       # this checkout
    python benchmarks/report.py RUN_DIR --against CHECKOUT    # another one and this one in turn

Each checkout gets a process of its own with a copy of the run directory, does what ``lethenet run`` does
after learning once to warm up, and is then timed in turn with the other.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]

WORKER = """
import contextlib, pathlib, sys, time, warnings
from lethenet.cli.runs import _report

class Quiet:
    def busy(self, text): return contextlib.nullcontext()
    def report(self, path): pass
    def note(self, text): raise SystemExit(text)

warnings.simplefilter("ignore")
for _ in sys.stdin:
    wall, processor = time.perf_counter(), time.process_time()
    _report(pathlib.Path(sys.argv[1]), Quiet())
    print(time.perf_counter() - wall, time.process_time() - processor, flush=True)
"""


class Checkout:
    """A process that makes the report of a copy of the run directory whenever it is asked."""

    def __init__(self, root: Path, run: Path, copies: Path) -> None:
        self.name = root.name
        copy = copies / f"{len(list(copies.iterdir()))}"
        shutil.copytree(run, copy)
        own = root / ".venv" / "bin" / "python"
        paths = [str(path) for path in (root / "src", root / "reproduction" / "src")]
        self.process = subprocess.Popen(
            [str(own) if own.exists() else sys.executable, "-c", WORKER, str(copy)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self) -> tuple[float, float]:
        """Seconds on the clock and of the processor."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        wall, processor = map(float, self.process.stdout.readline().split())
        return wall, processor


def main() -> None:
    """Time the checkouts in turn and print medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a run directory; it is copied")
    parser.add_argument("--against", type=Path, help="another checkout of lethenet")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    roots = [root.resolve() for root in (options.against, HERE) if root is not None]
    with tempfile.TemporaryDirectory() as copies:
        checkouts = [Checkout(root, options.run, Path(copies)) for root in roots]
        for checkout in checkouts:
            checkout.seconds()  # imports, fonts, caches
        times = [[checkout.seconds() for checkout in checkouts] for _ in range(options.rounds)]
        for checkout in checkouts:
            checkout.process.terminate()
            checkout.process.wait()
    medians = [
        [statistics.median(values) for values in zip(*side, strict=True)]
        for side in zip(*times, strict=True)
    ]
    for root, (wall, processor) in zip(roots, medians, strict=True):
        print(f"{root.name:12} {wall:6.2f} s on the clock {processor:6.2f} s of the processor")
    if len(medians) == 2:
        (old, old_processor), (new, new_processor) = medians
        ratio = f"{old / new:.2f} × on the clock, {old_processor / new_processor:.2f} × of the processor"
        print(f"{roots[0].name} takes {ratio} (medians of {options.rounds} rounds)")


if __name__ == "__main__":
    main()
