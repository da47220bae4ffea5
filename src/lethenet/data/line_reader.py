"""Whole lines from a file or a pipe, none longer than a limit, also from a file that still grows."""

from __future__ import annotations

import os
import select
import time
from typing import Any

MOST_BYTES_OF_A_LINE = 2**20
Line = tuple[bytes | None, int]
"""A line without its end, None if it is too long; and how many bytes it takes with its end."""


class LineReader:
    """Lines as they come, from a raw binary file; ``follow`` waits for more at its end.

    >>> import io
    >>> reader = LineReader(io.BytesIO(b"one\\ntwo\\nthr"))
    >>> reader.more(), reader.more(), reader.rest
    ([(b'one', 4), (b'two', 4)], None, (b'thr', 3))
    """

    def __init__(
        self, file: Any, *, follow: bool = False, limit: int = MOST_BYTES_OF_A_LINE
    ) -> None:
        self._file, self._follow, self._limit = file, follow, limit
        self._pieces: list[bytes] = []
        self._size = 0

    def more(self, seconds: float = 0.0) -> list[Line] | None:
        """The lines that are there, or that come within so many seconds; None at the end."""
        try:
            ready = select.select([self._file], [], [], seconds)[0]
        except (OSError, TypeError, ValueError):  # nothing to wait for: memory, or Windows
            ready = [self._file]
        data = self._file.read(2**16) if ready else None
        if data is None:
            return []
        if not data:
            if not self._follow:
                return None
            self._check_size()
            time.sleep(seconds)
            return []
        lines = []
        *ended, begun = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            line, size = self.rest
            lines.append((line, size + 1))
            self._pieces, self._size = [], 0
        self._add(begun)
        return lines

    @property
    def rest(self) -> Line:
        """What has come of a line that has not ended; of size 0 if there is none."""
        return (None if self._size > self._limit else b"".join(self._pieces)), self._size

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._pieces.append(piece)
        else:  # only its size is kept
            self._pieces.clear()

    def _check_size(self) -> None:
        if self._file.seekable() and os.fstat(self._file.fileno()).st_size < self._file.tell():
            raise ValueError(
                f"{self._file.name} has become shorter than what was read of it: it was cut or replaced. "
                "Begin anew, with another --state."
            )
