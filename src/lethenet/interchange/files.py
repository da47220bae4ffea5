"""Arrays with metadata in one file: safetensors, written atomically, read with suspicion."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

MAX_BYTES = 8 * 2**30
"""A larger file is not one of ours."""

_KEY = "lethenet"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write to a temporary neighbour of ``path``, then move it into place in one step.

    A reader, or a process killed at any moment, finds the old file or the new one, never half of one.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(target) as draft:
    ...     _ = draft.write_text("done")
    >>> target.read_text()
    'done'
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
    except OSError as error:
        raise OSError(error.errno, f"Cannot write {path}: {error.strerror}") from error
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except OSError as error:
        raise OSError(
            error.errno,
            f"Cannot write {path}: {error.strerror or error}. What was there before is untouched.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_arrays(
    path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]
) -> None:
    """Write named arrays and JSON metadata to a safetensors file, atomically.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> write_arrays(path, {"x": np.arange(3)}, {"unit": "spikes"})
    >>> arrays, metadata = read_arrays(path)
    >>> arrays["x"], metadata
    (array([0, 1, 2]), {'unit': 'spikes'})
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = {_KEY: json.dumps(dict(metadata), allow_nan=False, sort_keys=True)}
    with replacing(path) as draft:
        try:
            save_file(contiguous, draft, metadata=header)
        except SafetensorError as error:  # carries the system's message, not its number
            raise OSError(28 if "space" in str(error).lower() else 5, str(error)) from error


def read_arrays(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read arrays and metadata; ValueError if the file is truncated, foreign, too large or not finite.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty"
    >>> path.touch()
    >>> read_arrays(path)
    Traceback (most recent call last):
    ValueError: ...empty is not a complete safetensors file ...
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(f"{path} is too large ({size} bytes): lethenet reads up to {MAX_BYTES}.")
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if _KEY not in header:
                raise ValueError(f"{path} is a safetensors file, but lethenet did not write it.")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(
            f"{path} is not a complete safetensors file ({error}). It may be truncated: "
            "use a copy or an earlier checkpoint."
        ) from error
    try:
        metadata = json.loads(header[_KEY])
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} has damaged metadata ({error}).") from error
    if not isinstance(metadata, dict):
        raise ValueError(f"{path} has damaged metadata: expected an object.")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{path}: the array {name!r} holds NaN or infinity.")
    return arrays, metadata
