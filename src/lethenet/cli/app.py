"""The commands of ``lethenet``."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Annotated

import typer

from ..lifelong.watch_settings import WatchSettings
from . import exports, label, live, models, reports, runs, sweeps, threshold, watch
from .datasets import data_app
from .options import flag, with_settings

app = typer.Typer(
    name="lethenet",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"lethenet {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def lethenet(
    context: typer.Context,
    version: Annotated[
        bool, flag("--version", "Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Controlled Forgetting Networks: spiking layers that learn for life, without labels."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("run", help=runs.RUN_HELP)(with_settings(runs.run))
app.command("resume")(runs.resume)
app.command("sweep", help=sweeps.SWEEP_HELP)(sweeps.with_axes(sweeps.sweep))
app.command("report")(reports.report)
app.command("compare")(reports.compare)
app.command("evaluate")(models.evaluate)
app.command("predict")(models.predict)
app.command("label")(label.label)
app.command("watch")(with_settings(watch.watch, WatchSettings))
app.command("live")(live.live)
app.command("export")(exports.export)
app.command("threshold")(threshold.threshold)
app.add_typer(data_app, name="data")

for plug in entry_points(group="lethenet.commands"):
    try:  # other installed packages add commands of their own
        plug.load()(app)
    except Exception as error:  # a broken one must not take the others along
        why = " ".join(f"{type(error).__name__}: {error}".split())
        typer.echo(
            f"Warning: the commands of {plug.name} ({plug.value}) are left out: {why}", err=True
        )
