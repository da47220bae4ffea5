"""A user's own data as a table: CSV, a bare .npy array, or Parquet; one row per sample.

The column with the labels goes by its name, or is the last one; all others are features, numbers. Files are
read into memory, features in single precision.
"""

import csv
import tokenize
from pathlib import Path
from typing import Any

import numpy as np

from .._limits import check_bytes, check_file, one_line
from .dataset import Dataset
from .lines import is_number
from .splitting import split_dataset

SUFFIXES = (".csv", ".tsv", ".txt", ".npy", ".parquet")
LABEL_NAMES = ("label", "class", "target", "y")
_MOST_COLUMNS = 1_000_000


def load_table(path: Path, label_column: str | None = None) -> Dataset:
    """The data set in a table; a seeded, stratified fifth becomes the test part."""
    return split_dataset(path, *read_table(path, label_column))


def read_table(path: Path, label_column: str | None = None, n_features: int | None = None) -> Any:
    """The features, and the labels, None if there are none.

    Where it is known how many features there must be, labels are there if there is one column more.
    """
    try:
        check_file(path)
        if path.suffix == ".npy":
            table = np.load(path, allow_pickle=False)
            if table.ndim != 2 or table.dtype.kind not in "buif":
                raise ValueError(
                    f"it holds {table.dtype} of shape {table.shape}, not rows of numbers"
                )
            names = [str(number) for number in range(table.shape[1])]
            place = _label_place(names, label_column, n_features)
            labels = None if place is None else table[:, place]
            return table if place is None else np.delete(table, place, axis=1), labels
        if path.suffix == ".parquet":
            return _read_parquet(path, label_column, n_features)
        return _read_csv(path, label_column, n_features)
    # pyarrow has errors of many kinds
    except (ValueError, TypeError, LookupError, OSError, EOFError, csv.Error, MemoryError,
            RuntimeError, tokenize.TokenError) as error:  # fmt: skip
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{path} cannot be used: {one_line(error)}") from error


def _label_place(names: list[str], wanted: str | None, n_features: int | None) -> int | None:
    """Which column has the labels: the one asked for, one with a usual name, else the last."""
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"it has {len(names)} columns, more than {_MOST_COLUMNS}")
    if wanted is not None:
        if wanted not in names:
            raise ValueError(f"it has no column {wanted!r}; it has {_some(names)}")
        return names.index(wanted)
    if n_features is not None and len(names) != n_features + 1:
        return None
    usual = [place for place, name in enumerate(names) if name.strip().lower() in LABEL_NAMES]
    return usual[0] if usual else len(names) - 1


def _read_csv(path: Path, label_column: str | None, n_features: int | None) -> Any:
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = [line for _, line in zip(range(2), file, strict=False)]
    if not head or not head[0].strip():
        raise ValueError("it is empty, or begins with an empty line")
    mark = max(",;\t ", key=head[0].count)
    first, *second = (next(csv.reader([line], delimiter=mark)) for line in head)
    # a header is a first line with no number where the next one has some
    header = bool(second) and not any(map(is_number, first)) and any(map(is_number, second[0]))
    names = first if header else [str(number) for number in range(len(first))]
    place = _label_place(names, label_column, n_features)
    how: dict[str, Any] = {"delimiter": mark, "skiprows": int(header), "quotechar": '"', "ndmin": 2}
    how |= {"comments": None, "encoding": "utf-8-sig"}
    features = [number for number in range(len(names)) if number != place]
    if not features:
        raise ValueError(f"it has a single column, {_some(names)}: features and labels are needed")
    X = np.loadtxt(path, np.float32, usecols=features, **how)
    labels = None if place is None else np.loadtxt(path, str, usecols=[place], **how)[:, 0]
    return X, labels


def _read_parquet(path: Path, label_column: str | None, n_features: int | None) -> Any:
    try:
        from pyarrow import parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise ValueError('Parquet files need pyarrow: pip install "lethenet[parquet]"') from None
    file = parquet.ParquetFile(path)
    check_bytes(8 * file.metadata.num_rows * file.metadata.num_columns, "what it holds")
    table = file.read()
    names = [str(name) for name in table.column_names]
    place = _label_place(names, label_column, n_features)
    columns = [table.column(n).to_numpy() for n in range(len(names)) if n != place]
    wrong = [n for n, c in zip(names, columns, strict=False) if c.dtype.kind not in "buif"]
    if wrong or not columns:
        raise ValueError(f"the columns {_some(wrong or names)} are not numbers")
    labels = None if place is None else np.array(table.column(place).to_pylist())
    return np.column_stack(columns).astype(np.float32), labels


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
