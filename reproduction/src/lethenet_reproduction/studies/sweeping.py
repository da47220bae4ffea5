"""Run a study's cells into its results file, with a line of text for each cell that is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lethenet.sweeps import Experiment, run_sweep

from .tables import Record


def sweep(cells: Iterable[Experiment], path: Path, *, jobs: int = -1) -> list[Record]:
    """The records of these cells; what the file lacks is computed first.

    >>> import tempfile
    >>> from lethenet.sweeps import grid
    >>> cells = grid(dataset="digits", neurons=10, train_per_class=5, seeds=2)
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> [record["config"]["seed"] for record in sweep(cells, path, jobs=1)]
    [0, 1]
    """
    began = time.monotonic()

    def say(event: dict[str, Any]) -> None:
        if event["event"] == "started" and event["missing"]:
            _print(f"{path}: {event['missing']} of {event['experiments']} cells to compute")
        elif event["event"] == "result" and not event["elsewhere"]:
            minutes = (time.monotonic() - began) / 60
            _print(f"  {event['done']} done, {minutes:.1f} min: {_line(event['result'])}")
        elif event["event"] in ("failed", "retry"):
            _print(f"  {event['event']}: {event['why']}")

    return list(run_sweep(cells, path, jobs=jobs, progress=say).results)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _line(record: Record) -> str:
    config, results = record["config"], record["results"]
    hard, soft = results["test_accuracy"], results["test_accuracy_histogram"]
    return (
        f"{config['neurons']} neurons, {record['preset']}, threshold "
        f"{config['parameters']['threshold']:g}, seed {config['seed']}: {100 * hard:.2f} % "
        f"({100 * soft:.2f} % with histogram votes)"
    )
