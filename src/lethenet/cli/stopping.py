"""Stopping a command that can go on later: Ctrl-C, and the signal that a queue sends when time is up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    previous = signal.signal(signal.SIGTERM, handler)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, previous)
