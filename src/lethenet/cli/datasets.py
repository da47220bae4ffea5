"""``lethenet data list`` and ``lethenet data fetch``."""

from __future__ import annotations

from typing import Annotated

import typer

data_app = typer.Typer()


@data_app.callback(invoke_without_command=True)
def data(context: typer.Context) -> None:
    """Data sets: what there is, and how to get it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@data_app.command("list")
def list_datasets() -> None:
    """List the data sets that go by name, and where each comes from."""
    from rich.console import Console
    from rich.table import Table

    from ..data import available, cache_folder

    table = Table("Name", "On this machine", "Comes from")
    for entry in available():
        table.add_row(entry.name, "yes" if entry.cached else "no", "\n".join(entry.sources))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"Kept in {cache_folder()}", markup=False, soft_wrap=True)


@data_app.command("fetch")
def fetch_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from `lethenet data list`.")],
) -> None:
    """Put a data set on this machine, and verify it."""
    from ..data import fetch, load
    from ..data.registry import BUILT_IN

    if name in BUILT_IN:
        typer.echo(f"{load(name)!r} is here already: it comes with scikit-learn.")
        return
    typer.echo(f"{name} is in {fetch(name, progress=True)}")
