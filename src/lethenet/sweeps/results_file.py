"""The results file: a JSON object per line, appended as experiments finish, by any number of processes.

Each access holds an exclusive lock on the file for as long as it takes (``flock``: Linux and macOS,
also on NFS). A line goes out in one write and is on the disk before the next experiment starts. What a kill
can leave behind is part of a last line: the next sweep moves it to ``<file>.broken``.
On Windows and on file systems without locks, let one sweep at a time write to a file.
"""

from __future__ import annotations

import errno
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from .._limits import check_file, check_writable
from .._schema import TEXT, check

ResultLine = dict[str, Any]
"""A line of a results file."""

_LINE = {"key": TEXT, "config": {}, "results": {}, "cost": {}}
_BEGINNING = b'{"key": "'


def read_results(path: str | os.PathLike[str]) -> list[ResultLine]:
    """The results in a file, in the order in which they came. The file is not changed.

    Parameters
    ----------
    path : path
        A results file. An unfinished last line is left out, with a warning; any other line that
        is no result is a ValueError.

    Returns
    -------
    list of dict
        ``key``, ``preset``, ``config``, ``results``, ``cost`` and more: see ``docs/sweeps.md``.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.sweeps import grid, run_sweep
    >>> path = tempfile.mkdtemp() + "/results.jsonl"
    >>> experiments = grid(dataset="digits", neurons=10, train_per_class=5, seeds=2)
    >>> _ = run_sweep(experiments, path, jobs=1)
    >>> [result["config"]["seed"] for result in read_results(path)]
    [0, 1]
    """
    check_file(path)
    file, handle = ResultsFile(path), os.open(path, os.O_RDONLY)
    with _locked(handle, exclusive=False):
        unfinished = file._read_on(handle)
    if unfinished and _complete(unfinished) is None:
        warnings.warn(
            f"The last line of {path} is unfinished and is left out; the next sweep repairs it.",
            stacklevel=2,
        )
    return list(file.results.values())


class ResultsFile:
    """A results file that this process reads and appends to.

    Attributes
    ----------
    results : dict
        What was in the file when it was last looked at, by key.

    Examples
    --------
    >>> import tempfile
    >>> file = ResultsFile(tempfile.mkdtemp() + "/results.jsonl")
    >>> line = {"key": "a1", "config": {}, "results": {}, "cost": {}}
    >>> file.append(line), file.append(line), list(file.results)
    (True, False, ['a1'])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results: dict[str, ResultLine] = {}
        self._read_to, self._lines, self._file = 0, 0, (0, 0)

    def refresh(self) -> None:
        """Read what others have appended, and repair the last line if its writer was killed."""
        if self.path.exists():
            with self._open():
                pass

    def append(self, result: ResultLine) -> bool:
        """Add a result unless the file has it by now; whether it was added."""
        line = json.dumps(result, allow_nan=False).encode() + b"\n"
        with self._open() as handle:
            if result["key"] in self.results:
                return False
            written = os.write(handle, line)
            if written != len(line):
                os.ftruncate(handle, self._read_to)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(handle)
            self._read_to += written
            self._lines += 1
            self.results[result["key"]] = result
        return True

    @contextmanager
    def _open(self) -> Iterator[int]:
        """Nobody else writes meanwhile, and all that the file holds has been read."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(self.path)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        with _locked(handle, exclusive=True):
            tail = self._read_on(handle)
            if tail:  # nobody writes while we hold the lock: its writer is dead
                self._repair(handle, tail)
            self._read_to = os.fstat(handle).st_size
            yield handle

    def _read_on(self, handle: int) -> bytes:
        """Read what is new in the open file; the last line, if it has no end."""
        status = os.fstat(handle)
        if (status.st_dev, status.st_ino) != self._file or status.st_size < self._read_to:
            # another file by now, or shortened by hand: nothing read before counts
            self._file = (status.st_dev, status.st_ino)
            self._read_to, self._lines, self.results = 0, 0, {}
        *lines, tail = _read(handle, self._read_to).split(b"\n")
        _check_tail(self.path, self._lines + len(lines) + 1, tail)
        last = _complete(tail)
        for result in _parse(self.path, lines, self._lines) + ([] if last is None else [last]):
            self.results.setdefault(result["key"], result)
        self._lines += len(lines) + (last is not None)
        return tail

    def _repair(self, handle: int, tail: bytes) -> None:
        """Finish the last line if only its end is missing, else move it away."""
        if _complete(tail) is not None:
            os.write(handle, b"\n")
            os.fsync(handle)
            return
        broken = self.path.with_name(self.path.name + ".broken")
        with broken.open("ab") as file:
            file.write(tail + b"\n")
        os.ftruncate(handle, os.fstat(handle).st_size - len(tail))
        os.fsync(handle)
        warnings.warn(
            f"The last line of {self.path} was unfinished, as after a kill or a full disk. It was "
            f"moved to {broken}; its experiment is computed again.",
            stacklevel=2,
        )


@contextmanager
def _locked(handle: int, *, exclusive: bool) -> Iterator[None]:
    """Keep other processes out, and close the handle, with which the lock goes."""
    try:
        with suppress(ImportError, OSError):  # Windows, or a file system without locks
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _read(handle: int, start: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    return b"".join(iter(lambda: os.read(handle, 1 << 24), b""))


def _parse(path: Path, lines: list[bytes], lines_before: int = 0) -> list[ResultLine]:
    results = []
    for number, line in enumerate(lines, start=lines_before + 1):
        if not line.strip():
            continue
        result = _complete(line)
        if result is None:
            raise _foreign(path, number, line)
        results.append(result)
    return results


def _foreign(path: Path, number: int, line: bytes) -> ValueError:
    text = line.decode(errors="replace").strip()
    excerpt = repr(text if len(text) <= 40 else text[:40] + "…")
    return ValueError(
        f"{path}, line {number} is not a result of lethenet sweep: {excerpt}. "
        "Mend or remove this line, or choose another file."
    )


def _complete(line: bytes) -> ResultLine | None:
    """The result in a line, None if it is none."""
    try:
        result = json.loads(line)
        check(result, _LINE)
    except (ValueError, RecursionError):  # no JSON, no text, too long a number; nested too deep
        return None
    return cast(ResultLine, result)


def _check_tail(path: Path, number: int, tail: bytes) -> None:
    """An unfinished line must have begun as a sweep writes them; else the file is somebody else's."""
    if not tail.startswith(_BEGINNING) and not _BEGINNING.startswith(tail.strip()):
        raise _foreign(path, number, tail)
