"""HDF5 files from others: sizes are looked at before contents, and nothing may point elsewhere."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .._limits import check_file, one_line

MAX_BYTES = 2**28
"""A larger file, or array in it, is not a layer that we could simulate."""

_DEFLATE = 1100
"""Nothing is packed more tightly than this by gzip; an array that claims to be was never written."""


_HEAP = b"GCOL\x01"


def check_heaps(content: bytes) -> None:
    """Refuse heaps of texts in which the HDF5 library would go round in circles for ever."""
    start, steps = content.find(_HEAP), 0
    while start >= 0:
        end = start + int.from_bytes(content[start + 8 : start + 16], "little")
        place = start + 16
        while place + 16 <= min(end, len(content)) and steps < 100_000:
            index, size = struct.unpack_from("<H6xQ", content, place)
            step = 16 + -(-size // 8) * 8 if index else size
            if step < 16 or place + step > end:
                break
            place, steps = place + step, steps + 1
        if end > len(content) or place + 16 <= end:
            raise ValueError("a heap of texts is damaged: use a copy, or write the file again.")
        start = content.find(_HEAP, start + 1)


def needed(package: str) -> Any:
    """A package that only NIR files need."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(f"{package} is not there: pip install 'lethenet[nir]'") from error


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The root of an HDF5 file. Whatever goes wrong with it is a ValueError of one line."""
    h5py = needed("h5py")
    path = Path(path)
    check_file(path, MAX_BYTES)
    try:
        check_heaps(path.read_bytes())
        with h5py.File(path, "r") as file:
            if file.id.get_create_plist().get_sizes() != (8, 8):
                raise ValueError("sizes are not of 8 bytes: write the file again.")
            yield file
    except ValueError as error:
        raise ValueError(f"{path}: {one_line(error)}") from error
    except (OSError, KeyError, TypeError, RuntimeError, OverflowError, MemoryError) as error:
        raise ValueError(
            f"{path} is not a complete HDF5 file ({one_line(error)}). It may be truncated: use a copy, or "
            "write it again."
        ) from error


def member(group: Any, name: str, kind: str = "Dataset") -> Any:
    """A group or data set of this very file: links and data in other files are refused."""
    import h5py

    where = f"{group.name.rstrip('/')}/{name}"
    link = group.get(name, getlink=True)
    item = group[name] if isinstance(link, h5py.HardLink) else None
    if not isinstance(item, getattr(h5py, kind)):
        found = "missing" if link is None else type(link if item is None else item).__name__
        raise ValueError(f"{where} is {found}: expected a {kind.lower()}. Write the file again.")
    if kind == "Dataset" and (item.shape is None or item.is_virtual or item.external):
        raise ValueError(f"{where} has no data in this file: write it again with all data in it.")
    return item


def numbers(group: Any, name: str, most: int = MAX_BYTES) -> np.ndarray:
    """A data set of finite numbers, read only if it can be as large as it claims to be."""
    item = member(group, name)
    size = math.prod(item.shape) * item.dtype.itemsize
    if item.dtype.kind not in "biuf":
        raise ValueError(f"{item.name} has type {item.dtype}: expected numbers.")
    if size > min(most, 2**16 + _DEFLATE * item.id.get_storage_size()):
        raise ValueError(
            f"{item.name} claims {size} bytes (shape {item.shape}): more than this file can hold, or "
            f"than {most}. Write the file again."
        )
    array: np.ndarray = item[()] if item.shape else np.asarray(item[()])
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        wrong = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{item.name} holds {wrong}: expected finite numbers.")
    return array


def texts(group: Any, name: str, shape: tuple[int, ...] = ()) -> list[str]:
    """The strings of a data set of this shape."""
    import h5py

    item = member(group, name)
    if h5py.check_string_dtype(item.dtype) is None or item.shape != shape:
        raise ValueError(
            f"{item.name} has type {item.dtype} and shape {item.shape}: expected text of shape {shape}."
        )
    return [str(text) for text in np.ravel(item.asstr()[()])]
