"""Progress of a fetch, on stderr, and only where somebody watches."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any


def working(message: str, enabled: bool) -> AbstractContextManager[Any]:
    """Show that something goes on which does not say how far it is."""
    if not enabled:
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(message)


class DownloadBar:
    """A rich progress bar, with rate and time left, behind the interface that pooch expects.

    pooch sets `total`, calls `update` with bytes, and at the end `reset`, `update` and `close`.
    """

    total = 0

    def __init__(self, name: str) -> None:
        from rich import progress
        from rich.console import Console

        console = Console(stderr=True)
        self._progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(name, total=None)
        self._progress.start()

    def update(self, n_bytes: int) -> None:
        """Count bytes that have arrived."""
        self._progress.update(self._task, total=self.total or None, advance=n_bytes)

    def reset(self) -> None:
        """Count from zero again."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Stop drawing."""
        self._progress.stop()
