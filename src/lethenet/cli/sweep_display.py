"""How a sweep looks: a bar with the time left on a terminal, a line per experiment elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ..report.wording import duration
from .terminal import Display, counted, make_bars, percent

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..sweeps import Plan, Sweep
    from ..sweeps.summary import Average

COLUMNS = {
    "train_accuracy": "train %",
    "train_accuracy_histogram": "train %, histogram",
    "test_accuracy": "test %",
    "test_accuracy_histogram": "test %, histogram",
}
MOST_LISTED = 30


class SweepLines(Display):
    """A line per finished experiment, and a table at the end."""

    def __init__(self, console: Console | None = None) -> None:
        # wide, as nothing is gained by breaking the tables in a file
        super().__init__(console or Console(highlight=False, soft_wrap=True, width=200))

    @contextmanager
    def noting_warnings(self) -> Iterator[None]:
        """Show warnings among the other lines."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *rest: self.note(f"Warning: {message}")
            yield

    def plan(self, plan: Plan, out: Path, workers: int) -> None:
        """Print what is missing, by what varies, and how long it will take."""
        all_, missing = len(plan.keys), len(plan.missing)
        self.note(f"{counted(all_, 'experiment')}: {all_ - missing} in {out}, {missing} missing.")
        if not missing:
            return
        from ..sweeps.summary import varying

        table = Table("Missing experiment")
        table.add_column("Estimated time on one core", justify="right")
        names = varying([job.experiment.settings for job in plan.missing])
        for job in plan.missing[:MOST_LISTED]:
            settings = job.experiment.settings
            words = [f"{name} {_spell(settings[name])}" for name in names]
            table.add_row(", ".join(words) or job.key, duration(job.seconds))
        if missing > MOST_LISTED:
            table.add_row(f"… and {missing - MOST_LISTED} shorter ones", "")
        self.console.print(table)
        self.note(
            f"Estimated time: {duration(plan.seconds(workers))} with "
            f"{counted(workers, 'process', 'processes')}, {duration(plan.seconds())} with one."
        )

    def stopped(self, out: Path) -> None:
        """Say what is there, and how to go on."""
        from ..sweeps import read_results

        n = len(read_results(out)) if out.exists() else 0
        self.note(f"Stopped. {out} holds {counted(n, 'result')}; the same command goes on.")

    def result(self, sweep: Sweep, out: Path) -> None:
        """Print the results over what varies, and what failed."""
        if sweep.results:
            self.console.print(results_table(sweep.results))
        for experiment, why in sweep.failures:
            self._failed("Failed", experiment.to_json(), why)
        self.note(
            f"{counted(len(sweep.results), 'result')} ({sweep.computed} computed now), "
            f"{len(sweep.failures)} failed. Results: {out}"
        )

    def _on_started(self, event: dict[str, Any]) -> None:
        all_ = counted(event["experiments"], "experiment")
        text = f"{all_}: {event['done']} in {event['out']}"
        if event["missing"]:
            workers = event["workers"]  # of a cluster they are not known yet
            who = f"with {counted(workers, 'process', 'processes')}" if workers else "of one core"
            text += f", {event['missing']} to compute, about {duration(event['seconds'])} {who}"
        self.note(text)

    def _on_result(self, event: dict[str, Any]) -> None:
        result, width = event["result"], len(str(event["experiments"]))
        config, results, cost = result["config"], result["results"], result["cost"]
        seconds = cost["learning_seconds"] + cost["evaluation_seconds"]
        how = "by another sweep" if event["elsewhere"] else duration(seconds)
        self.note(
            f"{event['done']:>{width}}/{event['experiments']} "
            f"{counted(config['neurons'], 'neuron')}, "
            f"threshold {config['parameters']['threshold']:g}, "
            f"{counted(config['epochs'], 'epoch')}, {config['order']}, seed {config['seed']}: "
            f"train {percent(results['train_accuracy'])}, "
            f"test {percent(results['test_accuracy'])} ({how})"
        )

    def _on_step(self, event: dict[str, Any]) -> None:
        width = len(str(event["steps"]))
        self.note(f"{event['done']:>{width}}/{event['steps']} {event['what']}")

    def _on_retry(self, event: dict[str, Any]) -> None:
        self._failed("Again", event["experiment"], event["why"])

    def _on_failed(self, event: dict[str, Any]) -> None:
        self._failed("Failed", event["experiment"], event["why"])

    def _failed(self, what: str, config: dict[str, Any], why: str) -> None:
        name = f"{config['dataset']}, {counted(config['neurons'], 'neuron')}, seed {config['seed']}"
        self.note(f"{what}: {name}: {why}")


class SweepBars(SweepLines):
    """The same above a bar with the time left, for a terminal."""

    _bars: Progress

    def __init__(self) -> None:
        super().__init__(Console(highlight=False))
        self._bars = make_bars(self.console, "{task.fields[left]}")
        self._bar = self._bars.add_task("Computing", total=None, left="")

    def _on_step(self, event: dict[str, Any]) -> None:
        super()._on_step(event)
        self._show(f"{event['steps'] - event['done']} left", event["seconds_done"], event)

    def _on_waiting(self, event: dict[str, Any]) -> None:
        left = f"{counted(event['experiments_left'], 'experiment')} left"
        done = event["seconds_done"] / max(event["workers"], 1)
        self._show(f"{left}, {event['running']} running", done, event)

    def _show(self, text: str, done: float, event: dict[str, Any]) -> None:
        left = event["seconds_left"]
        self._bars.update(
            self._bar,
            description=text,
            completed=done,
            total=done + left,
            left=f"left {duration(left)}",
        )


def choose_display() -> SweepLines:
    """A bar on a terminal, lines elsewhere."""
    return SweepBars() if Console().is_terminal else SweepLines()


def results_table(results: Sequence[dict[str, Any]]) -> Table:
    """Mean and standard deviation over seeds, a row for each combination of what varies."""
    from ..sweeps import summarise

    rows = summarise(results, [*COLUMNS, "learning_seconds"])
    several = any(row.n > 1 for row in rows)
    title = "Mean ± standard deviation over the seeds" if several else "Results, one seed each"
    table = Table(title=title, title_justify="left")
    for name in rows[0].axes:
        table.add_column(name.replace("_", " "), justify="right", no_wrap=True)
    for heading in ("seeds", *COLUMNS.values(), "learning, s"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            *map(_spell, row.axes.values()),
            str(row.n),
            *(_accuracy(row.measures[name]) for name in COLUMNS),
            f"{row.measures['learning_seconds'].mean:.1f}",
        )
    return table


def _accuracy(accuracy: Average) -> str:
    deviation = "" if accuracy.deviation is None else f" ± {100 * accuracy.deviation:.2f}"
    return f"{100 * accuracy.mean:.2f}{deviation}"


def _spell(value: Any) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    if value is None:
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)
