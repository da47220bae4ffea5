"""Results of studies that are no sweeps, kept the same way: a line each, computed once."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lethenet.model.parameters import Parameters
from lethenet.sweeps import ResultsFile, read_results
from lethenet.sweeps.fingerprint import behaviour

from .tables import Record

LATER: dict[str, Any] = {"dopaminergic_floor": 0.0, "links": 0}
"""Parameters that the model got after such results had been made, with the value that changes nothing."""


def remembered(
    path: Path,
    config: dict[str, Any],
    compute: Callable[[], dict[str, Any]],
    *,
    parameters: Parameters | None = None,
    quiet: bool = False,
) -> Record:
    """The record of ``config`` in a results file; ``compute`` gives its results if there is none.

    ``config`` must name everything that decides the results. Pass the network's parameters, if there is
    one: a change of what such a network does makes its old results void. What is computed is printed,
    unless ``quiet``.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> remembered(path, {"x": 2}, lambda: {"square": 4})["results"]
    {'square': 4}
    >>> remembered(path, {"x": 2}, lambda: {"square": "computed again"})["results"]
    {'square': 4}
    """
    does = behaviour(parameters)[:16] if parameters is not None else None
    text = json.dumps([_without_later(config), does], sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    file = ResultsFile(path)
    file.refresh()
    if key not in file.results:
        began = time.perf_counter()
        results = compute()
        cost = {"seconds": round(time.perf_counter() - began, 1)}
        file.append(
            {"key": key, "config": config, "results": results, "cost": cost, "behaviour": does}
        )
        if not quiet:
            short = {name: v for name, v in results.items() if isinstance(v, int | float)}
            print(f"{path.name}: {config} → {short}", file=sys.stderr, flush=True)
    return file.results[key]


def _without_later(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration without parameters that came later, where they change nothing."""
    if "parameters" not in config:
        return config
    kept = {k: v for k, v in config["parameters"].items() if k not in LATER or v != LATER[k]}
    return {**config, "parameters": kept}


def flat_records(path: Path) -> list[Record]:
    """Configurations and results of a file, each pair as one dictionary; none if there is no file.

    >>> flat_records(Path("no such file"))
    []
    """
    records = read_results(path) if path.exists() else []
    return [{**record["config"], **record["results"]} for record in records]
