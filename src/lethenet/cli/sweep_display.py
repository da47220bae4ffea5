"""How a sweep looks: a bar with the time left on a terminal, a line per experiment elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.table import Table

from ..report.wording import duration

if TYPE_CHECKING:
    from ..sweeps import Plan, Sweep

COLUMNS = {
    "train_accuracy": "train %",
    "train_accuracy_histogram": "train %, histogram",
    "test_accuracy": "test %",
    "test_accuracy_histogram": "test %, histogram",
}


class SweepLines(AbstractContextManager["SweepLines"]):
    """A line per finished experiment, and a table at the end."""

    def __init__(self, console: Console | None = None) -> None:
        # wide, as nothing is gained by breaking the tables in a file
        self.console = console or Console(highlight=False, soft_wrap=True, width=200)

    def __call__(self, event: dict[str, Any]) -> None:
        """Show one event."""
        shower = getattr(self, f"_on_{event['event']}", None)
        if shower is not None:
            shower(event)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop showing."""

    def note(self, text: str) -> None:
        """Print a remark."""
        self.console.print(text, markup=False)

    @contextmanager
    def noting_warnings(self) -> Iterator[None]:
        """Show warnings among the other lines."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *rest: self.note(f"Warning: {message}")
            yield

    def plan(self, plan: Plan, out: Path, workers: int) -> None:
        """Print what is missing, by what varies, and how long it will take."""
        experiments, missing = len(plan.keys), len(plan.missing)
        self.note(
            f"{_count(experiments, 'experiment')}: {experiments - missing} in {out}, {missing} missing."
        )
        if not missing:
            return
        table = Table("Missing experiment", "Estimated time on one core")
        table.columns[1].justify = "right"
        shown = plan.missing if missing <= 30 else plan.missing[:30]
        names = varying([job.experiment.settings for job in plan.missing])
        for job in shown:
            settings = job.experiment.settings
            words = [f"{name} {_spell(settings[name])}" for name in names]
            table.add_row(", ".join(words) or job.key, duration(job.seconds))
        if missing > len(shown):
            table.add_row(f"… and {missing - len(shown)} shorter ones", "")
        self.console.print(table)
        self.note(
            f"Estimated time: {duration(plan.seconds(workers))} with "
            f"{_count(workers, 'process', 'processes')}, {duration(plan.seconds())} with one."
        )

    def stopped(self, out: Path) -> None:
        """Say what is there, and how to go on."""
        from ..sweeps import read_results

        n = len(read_results(out)) if out.exists() else 0
        self.note(f"Stopped. {out} holds {_count(n, 'result')}; the same command goes on.")

    def result(self, sweep: Sweep, out: Path) -> None:
        """Print the results over what varies, and what failed."""
        if sweep.results:
            self.console.print(results_table(sweep.results))
        for experiment, why in sweep.failures:
            c = experiment.config
            self.note(f"Failed: {c.dataset}, {c.neurons} neurons, seed {c.seed}: {why}")
        self.note(
            f"{_count(len(sweep.results), 'result')} ({sweep.computed} computed now), "
            f"{len(sweep.failures)} failed. Results: {out}"
        )

    def _on_started(self, event: dict[str, Any]) -> None:
        text = f"{_count(event['experiments'], 'experiment')}, {event['done']} of them in {event['out']}"
        if event["missing"]:
            workers = event["workers"]  # of a cluster they are not known yet
            who = (
                "of one core"
                if workers is None
                else f"with {_count(workers, 'process', 'processes')}"
            )
            text += f"; {event['missing']} to compute, about {duration(event['seconds'])} {who}"
        self.note(text)

    def _on_result(self, event: dict[str, Any]) -> None:
        result, width = event["result"], len(str(event["experiments"]))
        config, results, cost = result["config"], result["results"], result["cost"]
        if event["elsewhere"]:
            how = "by another sweep"
        else:
            how = duration(cost["learning_seconds"] + cost["evaluation_seconds"])
        self.note(
            f"{event['done']:>{width}}/{event['experiments']} {config['neurons']} neurons, "
            f"threshold {config['parameters']['threshold']:g}, "
            f"{_count(config['epochs'], 'epoch')}, {config['order']}, seed {config['seed']}: "
            f"train {100 * results['train_accuracy']:.2f} %, "
            f"test {100 * results['test_accuracy']:.2f} % ({how})"
        )

    def _on_step(self, event: dict[str, Any]) -> None:
        width = len(str(event["steps"]))
        self.note(f"{event['done']:>{width}}/{event['steps']} {event['what']}")

    def _on_retry(self, event: dict[str, Any]) -> None:
        experiment = event["experiment"]
        self.note(
            f"Again: {experiment['neurons']} neurons, seed {experiment['seed']}: {event['why']}"
        )

    def _on_failed(self, event: dict[str, Any]) -> None:
        experiment = event["experiment"]
        self.note(
            f"Failed: {experiment['neurons']} neurons, seed {experiment['seed']}: {event['why']}"
        )


class SweepBars(SweepLines):
    """The same above a bar with the time left, for a terminal."""

    def __init__(self) -> None:
        super().__init__(Console(highlight=False))
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self.console,
            transient=True,
        )
        self._bar = self._bars.add_task("Computing", total=None, left="")

    def __enter__(self) -> Self:
        """Start drawing."""
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop drawing, and leave no bar behind."""
        self._bars.stop()

    def _on_step(self, event: dict[str, Any]) -> None:
        super()._on_step(event)
        self._bars.update(
            self._bar,
            description=f"{event['steps'] - event['done']} left",
            completed=event["seconds_done"],
            total=event["seconds_done"] + event["seconds_left"],
            left=f"left {duration(event['seconds_left'])}",
        )

    def _on_waiting(self, event: dict[str, Any]) -> None:
        workers, left = max(event["workers"], 1), event["seconds_left"]
        self._bars.update(
            self._bar,
            description=f"{_count(event['experiments_left'], 'experiment')} left, "
            f"{event['running']} running",
            completed=event["seconds_done"] / workers,
            total=event["seconds_done"] / workers + left,
            left=f"left {duration(left)}",
        )


def choose_display() -> SweepLines:
    """A bar on a terminal, lines elsewhere."""
    return SweepBars() if Console().is_terminal else SweepLines()


def results_table(results: Sequence[dict[str, Any]]) -> Table:
    """Mean ± standard deviation over seeds, a row for each combination of what varies."""
    from ..sweeps import summarise

    rows = summarise(results, [*COLUMNS, "learning_seconds"])
    table = Table(title="Mean ± standard deviation over the seeds", title_justify="left")
    for name in rows[0].axes:
        table.add_column(name.replace("_", " "), justify="right", no_wrap=True)
    for title in ("seeds", *COLUMNS.values(), "learning, s"):
        table.add_column(title, justify="right")
    for row in rows:
        accuracies = [row.measures[name] for name in COLUMNS]
        table.add_row(
            *map(_spell, row.axes.values()),
            str(row.n),
            *(f"{100 * a.mean:.2f} ± {100 * a.deviation:.2f}" for a in accuracies),
            f"{row.measures['learning_seconds'].mean:.1f}",
        )
    return table


def varying(settings: Sequence[dict[str, Any]]) -> list[str]:
    """The names of the settings that are not the same everywhere.

    >>> varying([{"neurons": 100, "seed": 0}, {"neurons": 400, "seed": 0}])
    ['neurons']
    """
    return [name for name in settings[0] if len({one[name] for one in settings}) > 1]


def _spell(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    if value is None:
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _count(n: int, noun: str, nouns: str = "") -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {nouns or noun + 's'}"
