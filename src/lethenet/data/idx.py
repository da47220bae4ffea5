"""The IDX file format, read strictly.

An IDX file is a header and one array, all big-endian::

    00 00 | type code (1 byte) | n, number of dimensions (1 byte) | n sizes (4 bytes each) | values

A file is accepted only if every byte of it is accounted for. Sizes come from the file and may be
lies, so they are compared with the file's length *before* any memory is asked for.
"""

import gzip
import io
import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from .._limits import check_bytes, check_file

_TYPES: dict[int, np.dtype[Any]] = {
    0x08: np.dtype(">u1"),
    0x09: np.dtype(">i1"),
    0x0B: np.dtype(">i2"),
    0x0C: np.dtype(">i4"),
    0x0D: np.dtype(">f4"),
    0x0E: np.dtype(">f8"),
}
_CODES = {dtype.newbyteorder("="): code for code, dtype in _TYPES.items()}
_MAX_DIMENSIONS = 8  # images need 3; numpy stops at 64, and nobody means that
_GZIP_MAGIC = b"\x1f\x8b"
_DEFLATE_LIMIT = 1032  # deflate cannot shrink data further than this, so a larger claim is a lie


def read_idx(path: str | Path) -> NDArray[Any]:
    """Read an IDX file, gzipped or not (its content tells), as an array in the machine's byte order.

    ValueError if the file is not IDX, is truncated, has bytes left over, or states an impossible shape.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_idx(Path(folder) / "labels-idx1-ubyte", np.array([7, 2, 1], np.uint8))
    ...     read_idx(path)
    array([7, 2, 1], dtype=uint8)
    """
    path = Path(path)
    with open_plain_or_gzip(path) as stream:
        plain = isinstance(stream, io.BufferedReader)
        at_most = path.stat().st_size * (1 if plain else _DEFLATE_LIMIT)
        return _read(stream, path, at_most=at_most)


@contextmanager
def open_plain_or_gzip(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading its uncompressed content; its own content tells whether it is gzipped.

    ValueError if reading finds that a gzip file is damaged.
    """
    check_file(path)
    with path.open("rb") as raw:
        compressed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if not compressed:
            yield raw
            return
        try:
            with gzip.open(raw) as stream:
                yield cast(BinaryIO, stream)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(
                f"{path} is a damaged gzip file ({error}); get the file again"
            ) from error


def write_idx(path: str | Path, array: NDArray[Any]) -> Path:
    """Write an array as an uncompressed IDX file, so that own data can be kept the MNIST way.

    It may be of uint8, int8, int16, int32, float32 or float64, with 1 to 8 dimensions.

    >>> write_idx("never-written", np.array(["a"]))
    Traceback (most recent call last):
    ...
    ValueError: IDX cannot hold <U1 values; convert to one of uint8, int8, int16, int32, ...
    """
    path = Path(path)
    code = _CODES.get(array.dtype.newbyteorder("="))
    if code is None:
        known = ", ".join(str(dtype) for dtype in _CODES)
        raise ValueError(f"IDX cannot hold {array.dtype} values; convert to one of {known}")
    if not 1 <= array.ndim <= _MAX_DIMENSIONS:
        raise ValueError(
            f"IDX holds 1 to {_MAX_DIMENSIONS} dimensions, this array has {array.ndim}"
        )
    header = bytes([0, 0, code, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(header + array.astype(_TYPES[code]).tobytes())
    return path


def _read(stream: BinaryIO, path: Path, *, at_most: int) -> NDArray[Any]:
    dtype, shape = _read_header(stream, path)
    value_bytes = math.prod(shape) * dtype.itemsize  # Python integers: cannot overflow
    needed = f"shape {shape} of {dtype.name} needs {value_bytes} bytes of values"
    if 4 + 4 * len(shape) + value_bytes > at_most:
        what = f"is truncated or its header is wrong: {needed}, more than the file can hold"
        raise ValueError(f"{path} {what}; get the file again")
    check_bytes(value_bytes, f"{path}, unpacked,")
    values = stream.read(value_bytes)
    if len(values) < value_bytes:
        raise ValueError(f"{path} is truncated: {needed}, found {len(values)}; get the file again")
    if stream.read(1):
        raise ValueError(f"{path} has bytes left over: {needed}; it is damaged or no IDX file")
    # astype copies, which also makes the array writable and gives it the machine's byte order.
    return np.frombuffer(values, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def _read_header(stream: BinaryIO, path: Path) -> tuple[np.dtype[Any], tuple[int, ...]]:
    magic = stream.read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in _TYPES:
        raise ValueError(
            f"{path} is not an IDX file: it starts with {magic.hex(' ') or 'nothing'}, expected "
            "00 00, a type code (08, 09, 0b, 0c, 0d or 0e) and the number of dimensions"
        )
    ndim = magic[3]
    if not 1 <= ndim <= _MAX_DIMENSIONS:
        raise ValueError(
            f"{path} states {ndim} dimensions; an IDX file of data has 1 to {_MAX_DIMENSIONS}"
        )
    sizes = stream.read(4 * ndim)
    if len(sizes) < 4 * ndim:
        raise ValueError(f"{path} is truncated within its header; get the file again")
    return _TYPES[magic[2]], struct.unpack(f">{ndim}I", sizes)
