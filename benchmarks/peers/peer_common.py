"""What the peers' scripts share: the command line, the samples, one thread, one JSON line.

Importing this module sets the thread counts, so import it before numpy and anything built on it.
It runs under three interpreters (one per peer) and so needs numpy and the standard library only.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for _name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402  (the thread counts have to be set first)

STEPS_PER_SAMPLE = 250


@dataclass(frozen=True)
class Task:
    """What to time: the first `count` rows of `X`, presented to a layer of `neurons`."""

    X: np.ndarray
    neurons: int
    count: int
    repeats: int

    @property
    def timed(self) -> np.ndarray:
        """The rows that are presented (from the first again when there are fewer than `count`)."""
        return self.X[np.arange(self.count) % len(self.X)]

    def prototypes(self) -> np.ndarray:
        """One unit-length weight vector per neuron, each the copy of a sample that is not timed.

        A layer of copies fires as a trained one does; random weights would hardly fire at all.
        With too few rows, prototypes repeat or coincide with timed samples.
        """
        others = self.X[self.count :] if len(self.X) > self.count else self.X
        return unit_rows(others[np.arange(self.neurons) % len(others)])


def unit_rows(X: np.ndarray) -> np.ndarray:
    """Rows scaled to L2 norm 1: as rates, one spike per time unit (an empty row stays empty)."""
    rows = X.astype(np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


def read_task(description: str) -> Task:
    """Read the common command line; exits with code 2 and one line on what cannot be used."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--samples", type=Path, required=True, help=".npz with X, uint8 (n, 784)")
    parser.add_argument("--neurons", type=int, required=True, help="size of the layer")
    parser.add_argument("--count", type=int, required=True, help="samples to time")
    parser.add_argument("--repeats", type=int, default=3, help="how often to time them (3)")
    arguments = parser.parse_args()
    for name in ("neurons", "count", "repeats"):
        if (value := getattr(arguments, name)) < 1:
            parser.error(f"--{name} is {value}, expected 1 or more")
    try:
        with np.load(arguments.samples, allow_pickle=False) as archive:
            X = archive["X"]
    except (OSError, KeyError, ValueError) as error:
        parser.error(f"--samples {arguments.samples}: expected an .npz file with X ({error})")
    if X.ndim != 2 or X.shape[1] != 784 or X.dtype != np.uint8 or not len(X):
        parser.error(f"--samples: X is {X.dtype} {X.shape}, expected uint8 (n, 784)")
    return Task(X, arguments.neurons, arguments.count, arguments.repeats)


@dataclass(frozen=True)
class Timing:
    """Seconds one repeat took: of this process's CPU, and on the wall."""

    cpu: float
    wall: float


def timed(work: Callable[[], object]) -> Timing:
    """Time one call. CPU time is what is compared: other processes cannot inflate it."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Timing(time.process_time() - cpu, time.perf_counter() - wall)


@contextmanager
def json_only() -> Iterator[Callable[[dict[str, Any]], None]]:
    """Send whatever is printed inside to stderr; the yielded function alone writes to stdout."""
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)

    def write(report: dict[str, Any]) -> None:
        os.write(stdout, (json.dumps(report) + "\n").encode())

    try:
        yield write
    finally:
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.close(stdout)


def report(
    *, peer: str, version: str, task: Task, timings: list[Timing], details: dict[str, Any]
) -> dict[str, Any]:
    """Put one result together: median CPU seconds per sample, every repeat beside it."""
    per_sample = [timing.cpu / task.count for timing in timings]
    return {
        "peer": peer,
        "version": version,
        "neurons": task.neurons,
        "samples": task.count,
        "seconds_per_sample": statistics.median(per_sample),
        "seconds_per_sample_repeats": per_sample,
        "details": {
            "clock": "CPU seconds of the process, median of the repeats",
            "wall_seconds_per_sample_repeats": [timing.wall / task.count for timing in timings],
            "threads": 1,
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            **details,
        },
    }
