"""Commands that appear in ``lethenet`` when this package is installed."""

from __future__ import annotations

import typer


def add_commands(app: typer.Typer) -> None:
    """Add ``reproduce`` and ``study`` (entry point group ``lethenet.commands``)."""
    from . import reproduce, study

    app.command("study")(study.study)
    app.command("reproduce", help=reproduce.REPRODUCE_HELP)(reproduce.reproduce)
