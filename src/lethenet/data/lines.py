"""Lines from outside as samples: JSON or CSV, read with suspicion.

What is wrong with a line is a :class:`BadLine`, with a reason that can be counted.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

MOST_OF_A_LABEL = 200
"""Characters."""


class BadLine(ValueError):
    """A line that cannot be used; ``reason`` is a word to count it by."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Sample(NamedTuple):
    """What a line says: numbers, a label if it has one, and what is passed on to the answer."""

    values: np.ndarray
    label: str | None
    kept: dict[str, Any]


@dataclass
class LineFormat:
    """How lines are read, as far as it is known; the first that can be used settles the rest.

    JSON lines are arrays, or objects with the numbers in an array ``x`` or one by one. In CSV, a first line
    without a number is the header; without a header, columns are called by their place, from "0" on.

    Parameters
    ----------
    kind : {"auto", "json", "csv"}
    label : str or None
        Column or key of the label; None is "y", if there is one.
    keep : tuple of str
        Columns or keys that go into the answer as they came.
    features : list of str or None
        Columns or keys of the numbers; None takes all others.
    columns, delimiter, settled
        All columns of the CSV, what stands between cells, and whether a sample has come: until then another
        header may replace the first.

    Examples
    --------
    >>> lines = LineFormat()
    >>> lines.parse(b'{"x": [1, 2.5], "y": "cat", "id": 7}')
    Sample(values=array([1. , 2.5]), label='cat', kept={'id': 7})
    >>> table = LineFormat(label="species")
    >>> table.parse(b"time,width,height,species")
    >>> table.parse(b"12:30,3.5,1.4,iris")
    Sample(values=array([3.5, 1.4]), label='iris', kept={'time': '12:30'})
    >>> table.parse(b"12:31,3.5,nan,iris")
    Traceback (most recent call last):
    ...
    lethenet.data.lines.BadLine: NaN, infinity or a number too large
    """

    kind: str = "auto"
    label: str | None = None
    keep: tuple[str, ...] = ("id", "time")
    features: list[str] | None = None
    columns: list[str] | None = None
    delimiter: str = ","
    settled: bool = False

    def parse(self, raw: bytes) -> Sample | None:
        """The sample in a line, None if it is empty or a header; BadLine if it cannot be used."""
        try:
            text = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError as error:
            raise BadLine("utf-8", f"not UTF-8 at byte {error.start}") from None
        if not text:
            return None
        kind = self.kind
        if kind == "auto":
            kind = "json" if text[0] in "[{" else "csv"
        try:
            sample = self._from_json(text) if kind == "json" else self._from_csv(text)
        except RecursionError:
            raise BadLine("json", "nested too deep") from None
        if sample is not None:
            self.kind, self.settled = kind, True
        return sample

    def _from_json(self, text: str) -> Sample:
        try:
            found = json.loads(text)
        except ValueError as error:
            raise BadLine("json", f"not JSON: {str(error):.80}") from None
        if isinstance(found, list):
            return Sample(_numbers(found), None, {})
        if not isinstance(found, dict):
            raise BadLine("json", f"{text:.40} is neither an array nor an object")
        if "x" in found:
            return Sample(_numbers(found["x"]), *self._others(found))
        names = self.features or self._rest(found)
        if missing := [name for name in names if name not in found]:
            raise BadLine("width", f"{missing[0]!r:.40} is missing")
        sample = Sample(_numbers([found[name] for name in names]), *self._others(found))
        self.features = names
        return sample

    def _from_csv(self, text: str) -> Sample | None:
        delimiter = self.delimiter if self.settled else max(",;\t", key=text.count)
        try:
            (cells,) = csv.reader([text], delimiter=delimiter, strict=True)
        except (csv.Error, ValueError) as error:
            raise BadLine("csv", f"not CSV: {error}") from None
        cells = [cell.strip() for cell in cells]
        if not self.settled and not any(map(_is_number, cells)):
            self._take_header(cells, delimiter)
        elif self.columns is None:
            self._take_header([str(place) for place in range(len(cells))], delimiter)
        columns = self.columns or []
        if cells == columns:
            return None
        if len(cells) != len(columns):
            raise BadLine("width", f"{len(cells)} columns, expected {len(columns)}")
        row = dict(zip(columns, cells, strict=True))
        values = [row[name] for name in self.features or self._rest(row)]
        if wrong := [cell for cell in values if not _is_number(cell)]:
            raise BadLine("number", f"{wrong[0]!r:.40} is not a number")
        return Sample(_numbers(list(map(float, values))), *self._others(row))

    def _take_header(self, columns: list[str], delimiter: str) -> None:
        needed = [*(self.features or ()), *([self.label] if self.label else ())]
        missing = [name for name in needed if name not in columns]
        if missing or len(set(columns)) < len(columns) or len(self._rest(columns)) < 2:
            what = f"a column {missing[0]!r}" if missing else "two columns of numbers"
            raise BadLine("header", f"no header with {what}: {', '.join(columns):.80}")
        self.columns, self.delimiter = columns, delimiter

    def _rest(self, names: Any) -> list[str]:
        return [name for name in names if name not in (*self.keep, self.label or "y")]

    def _others(self, row: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
        """The label, as text, and what is passed on."""
        label = row.get(self.label or "y")
        kept = {name: row[name] for name in self.keep if name in row}
        for value in (label, *kept.values()):
            plain = value is None or isinstance(value, str | int | float)
            if not plain or (isinstance(value, float) and not math.isfinite(value)):
                raise BadLine(
                    "label", f"{value!r:.40}: expected text or a number beside the sample"
                )
        if label is None or label == "":
            return None, kept
        label = label if isinstance(label, str) else json.dumps(label)
        if len(label) > MOST_OF_A_LABEL:
            raise BadLine("label", f"a label of {len(label)} characters")
        return label, kept


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(values: Any) -> np.ndarray:
    """Two or more finite numbers as an array."""
    if not isinstance(values, list):
        raise BadLine("json", f"the numbers are {values!r:.40}: expected an array")
    if not {*map(type, values)} <= {int, float}:
        wrong = next(value for value in values if type(value) not in (int, float))
        raise BadLine("number", f"{wrong!r:.40} is not a number")
    if len(values) < 2:
        raise BadLine("width", f"{len(values)} numbers have no direction: expected 2 or more")
    try:
        numbers = np.array(values, np.float64)
    except OverflowError:
        numbers = np.array([math.inf])
    if not np.isfinite(numbers).all():
        raise BadLine("range", "NaN, infinity or a number too large")
    return numbers
