"""The log of a session: a line of JSON per command, in a file that grows to a limit; and the way back."""

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
_AT_A_TIME = 64
"""Samples learned at a time in a replay; any other number gives the same bits."""


class Log:
    """Commands with the number of samples before each, in a temporary file.

    >>> log = Log({"dataset": "digits", "seed": 0})
    >>> log.write({"at": 5, "do": "alone"})
    >>> [json.loads(line)["at"] for line in b"".join(log.lines({"at": 7, "do": "end"})).splitlines()[1:]]
    [5, 7]
    """

    def __init__(self, head: Mapping[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lethenet-")
        self._path, self._size = Path(self._folder.name) / "session.jsonl", 0
        self.write({"format": FORMAT, "version": 1, "lethenet": __version__, **head})

    def check_room(self) -> None:
        """ValueError if the log is full: what is not written down could not be replayed."""
        if self._size > MOST_BYTES:
            raise ValueError("the session's log is full: download it and start lethenet live anew.")

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line."""
        with self._path.open("ab") as file:
            self._size += file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")

    def lines(self, end: Mapping[str, Any]) -> Iterator[bytes]:
        """The log so far and a last line, in pieces, whatever is written meanwhile."""

        def pieces(size: int) -> Iterator[bytes]:
            with self._path.open("rb") as file:
                for start in range(0, size, 2**16):
                    yield file.read(min(2**16, size - start))
            yield json.dumps(end).encode() + b"\n"

        return pieces(self._size)


def replay(path: Path, data: Dataset) -> Session:
    """Do again all that a log says; ValueError if it does not end with the same bits."""
    from .session import Session

    session = None
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_BYTES), b"")):
            try:
                entry = json.loads(line)
                if number == 0:
                    head = entry
                    if head["format"] != FORMAT or head["dataset"] != data.name:
                        raise ValueError(
                            f"it is no session with {data.name}: --dataset says which."
                        )
                    continue
                at = entry.pop("at")
                if session is None:
                    session = Session(data, entry["networks"], seed=head["seed"])
                while session.n_streamed < at:
                    session.advance(min(_AT_A_TIME, at - session.n_streamed))
                if entry["do"] == "end" and entry["digest"] != session.digest():
                    raise ValueError("the replay ends with other bits than the session did.")
                if number > 1 and entry["do"] != "end":
                    session.do(entry)
            except (KeyError, TypeError, AttributeError, RecursionError, ValueError) as error:
                raise ValueError(f"{path}, line {number + 1}: {error}") from error
    if session is None:
        raise ValueError(f"{path} holds no session of lethenet live.")
    return session
