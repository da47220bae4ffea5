"""The loop around a watcher: lines from a reader, answers to a file, checkpoints.

A checkpoint says how far the input was read and the output written. An input file goes on from there, and an
output file is cut back to it: after a kill both end as if nothing had happened.
"""

from __future__ import annotations

import json
import os
import select
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data.line_reader import MOST_BYTES_OF_A_LINE, LineReader
from .stopping import Stop
from .watching import Watcher

PATIENCE = 0.1
"""Seconds after which a loop that waits for lines looks for signals and checkpoints."""
MOST_AT_ONCE = 256
"""Lines that are learned together, if they are there."""


class WatchLoop:
    """Takes lines and writes answers until the lines end or somebody wants to stop.

    Answers are written as soon as no further line is there; a slow reader of them slows the reading of lines,
    and nothing piles up. If writing fails, the last checkpoint stands.

    Parameters
    ----------
    watcher : Watcher
    output : raw binary file
    state : path, optional
        Where checkpoints go: after so many ``seconds``, or so many lines.
    only_novel : bool, default=False
        Write no other answers.
    say : callable
        Hears what happens, in sentences.
    """

    def __init__(
        self,
        watcher: Watcher,
        output: Any,
        *,
        state: Path | None = None,
        seconds: float = 20.0,
        samples: int | None = None,
        only_novel: bool = False,
        say: Callable[[str], None] = print,
    ) -> None:
        self.watcher, self.output, self.state = watcher, output, state
        self.seconds, self.samples = seconds, samples or 10**18
        self.only_novel, self.say = only_novel, say
        self._saved = (watcher.progress.lines, time.monotonic())

    def run(self, reader: LineReader, stop: Stop, skip: int = 0) -> None:
        """Until the end, or until ``stop`` is set; the first ``skip`` lines were taken before."""
        at_once = min(self.samples, MOST_AT_ONCE)
        while stop.signal_number is None and (lines := reader.more(PATIENCE)) is not None:
            again = min(skip, len(lines))
            skip -= again
            for start in range(again, len(lines), at_once):
                self._write(self.watcher.read(lines[start : start + at_once]))
                self._save_if_due()
            self._save_if_due()
        if stop.signal_number is None:
            self._finish(reader)
        self.save()

    def save(self) -> None:
        """A checkpoint."""
        if self.state is not None:
            if self.watcher.progress.output_bytes is not None:
                os.fsync(self.output.fileno())
            self.watcher.save(self.state)
            self._saved = (self.watcher.progress.lines, time.monotonic())

    def _save_if_due(self) -> None:
        new, age = self.watcher.progress.lines - self._saved[0], time.monotonic() - self._saved[1]
        if new >= self.samples or (new and age >= self.seconds):
            self.save()

    def _finish(self, reader: LineReader) -> None:
        """What is left at the end. With a state it may be half of something, and waits for more."""
        rest, waiting = reader.rest, self.watcher.n_waiting
        if rest[1] and self.state is not None:
            self.say(f"The last line ({rest[1]} bytes) has no end and was not taken.")
        elif rest[1]:
            self._write(self.watcher.read([rest]))
        if waiting and self.state is not None:
            needed = self.watcher.settings.settle
            self.say(f"{waiting} samples are kept in the state: {needed} settle the threshold.")
        elif self.watcher.n_waiting:
            self._write(self.watcher.settle())

    def _write(self, answers: list[dict[str, Any]]) -> None:
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


def open_input(path: Path, watcher: Watcher) -> Any:
    """A file of lines, raw, where the watcher was; ValueError if it is not the one it has read."""
    file, progress = path.open("rb", buffering=0), watcher.progress
    if progress.bytes and file.seekable():
        short = (
            progress.last_size <= MOST_BYTES_OF_A_LINE
        )  # of a longer one, no more than that was kept
        file.seek(progress.bytes - progress.last_size)
        last = file.read(progress.last_size).removesuffix(b"\n") if short else b""
        longer = file.seek(0, os.SEEK_END) >= file.seek(progress.bytes)
        if progress.last_sum != zlib.crc32(last) or not longer:
            raise ValueError(
                f"{path} is not what the state has read, up to byte {progress.bytes}: it was cut or replaced. "
                "Begin anew with another --state, or hand over what is new by standard input."
            )
    return file


def open_output(path: Path, watcher: Watcher) -> Any:
    """The file of answers, raw, cut back to where the watcher was."""
    file, progress = path.open("ab", buffering=0), watcher.progress
    size = file.seek(0, os.SEEK_END)
    if progress.output_bytes is None and size:
        raise ValueError(f"{path} exists, and the state does not know it: choose another --output.")
    if size < (progress.output_bytes or 0):
        raise ValueError(
            f"{path} has {size} bytes, and the state has written {progress.output_bytes}: bring back what "
            "is missing, or begin anew with another --state."
        )
    progress.output_bytes = progress.output_bytes or 0
    file.truncate(progress.output_bytes)
    return file
