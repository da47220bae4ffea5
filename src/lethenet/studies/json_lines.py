"""Results as lines of JSON: appended one by one, so that a crash loses nothing that was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    """All results in a file; none if there is no file.

    >>> read_lines(Path("no such file"))
    []
    """
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def append_line(path: Path, result: Line) -> None:
    """Add one result to a file, which is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(result) + "\n")


def matching(results: list[Line], **wanted: Any) -> list[Line]:
    """The results that have these values.

    >>> matching([{"seed": 0, "test": 90.0}, {"seed": 1, "test": 91.0}], seed=1)
    [{'seed': 1, 'test': 91.0}]
    """
    return [r for r in results if all(r.get(name) == value for name, value in wanted.items())]
