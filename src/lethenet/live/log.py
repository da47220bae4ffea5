"""The log of a session: a line of JSON per command, in a file that grows to a limit, and the way back."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._version import __version__

if TYPE_CHECKING:
    from ..data import Dataset
    from .session import Session

FORMAT = "lethenet-session"
MOST_BYTES = 256 * 2**20
LONGEST_LINE = 128 * 2**20
_AT_A_TIME = 64
"""Samples learned between two commands of a replay; any other number gives the same bits."""


class Log:
    """Commands with the number of samples before each, in a temporary file.

    >>> log = Log({"dataset": "digits", "seed": 0})
    >>> log.write({"at": 5, "do": "alone"})
    >>> [json.loads(line)["at"] for line in b"".join(log.lines({"at": 7, "do": "end"})).splitlines()[1:]]
    [5, 7]
    """

    def __init__(self, head: Mapping[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lethenet-")
        self._path = Path(self._folder.name) / "session.jsonl"
        self._size = 0
        self.write({"format": FORMAT, "version": 1, "lethenet": __version__, **head})

    def check_room(self) -> None:
        """ValueError if the log is full: what is not written down could not be replayed."""
        if self._size > MOST_BYTES:
            raise ValueError("the session's log is full: download it and start lethenet live anew.")

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line."""
        line = json.dumps(entry, allow_nan=False).encode() + b"\n"
        with self._path.open("ab") as file:
            file.write(line)
        self._size += len(line)

    def lines(self, end: Mapping[str, Any]) -> Iterator[bytes]:
        """The log so far and a last line, in pieces, whatever is written meanwhile."""
        return self._pieces(self._size, json.dumps(end).encode() + b"\n")

    def _pieces(self, size: int, end: bytes) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            for start in range(0, size, 2**16):
                yield file.read(min(2**16, size - start))
        yield end


def read_head(path: Path) -> dict[str, Any]:
    """The first line of a log; ValueError if it is none."""
    return next(_entries(path))


def replay(path: Path, data: Dataset) -> Session:
    """Do again all that a log says; ValueError if it does not end with the same bits."""
    from .session import Session

    entries = _entries(path)
    head = next(entries)
    if head.get("dataset") != data.name:
        raise ValueError(f"{path} was made with {head.get('dataset')!r:.60}, not with {data.name}.")
    session = None
    for number, entry in enumerate(entries, 2):
        at, command = entry.pop("at", None), entry
        try:
            if session is None:
                session = Session(data, command["networks"], seed=head["seed"])
                continue
            if not isinstance(at, int) or at < session.n_streamed:
                raise ValueError(f"at={at!r:.40} is not a number of samples from here on.")
            while session.n_streamed < at:
                session.advance(min(_AT_A_TIME, at - session.n_streamed))
            if command.get("do") != "end":
                session.do(command)
            elif command.get("digest") != session.digest():
                raise ValueError("the replay ends with other bits than the session did.")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    if session is None:
        raise ValueError(f"{path} holds no session.")
    return session


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}, line {number}: {error}.") from None
            wrong = not isinstance(entry, dict) or (number == 1 and entry.get("format") != FORMAT)
            if wrong:
                raise ValueError(f"{path} is not a session that lethenet live wrote.")
            yield entry
