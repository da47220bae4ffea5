"""Tables of results: values by group, mean and deviation, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import mean, stdev
from typing import Any, TypeVar

Record = dict[str, Any]
"""A line of a results file: its key, configuration, results and cost."""

Key = TypeVar("Key", bound=Hashable)


def grouped(records: Iterable[Record], key: Callable[[Record], Key]) -> dict[Key, list[Record]]:
    """Records by what ``key`` makes of them, in the order in which they first come.

    >>> grouped([{"n": 1, "x": 5}, {"n": 2, "x": 6}, {"n": 1, "x": 7}], lambda r: r["n"])[1]
    [{'n': 1, 'x': 5}, {'n': 1, 'x': 7}]
    """
    groups: dict[Key, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def percents(records: Iterable[Record], name: str) -> list[float]:
    """A result of each record (a share), in percent.

    >>> percents([{"results": {"bwt": -0.125}}], "bwt")
    [-12.5]
    """
    return [100 * float(record["results"][name]) for record in records]


def mean_sd(values: Sequence[float], digits: int = 2) -> str:
    """Mean ± sample standard deviation; the mean alone of a single value, a dash for none.

    >>> mean_sd([1.0, 3.0]), mean_sd([-2.0]), mean_sd([])
    ('2.00 ± 1.41', '−2.00', '–')
    """
    if not values:
        return "–"
    text = f"{mean(values):.{digits}f}".replace("-", "−")
    return text if len(values) == 1 else f"{text} ± {stdev(values):.{digits}f}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table.

    >>> print(markdown(["n", "accuracy"], [[400, "93.4"]]))
    | n | accuracy |
    |---|---|
    | 400 | 93.4 |
    """
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
