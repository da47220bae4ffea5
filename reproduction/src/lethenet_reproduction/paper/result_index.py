"""Find the results of cells in a file by their settings: nothing is computed, no data are loaded.

Sweeps know their cells by keys, for which the data must be there and the network must run. A report is
made from results alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lethenet.model.parameters import Parameters
from lethenet.sweeps import Experiment, ResultsFile, read_results

from ..studies.tables import Record

ALL_CLASSES = list(range(10))
_USUAL = asdict(Parameters())


class ResultIndex:
    """The records of a results file by settings; an empty one if there is no such file.

    With ``only_todays`` it goes by keys: results of a network that behaved otherwise than today's are not
    found. That takes the data and a short run.

    >>> import tempfile
    >>> from lethenet.sweeps import grid, run_sweep
    >>> cells = grid(dataset="digits", neurons=10, train_per_class=5, seeds=2)
    >>> path = Path(tempfile.mkdtemp()) / "results.jsonl"
    >>> _ = run_sweep(cells[:1], path, jobs=1)
    >>> [record["config"]["seed"] for record in ResultIndex(path).find(cells)]
    [0]
    """

    def __init__(self, path: Path, *, only_todays: bool = False) -> None:
        self.path, self._only_todays = path, only_todays
        records = read_results(path) if path.exists() else []
        self._by_key = {record["key"]: record for record in records}
        # of two with the same settings, made by networks that behave otherwise, the later counts
        self._by_settings = {_identity(record["config"]): record for record in records}

    def get(self, cell: Experiment) -> Record | None:
        """The record of a cell, None if there is none."""
        if self._only_todays:
            return self._by_key.get(cell.key)
        return self._by_settings.get(_identity(cell.to_json()))

    def find(self, cells: Iterable[Experiment]) -> list[Record]:
        """The records of those cells that have one."""
        return [record for cell in cells if (record := self.get(cell)) is not None]


def _identity(document: Mapping[str, Any]) -> str:
    """A cell's settings as text: without names, with what is left out put in."""
    settings = {"label_per_class": None, **document}
    settings.pop("preset", None)
    if settings["classes"] == ALL_CLASSES:
        settings["classes"] = None
    settings["parameters"] = {**_USUAL, **document["parameters"]}
    return json.dumps(settings, sort_keys=True)


def carry_over(cells: Iterable[Experiment], source: Path, target: Path) -> int:
    """Copy the results of these cells that another file holds already; how many it were.

    The fit has computed some cells of Table 1.
    """
    if not source.exists():
        return 0
    known, file = {record["key"]: record for record in read_results(source)}, ResultsFile(target)
    file.refresh()
    return sum(
        file.append(known[cell.key])
        for cell in cells
        if cell.key in known and cell.key not in file.results
    )
