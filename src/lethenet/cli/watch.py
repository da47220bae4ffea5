"""``lethenet watch``: learn from lines of JSON or CSV as they come, and answer each."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import OUTPUT, flag, value

if TYPE_CHECKING:
    from ..data.lines import BadLineError
    from ..lifelong.watching import Watcher

SAID_AT_FIRST, SECONDS_BETWEEN = 10, 10.0
"""Bad lines that are reported one by one; afterwards, how often."""


def watch(
    *,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of lines; - is standard input.")
    ] = "-",
    follow: Annotated[bool, flag("--follow", "At the end of FILE wait for more.")] = False,
    model: Annotated[
        Path | None, value("FILE", "Begin with this model, of lethenet run or save, not a new one.")
    ] = None,
    frozen: Annotated[bool, flag("--frozen", "Only answer, do not learn.")] = False,
    answers: Annotated[str, value("all|novelties", "Which are written.", OUTPUT)] = "all",
    output: Annotated[
        Path | None, value("FILE.jsonl", "Write answers there; needs --state.", OUTPUT)
    ] = None,
    state: Annotated[
        Path | None,
        value("FILE.safetensors", "Checkpoints; go on from it if it is there.", OUTPUT),
    ] = None,
    checkpoint_seconds: Annotated[float, value("NUMBER", "How often.", OUTPUT, min=0)] = 20.0,
    checkpoint_samples: Annotated[
        int | None, value("INTEGER", "After so many lines, too.", OUTPUT, min=1)
    ] = None,
    position: Annotated[
        bool, flag("--position", "Only print the number of the last line the state knows.", OUTPUT)
    ] = False,
    **given: Any,
) -> None:
    """Learn from lines of JSON or CSV as they come; answer each by a line of JSON.

    Lines that cannot be used are counted and reported. After a kill, the same command goes on to the same
    bits.
    """
    from ..data.line_reader import LineReader
    from ..lifelong.stopping import stop_on_signals
    from ..lifelong.watch_loop import WatchLoop, open_input, open_output
    from ..lifelong.watching import Watcher
    from ..saving import load

    if answers not in ("all", "novelties"):
        raise ValueError(f"--answers {answers}: expected all or novelties.")
    if state is None and (output is not None or position):
        raise ValueError("--output and --position need --state.")
    begun = state is not None and state.exists()
    if position and not begun:
        typer.echo(0)
        return
    make: Callable[..., Watcher] = partial(Watcher.open, state) if state and begun else Watcher
    if model is not None and not begun:
        given["model"] = load(model)
    watcher = make(frozen=frozen, say=_say, on_bad=Complaints(), **given)
    if position:
        typer.echo(watcher.progress.lines)
        return
    source = open_input(file, watcher.progress)
    target = open_output(output, watcher.progress)
    loop = WatchLoop(
        watcher,
        target,
        state=state,
        seconds=checkpoint_seconds,
        samples=checkpoint_samples,
        only_novel=answers == "novelties",
        say=_say,
    )
    loop.save()  # before the first answer: a restart must know the output file
    try:
        with stop_on_signals() as stop:
            loop.run(LineReader(source, follow=follow), stop)
    except (BrokenPipeError, KeyboardInterrupt) as error:
        closed = isinstance(error, BrokenPipeError)
        why = "Nobody reads the answers any more" if closed else "Stopped at once"
        _say(f"{why}: the last checkpoint stands. {_totals(watcher)}")
        raise typer.Exit(128 + (signal.SIGPIPE if closed else signal.SIGINT)) from None
    _say(_totals(watcher))
    if stop.signal_number is not None:
        raise typer.Exit(128 + stop.signal_number)


class Complaints:
    """Reports bad lines: the first ones each, later ones now and then."""

    def __init__(self) -> None:
        self._said, self._unsaid, self._next = 0, 0, 0.0

    def __call__(self, number: int, bad: BadLineError) -> None:
        """Say what is wrong with a line, or count it for later."""
        now, self._unsaid = time.monotonic(), self._unsaid + 1
        if self._said < SAID_AT_FIRST or now >= self._next:
            others = f" ({self._unsaid - 1} others since the last report)"
            _say(f"Line {number} is left out: {bad}{others if self._unsaid > 1 else ''}")
            self._said, self._unsaid, self._next = self._said + 1, 0, now + SECONDS_BETWEEN


def _totals(watcher: Watcher) -> str:
    from .terminal import counted

    progress = watcher.progress
    reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(progress.bad.items()))
    return (
        f"{counted(progress.lines, 'line')}: {counted(progress.answers, 'answer')}, "
        f"{progress.novel} novel, {watcher.n_waiting} waiting, "
        f"{counted(sum(progress.bad.values()), 'bad line')}{f' ({reasons})' if reasons else ''}."
    )


def _say(text: str) -> None:
    typer.echo(text, err=True)
