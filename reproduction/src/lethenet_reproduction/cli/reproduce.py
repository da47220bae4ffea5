"""``lethenet reproduce``: the paper's evaluation again, and one report of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lethenet.cli.options import EXPERIMENT, OUTPUT, Cluster, Jobs
from lethenet.cli.stopping import terminable

if TYPE_CHECKING:
    from ..paper import Scale

STAGES = {
    "fit": "the two constants that the paper does not state",
    "table1": "training accuracy of every size, threshold and number of epochs (Table 1)",
    "final": "the best cell of each size, digits in turn and interleaved",
    "precision": "small layers again, with dopaminergic weights as in single precision",
    "visual": "weights of a small network after digits 0 to 3",
    "kmeans": "the nearest error of k-means networks of the same sizes",
    "oja": "stability of the STDP rules",
}
"""What each stage is about; a test compares the names with the study's own."""

REPRODUCE_HELP = (
    "Do the paper's evaluation again: Table 1 and every figure with data, beside the paper's numbers.\n\n"
    "The scale paper takes hours, smoke a minute or two (small layers on scikit-learn's digits, to try "
    "everything out). Results are appended as they come; Ctrl-C or a kill loses the running cells at "
    "most, and the same command goes on. At the end: report.html, README.md, figures/ and tables/.\n\n"
    + "\n\n".join(f"Stage {name}: {about}." for name, about in STAGES.items())
)


def reproduce(
    scale: Annotated[
        str, typer.Option(metavar="paper|smoke", help="How much.", rich_help_panel=EXPERIMENT)
    ] = "paper",
    only: Annotated[
        str | None,
        typer.Option(
            metavar=",".join(STAGES),
            help="Only these stages, with commas between them.",
            show_default=False,
            rich_help_panel=EXPERIMENT,
        ),
    ] = None,
    report_only: Annotated[
        bool,
        typer.Option(
            "--report-only",
            metavar="",
            help="Compute nothing: report on the results that are there.",
            rich_help_panel=EXPERIMENT,
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where results and report go. By default reproduction-smoke, or results/paper of a "
            "checkout of lethenet; elsewhere the scale paper needs this.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
) -> None:
    """Run the reproduction and write its report; the help stands in ``REPRODUCE_HELP``."""
    from lethenet.report.style import require_matplotlib

    from ..folders import folder_for
    from ..paper import reproduce as run_stages
    from ..paper.stages import check_stages, scale_named

    chosen = scale_named(scale)
    names = check_stages(None if only is None else [name.strip() for name in only.split(",")])
    if report_only and only is not None:
        raise ValueError("--only is about computing, --report-only computes nothing: give one.")
    folder = folder_for(out, chosen.folder)
    if report_only:
        if not folder.is_dir():
            raise ValueError(f"{folder} does not exist: there are no results to report on.")
        _report(chosen, folder)
        return
    require_matplotlib()  # now rather than after hours
    try:
        with terminable() as stop:
            failed = run_stages(
                chosen, folder, only=names, jobs=jobs, cluster=cluster, display=_displayed
            )
    except KeyboardInterrupt:
        typer.echo(f"Stopped. What was done is in {folder}; the same command goes on.")
        raise typer.Exit(128 + stop.number) from None
    _report(chosen, folder)
    if failed:
        typer.echo(f"{failed} cells failed; the same command tries them again.")
        raise typer.Exit(1)


@contextmanager
def _displayed(stage: str) -> Iterator[Any]:
    """Show a stage as a sweep is shown, warnings among its lines."""
    from lethenet.cli.sweep_display import choose_display

    display = choose_display()
    display.note(f"{stage}: {STAGES[stage]}")
    with display.noting_warnings(), display:
        yield display


def _report(scale: Scale, folder: Path) -> None:
    from ..paper_report import write_reproduction

    typer.echo(f"Report: {write_reproduction(scale, folder)}")
