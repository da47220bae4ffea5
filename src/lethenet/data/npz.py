"""A user's own data in an .npz file, read without pickle."""

import math
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._limits import check_bytes, check_file, one_line
from .dataset import Dataset
from .splitting import split_dataset

_SPLIT_KEYS = ("X_train", "y_train", "X_test", "y_test")
_WHOLE_KEYS = ("X", "y")


def load_npz(path: Path) -> Dataset:
    """Load an .npz file with X_train, y_train, X_test, y_test, or with X and y.

    X and y are split by `lethenet.data.splitting.stratified_split` with seed 0: a fifth of the
    samples for testing, at least one of each class, in the order of the data.
    """
    arrays = read_npz(path)
    if "X_train" in arrays:
        return Dataset.from_arrays(path.stem, *arrays.values(), source=str(path), signed=True)
    return split_dataset(path, arrays["X"], arrays["y"])


def read_npz(path: Path, *wanted: str) -> dict[str, NDArray[Any]]:
    """These arrays of an npz file, or those of a data set; ValueError if it cannot be trusted."""
    check_file(path)
    try:
        if not zipfile.is_zipfile(path):  # numpy would take it for a pickle or for a bare array
            raise ValueError("it is not an .npz archive, or it is truncated")
        with np.load(path, allow_pickle=False) as archive:
            keys = _choose_keys(archive.files, wanted)
            _check_sizes(archive.zip, keys)
            return {key: archive[key] for key in keys}
    # A foreign file may make numpy, zipfile (RuntimeError: a password) or zlib complain.
    except (ValueError, OSError, EOFError, KeyError, MemoryError, RuntimeError, SyntaxError,
            zipfile.BadZipFile, zlib.error, tokenize.TokenError) as error:  # fmt: skip
        raise ValueError(
            f"{path} cannot be used: {one_line(error)}. Write it with numpy.savez(path, X_train=..., "
            "y_train=..., X_test=..., y_test=...) or numpy.savez(path, X=..., y=...)"
        ) from error


def _choose_keys(present: list[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    for keys in (wanted,) if wanted else (_SPLIT_KEYS, _WHOLE_KEYS):
        missing = [key for key in keys if key not in present]
        if not missing:
            return keys
        if wanted or len(missing) < len(keys):
            raise ValueError(f"it has {sorted(present)} but lacks {missing}")
    raise ValueError(f"it has {sorted(present)}, neither {list(_SPLIT_KEYS)} nor {['X', 'y']}")


def _check_sizes(archive: zipfile.ZipFile, keys: tuple[str, ...]) -> None:
    """ValueError if the arrays would take more memory than the limit, or other than they say."""
    total = 0
    for key in keys:
        member = archive.getinfo(f"{key}.npy" if f"{key}.npy" in archive.NameToInfo else key)
        with archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            read_header = np.lib.format.read_array_header_1_0
            if version != (1, 0):
                read_header = np.lib.format.read_array_header_2_0
            shape, _, dtype = read_header(stream)
            if dtype.hasobject:
                raise ValueError(
                    f"{key} holds Python objects, which are never unpickled; convert it to numbers of "
                    "one shape"
                )
            stated = math.prod(shape) * dtype.itemsize
            if stream.tell() + stated != member.file_size:
                raise ValueError(f"{key} states {stated} bytes, but has another number")
        total += stated
    check_bytes(total, "what it holds")
