"""What the displays of runs and of sweeps share: how they hear of events, numbers in words, bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


class Display:
    """Listens to a run or a sweep: an event goes to the method ``_on_<event>``, if there is one."""

    _bars: Progress | None = None
    """Live bars below the lines, for a terminal; none stays behind."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)

    def __call__(self, event: dict[str, Any]) -> None:
        """Show one event."""
        shower = getattr(self, f"_on_{event['event']}", None)
        if shower is not None:
            shower(event)

    def __enter__(self) -> Self:
        """Start drawing."""
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop drawing."""
        if self._bars is not None:
            self._bars.stop()

    def note(self, text: str) -> None:
        """Print a remark."""
        self.console.print(text, markup=False)


FREE_COLUMNS = 4
"""At the right of the bars: what a terminal shows of Ctrl-C must not wrap there, or the line it wrapped
from would be left behind."""


def make_bars(console: Console, *last_columns: str | ProgressColumn) -> Progress:
    """Description, bar, per cent, time, and further columns."""
    from rich.constrain import Constrain
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    class Narrow(Progress):
        def get_renderable(self) -> Constrain:
            return Constrain(super().get_renderable(), max(console.width - FREE_COLUMNS, 1))

    return Narrow(
        TextColumn("{task.description}", markup=False),  # names of files may hold brackets
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        *last_columns,
        console=console,
        transient=True,
        speed_estimate_period=30,
    )


def percent(share: float) -> str:
    """A share as per cent: 88.31 %."""
    return f"{100 * share:.2f} %"


def counted(n: int, noun: str, nouns: str = "") -> str:
    """A number with its noun."""
    return f"{n} {noun}" if n == 1 else f"{n} {nouns or noun + 's'}"
