"""Arrays with metadata in one file: safetensors, written atomically, read with suspicion."""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .._limits import check_file, check_writable

_KEY, _SEAL = "lethenet", "sha256:"


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
    check_writable(path)
    # not tempfile: its files are private to the user
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        draft.open("xb").close()
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(path)
    except OSError as error:
        raise OSError(
            error.errno,
            f"Cannot write {path}: {error.strerror or error}. What was there before is untouched.",
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_arrays(
    path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]
) -> None:
    """Write named arrays and JSON metadata to a safetensors file, atomically, with a checksum over all.

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
    text = json.dumps(dict(metadata), allow_nan=False, sort_keys=True)
    # one entry: safetensors writes several in any order, and the same content has to give the same file
    header = {_KEY: f"{_SEAL}{_checksum(text, contiguous)} {text}"}
    with replacing(path) as draft:
        try:
            save_file(contiguous, draft, metadata=header)
        except SafetensorError as error:  # carries the system's message, not its number
            raise OSError(28 if "space" in str(error).lower() else 5, str(error)) from error


def _checksum(text: str, arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over the metadata, and each array's name, type, shape and content."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read_arrays(
    path: str | os.PathLike[str], check: Callable[[dict[str, Any], list[str]], None] | None = None
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read arrays and metadata; ValueError if the file is truncated, changed, foreign or too large.

    ``check`` gets the metadata and the names of the arrays before any array is read, and raises a
    ValueError if they are not of the file that is wanted. Files of lethenet 0.1 have no checksum, and are
    read without one.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "empty"
    >>> path.touch()
    >>> read_arrays(path)
    Traceback (most recent call last):
    ValueError: ...empty is not a complete safetensors file ...
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    check_file(path)
    try:
        with safe_open(path, framework="numpy") as file:
            header = file.metadata() or {}
            if set(header) != {_KEY}:
                raise ValueError(f"{path} is a safetensors file, but lethenet did not write it.")
            text, checksum = header[_KEY], ""
            if text.startswith(_SEAL):
                checksum, _, text = text.removeprefix(_SEAL).partition(" ")
            metadata = read_json(text, f"the metadata of {path}")
            if check is not None:
                check(metadata, list(file.keys()))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"{path} is not a complete safetensors file ({error}). It may be truncated: "
            "use a copy or an earlier checkpoint."
        ) from error
    if text is not header[_KEY] and checksum != _checksum(text, arrays):
        raise ValueError(
            f"{path} is damaged: its content is not what its checksum says. Use a copy or an earlier "
            "checkpoint."
        )
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{path}: the array {name!r} holds NaN or infinity.")
    return arrays, metadata


def refuse_unknown(path: object, names: Iterable[str], known: Callable[[str], bool]) -> None:
    """ValueError if one of these arrays is not known by its name."""
    for name in names:
        if not known(name):
            raise ValueError(f"{path} holds {name!r:.60}, which no such file has.")


def read_json(text: str, source: object) -> dict[str, Any]:
    """A JSON object; ValueError that names the source if it is damaged, too deep or no object."""
    try:
        document = json.loads(
            text, parse_constant=_not_a_number, parse_float=_finite, parse_int=_whole
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source} is damaged: {error}.") from error
    if not isinstance(document, dict):
        raise ValueError(
            f"{source} is damaged: expected an object, found {type(document).__name__}."
        )
    return document


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _whole(digits: str) -> int:
    if len(digits) > 19:
        raise ValueError(f"the number {digits:.40} is too large")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits:.40} is too large")
    return number
