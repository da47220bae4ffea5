"""Stopping a command that can go on later: Ctrl-C, and the signal that a queue sends when time is up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..lifelong.stopping import handled


class Stop:
    """The signal that stopped the command."""

    number: int = signal.SIGINT


@contextmanager
def terminable() -> Iterator[Stop]:
    """Let SIGTERM stop what happens inside as Ctrl-C does: by KeyboardInterrupt."""
    stop = Stop()

    def handler(number: int, frame: FrameType | None) -> None:
        stop.number = number
        raise KeyboardInterrupt

    with handled(handler, signal.SIGTERM):
        yield stop
