"""Stop a run by a signal: between two steps, with a checkpoint."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
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

    Examples
    --------
    >>> import signal, tempfile
    >>> from lethenet.lifelong import Config, resume, run
    >>> config = Config.of(dataset="digits", neurons=20, threshold=15.0, classes=(0, 1))
    >>> def press_ctrl_c(event):
    ...     if event["event"] == "learning":
    ...         signal.raise_signal(signal.SIGINT)
    >>> try:
    ...     result = run(config, tempfile.mkdtemp(), press_ctrl_c)
    ... except Interrupted as stopped:
    ...     result = resume(stopped.folder)
    >>> result.status
    'finished'
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

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as with nohup
                previous[number] = signal.signal(number, handler)
    try:
        yield stop
    finally:
        for number, old in previous.items():
            signal.signal(number, old if old is not None else signal.SIG_DFL)
