"""Stop a run by a signal: between two steps, with a checkpoint."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """A run was stopped by a signal, after a checkpoint; ``resume(folder)`` goes on.

    Attributes
    ----------
    folder : Path
        The run directory.
    signal_number : int
        The signal.
    """

    def __init__(self, folder: Path, signal_number: int) -> None:
        super().__init__(f"Stopped. Go on with `lethenet resume {folder}`.")
        self.folder, self.signal_number = folder, signal_number


class Stop:
    """Whether somebody wants the run to stop, and by which signal."""

    signal_number: int | None = None


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Turn Ctrl-C and SIGTERM into a flag that is looked at between two steps.

    A KeyboardInterrupt in the middle of a step would leave the network and its sample counter
    apart. The second signal is one anyway: who insists loses what came after the last checkpoint.
    """
    stop = Stop()

    def handler(number: int, frame: FrameType | None) -> None:
        if stop.signal_number is not None:
            raise KeyboardInterrupt
        stop.signal_number = number

    with handled(handler, signal.SIGINT, signal.SIGTERM):
        yield stop


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None], *signals: int) -> Iterator[None]:
    """Let a function handle these signals, unless they are ignored as with nohup, or nobody can."""
    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in signals:
            if signal.getsignal(number) is not signal.SIG_IGN:
                previous[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in previous.items():
            signal.signal(number, old if old is not None else signal.SIG_DFL)
