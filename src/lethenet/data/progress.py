"""Progress of a fetch, on stderr, and only where somebody watches."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self


@contextmanager
def working(message: str, enabled: bool) -> Iterator[None]:
    """Show that something goes on which does not say how far it is.

    >>> with working("Asking npm", enabled=False):
    ...     pass
    """
    if not enabled:
        yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(message):
        yield


class DownloadBar:
    """A rich progress bar, with rate and time left, behind the interface that pooch expects.

    pooch sets `total`, calls `update` with bytes, and at the end `reset`, `update` and `close`.

    Parameters
    ----------
    name
        What is being downloaded.

    Examples
    --------
    >>> with DownloadBar("train-labels") as bar:
    ...     bar.total = 100
    ...     bar.update(100)
    """

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

    def __enter__(self) -> Self:
        """Start drawing."""
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop drawing, also when the download broke off."""
        self.close()

    @property
    def total(self) -> float | None:
        """Bytes expected, None while unknown."""
        return self._progress.tasks[self._task].total

    @total.setter
    def total(self, total: int) -> None:
        self._progress.update(self._task, total=total or None)

    def update(self, n_bytes: int) -> None:
        """Count bytes that have arrived."""
        self._progress.advance(self._task, n_bytes)

    def reset(self) -> None:
        """Count from zero again."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Stop drawing."""
        self._progress.stop()
