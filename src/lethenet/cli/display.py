"""How a run looks while it goes on: bars on a terminal, a line per task in a pipe, JSON for machines."""

from __future__ import annotations

import json
import time
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .terminal import Display, counted, make_bars, percent

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..lifelong import Result
    from ..lifelong.events import Event

PERCENT = ("accuracy", "accuracy_histogram", "train_accuracy", "acc")
POINTS = ("bwt", "forgetting", "sequential_penalty")


class Lines(Display):
    """A line per task, and a table at the end."""

    _tasks: tuple[str, ...] = ()

    def result(self, result: Result) -> None:
        """Print a table of the headline numbers, each with its definition."""
        self.console.print(headline_table(result))
        for text in result.diagnosis:
            self.console.print(f"[yellow]Warning:[/] {escape(text)}", soft_wrap=True)
        self.console.print(f"Run directory: {result.folder}", markup=False)

    def report(self, path: Any) -> None:
        """Say where the report is."""
        self.note(f"Report: {path}")

    def busy(self, text: str) -> AbstractContextManager[Any]:
        """Show that something goes on that has no bar."""
        return nullcontext()

    def _on_started(self, event: Event) -> None:
        config, self._tasks = event["config"], tuple(event["tasks"])
        twin = "Interleaved twin: " if event["run"] == "twin" else ""
        words, n = [config["dataset"]], config["neurons"]
        if config["learner"] == "cfn":
            threshold = config["parameters"]["threshold"]
            words += [
                counted(n, "neuron"),
                f"{config['preset']} preset",
                f"threshold {threshold:g}",
            ]
        else:
            words += [config["learner"], *([counted(n, "prototype")] if n else [])]
        words.append(config["order"] if config["stream"] == "classes" else config["stream"])
        words += [counted(len(self._tasks), "task"), f"{event['samples_total']:,} samples"]
        if event["samples_done"]:
            words.append(f"from sample {event['samples_done']:,} on")
        if config["layer"] != "none":
            signed = config["layer"] == "on-off"
            layer = "on and off inputs, for signed features" if signed else config["layer"]
            words.append(f"behind {layer}")
        self.note(f"{twin}{', '.join(words)} → {event['folder']}")

    def _on_task(self, event: Event) -> None:
        number, n = event["tasks_seen"], len(self._tasks)
        own = event["task_accuracy"][number - 1]
        width = max(len(name) for name in self._tasks)
        line = (
            f"{number:>{len(str(n))}}/{n} task {escape(event['task'].ljust(width))} "
            f"[bold]{percent(event['test_accuracy']):>8}[/] so far,"
            f"{percent(own):>9} itself"
        )
        if "neurons_new" in event:
            line += (
                f"; [green]{event['neurons_new']} new[/], "
                f"[yellow]{event['neurons_replaced']} replaced[/], "
                f"{event['neurons_preserved']} preserved"
            )
        self.console.print(line)


class Json(Lines):
    """One JSON object per line. Progress comes once a second at most."""

    _told = 0.0

    def __call__(self, event: Event) -> None:
        """Print one event."""
        if event["event"] in ("learning", "evaluating"):
            if time.monotonic() - self._told < 1:
                return
            self._told = time.monotonic()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        print(json.dumps({"time": now, **event}), flush=True)

    def note(self, text: str) -> None:
        """Print a remark."""
        self({"event": "note", "text": text})

    def result(self, result: Result) -> None:
        """Print nothing: the event of the end holds the numbers."""

    def report(self, path: Any) -> None:
        """Print where the report is."""
        self({"event": "report", "path": str(path)})


class Bars(Lines):
    """The same under live bars, for a terminal."""

    _bars: Progress

    def __init__(self) -> None:
        from rich.progress import TextColumn, TimeRemainingColumn

        super().__init__(Console(highlight=False))
        self._bars = make_bars(
            self.console,
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("{task.fields[rate]}"),
        )
        self._whole = self._bars.add_task("Run", total=None, rate="")
        self._part = self._bars.add_task("", total=None, rate="", visible=False)
        self._part_key: tuple[str, str] = ("", "")
        self._part_began = (0.0, 0)

    def busy(self, text: str) -> AbstractContextManager[Any]:
        """Spin while something goes on."""
        return self.console.status(text)

    def _on_started(self, event: Event) -> None:
        super()._on_started(event)
        self._bars.reset(
            self._whole,
            description="Twin" if event["run"] == "twin" else "Run",
            total=event["presentations_total"],
            completed=event["presentations_done"],
            rate="",
        )

    def _on_learning(self, event: Event) -> None:
        place = f"task {event['task']}, {event['task_number']} of {event['tasks']}"
        if event["epochs"] > 1:
            place += f", epoch {event['epoch']} of {event['epochs']}"
        done, total = event["task_samples_done"], event["task_samples"]
        self._show(event, f"learning {place}", done, total)

    def _on_evaluating(self, event: Event) -> None:
        text = f"evaluating after task {event['task']}"
        self._show(event, text, event["done"], event["total"])

    def _show(self, event: Event, text: str, done: int, total: int) -> None:
        key = (event["event"], event["task"])
        if key != self._part_key:
            self._part_key, self._part_began = key, (time.monotonic(), done)
            self._bars.reset(self._part, total=total, visible=True, rate="")
        seconds = time.monotonic() - self._part_began[0]
        rate = f"{(done - self._part_began[1]) / seconds:,.0f} samples/s" if seconds > 0.2 else ""
        self._bars.update(self._part, description=text, completed=done, total=total, rate=rate)
        self._bars.update(self._whole, completed=event["presentations_done"])


def choose_display(*, json_logs: bool) -> Lines:
    """Bars on a terminal, lines elsewhere, JSON if asked for."""
    if json_logs:
        return Json()
    return Bars() if Console().is_terminal else Lines()


def headline_table(result: Result) -> Table:
    """The headline numbers of a finished run, each with its definition."""
    table = Table(title=result.label, title_justify="left")
    table.add_column("Measure", no_wrap=True)
    table.add_column("Value", justify="right", no_wrap=True, style="bold")
    table.add_column("Definition")
    for name, value, meaning in result.headlines():
        table.add_row(name.replace("_", " "), spell(name, value), meaning)
    return table


def spell(name: str, value: float) -> str:
    """A headline number as people write it."""
    if name in PERCENT:
        return percent(value)
    if name in POINTS:
        return f"{100 * value:.2f} points"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
