"""The loop around a watcher: lines from a reader, answers to a file, checkpoints.

A checkpoint says how far the input was read and the output written. An input file goes on from there, an
output file is cut back to it: after a kill both end as if nothing had happened.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data.line_reader import LineReader
from .stopping import Stop
from .watch_settings import Progress
from .watching import Answers, Watcher

PATIENCE = 0.1
"""Seconds after which a loop that waits for lines looks for signals and checkpoints."""


@dataclass
class WatchLoop:
    """Takes lines and writes answers until the lines end or somebody wants to stop.

    Answers go to ``output``, a raw binary file, one by one. Who reads them slowly slows the reading of
    lines, and nothing piles up. If writing fails, the last checkpoint stands. Checkpoints go to ``state``
    after so many ``seconds`` or lines (``samples``). ``say`` hears what is left at the end.
    """

    watcher: Watcher
    output: Any
    state: Path | None
    seconds: float
    samples: int | None
    only_novel: bool
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self._saved = (self.watcher.progress.lines, time.monotonic())

    def run(self, reader: LineReader, stop: Stop) -> None:
        """Go on until the end, or until somebody wants to stop; then leave a checkpoint."""
        while stop.signal_number is None and (lines := reader.more(PATIENCE)) is not None:
            for line, size in lines:
                self._write(self.watcher.take(line, size))
                self._save_if_due()
            self._save_if_due()
        if stop.signal_number is None:
            self._finish(reader)
        self.save()

    def save(self) -> None:
        """Leave a checkpoint."""
        if self.state is not None:
            if self.watcher.progress.output_bytes is not None:
                os.fsync(self.output.fileno())
            self.watcher.save(self.state)
            self._saved = (self.watcher.progress.lines, time.monotonic())

    def _save_if_due(self) -> None:
        new = self.watcher.progress.lines - self._saved[0]
        if new and (new == self.samples or time.monotonic() - self._saved[1] >= self.seconds):
            self.save()

    def _finish(self, reader: LineReader) -> None:
        """What is left at the end: it waits for more if there is a state to wait in."""
        rest, size = reader.rest
        if self.state is None:
            self._write(self.watcher.take(rest, size) if size else [])
            self._write(self.watcher.settle() if self.watcher.n_waiting else [])
        elif size:
            self.say("The last line has no end and was not taken.")

    def _write(self, answers: Answers) -> None:
        chosen = [answer for answer in answers if answer["novel"] or not self.only_novel]
        text = "".join(json.dumps(answer, allow_nan=False) + "\n" for answer in chosen)
        left = memoryview(text.encode())
        while left:
            written = self.output.write(left)
            if written is None:  # a pipe that does not block, and is full
                select.select([], [self.output], [], PATIENCE)
            left = left[written or 0 :]
        if self.watcher.progress.output_bytes is not None:
            self.watcher.progress.output_bytes += len(text)


def open_input(path: str, progress: Progress) -> Any:
    """A file of lines, raw, where it was left; standard input if its name is "-"."""
    file: Any = 0 if path == "-" else path
    file = open(file, "rb", buffering=0, closefd=path != "-")  # noqa: SIM115
    if path != "-" and progress.bytes and file.seekable():
        file.seek(progress.bytes - 1)
        if file.read(1) != b"\n":
            raise ValueError(
                f"{path} has no end of a line at byte {progress.bytes}, where the state is: it was cut or "
                "replaced. Begin with another --state, or give what is new by standard input."
            )
    return file


def open_output(path: Path | None, progress: Progress) -> Any:
    """The file of answers, raw, cut back to where it was left; standard output if there is none."""
    known = progress.output_bytes
    if path is None and known is None:
        return open(1, "wb", buffering=0, closefd=False)
    if path is None:
        raise ValueError(f"the state has written {known} bytes to a file: give it as --output.")
    file = path.open("ab", buffering=0)
    size = file.seek(0, os.SEEK_END)
    if size < (known or 0) or (known is None and size):
        raise ValueError(
            f"{path} has {size} bytes, and the state has written {known or 0} to it: give the file that it "
            "has written, or begin with another --state and --output."
        )
    progress.output_bytes = known or 0
    file.truncate(progress.output_bytes)
    return file
