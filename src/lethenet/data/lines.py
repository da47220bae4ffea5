"""Lines from outside as samples: JSON or CSV, read with suspicion."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

MOST_OF_A_LABEL = 200
"""Characters."""


class BadLineError(ValueError):
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
    """How lines are read, as far as it is known: the first sample settles the rest.

    A line of JSON is an array, or an object with the numbers in an array ``x`` or one by one. In CSV, a
    first line without a number is the header; without one, columns are called by their place, from "0" on.

    ``kind`` is "auto", "json" or "csv"; ``label`` the column or key of the label, if there is one; those in
    ``keep`` are passed on to the answer as they came; all others are numbers. ``columns`` are those of CSV,
    or of objects without ``x``. Until a sample has come (``settled``) a header may replace another.

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
    lethenet.data.lines.BadLineError: NaN, infinity or a number too large
    """

    kind: str = "auto"
    label: str = "y"
    keep: list[str] = field(default_factory=lambda: ["id", "time"])
    columns: list[str] | None = None
    delimiter: str = ","
    settled: bool = False

    def parse(self, raw: bytes) -> Sample | None:
        """The sample in a line, None if it is empty or a header; BadLineError if it cannot be used."""
        try:
            text = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError as error:
            raise BadLineError("utf-8", f"not UTF-8 at byte {error.start}") from None
        if not text:
            return None
        json_like = self.kind == "json" or (self.kind == "auto" and text[0] in "[{")
        if json_like and not self.settled:
            self.columns = None  # what looked like a header was none
        sample = self._from_json(text) if json_like else self._from_csv(text)
        if sample is not None:
            self.kind, self.settled = "json" if json_like else "csv", True
        return sample

    def _from_json(self, text: str) -> Sample:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadLineError("json", f"not JSON: {error!s:.80}") from None
        if isinstance(found, list):
            return Sample(_numbers(found), None, {})
        if not isinstance(found, dict):
            raise BadLineError("json", "neither an array nor an object")
        if "x" in found:
            return Sample(_numbers(found["x"]), *self._others(found))
        columns = self.columns or list(found)
        if missing := [name for name in columns if name not in found]:
            raise BadLineError("width", f"{missing[0]!r:.40} is missing")
        sample = Sample(_numbers([found[n] for n in self._rest(columns)]), *self._others(found))
        self.columns = self._rest(columns)
        return sample

    def _from_csv(self, text: str) -> Sample | None:
        delimiter = self.delimiter if self.settled else max(",;\t", key=text.count)
        try:
            (cells,) = csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError) as error:
            raise BadLineError("csv", f"not CSV: {error!s:.80}") from None
        cells = [cell.strip() for cell in cells]
        if not self.settled and (self.columns is None or not any(map(is_number, cells))):
            self._take_header(cells, delimiter)
        if cells == self.columns:
            return None
        if self.columns is None or len(cells) != len(self.columns):
            raise BadLineError(
                "width", f"{len(cells)} columns, expected {len(self.columns or '12')}"
            )
        row = dict(zip(self.columns, cells, strict=True))
        features = [row[name] for name in self._rest(self.columns)]
        if wrong := [cell for cell in features if not is_number(cell)]:
            raise BadLineError("number", f"{wrong[0]!r:.40} is not a number")
        return Sample(_numbers([float(cell) for cell in features]), *self._others(row))

    def _take_header(self, cells: list[str], delimiter: str) -> None:
        numbered = any(map(is_number, cells))
        columns = [str(place) for place in range(len(cells))] if numbered else cells
        if self.label not in ("y", *columns):
            raise BadLineError("header", f"no column {self.label!r}: {columns!r:.80}")
        if len(set(columns)) < len(columns) or len(self._rest(columns)) < 2:
            raise BadLineError("header", f"no two columns of numbers: {columns!r:.80}")
        self.columns, self.delimiter = columns, delimiter

    def _rest(self, names: list[str]) -> list[str]:
        return [name for name in names if name not in (*self.keep, self.label)]

    def _others(self, row: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
        """The label, as text, and what is passed on."""
        label = row.get(self.label)
        kept = {name: row[name] for name in self.keep if name in row}
        for value in (label, *kept.values()):
            infinite = isinstance(value, float) and not math.isfinite(value)
            if infinite or not (value is None or isinstance(value, str | int | float)):
                raise BadLineError("label", "neither text nor a number beside the sample")
        if label is None or label == "":
            return None, kept
        label = label if isinstance(label, str) else json.dumps(label)
        if len(label) > MOST_OF_A_LABEL:
            raise BadLineError("label", f"a label of {len(label)} characters")
        return label, kept


def is_number(cell: str) -> bool:
    """Whether a cell of a table holds a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(values: Any) -> np.ndarray:
    """Two or more finite numbers as an array."""
    if not isinstance(values, list) or not {*map(type, values)} <= {int, float}:
        raise BadLineError("number", "something else where a number should be")
    if len(values) < 2:
        raise BadLineError("width", f"{len(values)} numbers have no direction: expected 2 or more")
    try:
        numbers = np.array(values, np.float64)
    except OverflowError:
        numbers = np.array([np.inf])
    if not np.isfinite(numbers).all():
        raise BadLineError("range", "NaN, infinity or a number too large")
    return numbers
