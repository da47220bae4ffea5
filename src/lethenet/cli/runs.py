"""``lethenet run`` and ``lethenet resume``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import EXPERIMENT, OUTPUT, Folder, flag, parse_classes, value

if TYPE_CHECKING:
    from ..lifelong import Result
    from ..lifelong.events import Event, Listener
    from .display import Lines

RUN_HELP = (
    "Run a lifelong experiment: learn class after class, test after each, report.\n\n"
    "Without options: MNIST, digits strictly in turn, 400 neurons, the annealed preset; about a "
    "minute. Ctrl-C saves the run, and `lethenet resume FOLDER` goes on."
)

JsonLogs = Annotated[bool, flag("--json-logs", "Print one JSON object per event.", OUTPUT)]
NoReport = Annotated[bool, flag("--no-report", "Make no figures and no report.", OUTPUT)]


def run(
    *,
    config: Annotated[
        Path | None,
        value("FILE.toml", "A file of settings; options given here override it.", EXPERIMENT),
    ] = None,
    out: Annotated[
        Path | None,
        value("FOLDER", "The run directory; a new one below runs/ if left out.", OUTPUT),
    ] = None,
    force: Annotated[bool, flag("--force", "Replace the run in FOLDER.", OUTPUT)] = False,
    json_logs: JsonLogs = False,
    no_report: NoReport = False,
    **settings: Any,
) -> None:
    """Run an experiment; the settings come from ``with_settings``."""
    from ..lifelong import Config
    from ..lifelong.running import default_folder
    from ..lifelong.running import run as run_experiment

    if "classes" in settings:
        settings["classes"] = parse_classes(settings["classes"])
    chosen = Config.from_toml(config, **settings) if config else Config.of(**settings)
    folder = out if out is not None else default_folder(chosen)
    experiment = partial(run_experiment, chosen, folder, force=force)
    _show(experiment, folder, json_logs=json_logs, no_report=no_report)


def resume(
    folder: Folder,
    json_logs: JsonLogs = False,
    no_report: NoReport = False,
) -> None:
    """Go on with a run that was stopped or killed, to the same bits as one that was not."""
    from ..lifelong.running import resume as resume_experiment

    _show(partial(resume_experiment, folder), folder, json_logs=json_logs, no_report=no_report)


def _show(
    experiment: Callable[[Listener], Result], folder: Path, *, json_logs: bool, no_report: bool
) -> None:
    """Carry out an experiment, show it, and say how it ended."""
    from ..lifelong import Interrupted
    from ..lifelong.reading import RUN
    from .display import choose_display

    display = choose_display(json_logs=json_logs)

    def listen(event: Event) -> None:
        display(event)
        if event["event"] == "started" and not no_report:  # a core is free during the first task
            Thread(target=_prepare_figures, daemon=True).start()

    try:
        with display:
            result = experiment(listen)
    except Interrupted as stopped:
        display.note(f"Stopped and saved. Go on with: lethenet resume {stopped.folder}")
        raise typer.Exit(128 + stopped.signal_number) from None
    except OSError as error:
        if type(error) is not OSError and not (folder / RUN).exists():
            raise
        text = str(error.strerror or error)
        text = text if error.filename is None else f"{text}: {error.filename}"
        if (folder / RUN).exists():
            text += f" When that is mended, go on with: lethenet resume {folder}"
        raise OSError(error.errno, text) from error
    display.result(result)
    if not no_report:
        _report(result.folder, display)


def _prepare_figures() -> None:
    """Import what draws, which takes half a second."""
    with suppress(ImportError):
        import matplotlib.backends.backend_agg
        import matplotlib.backends.backend_svg
        import matplotlib.figure  # noqa: F401


def _report(folder: Path, display: Lines) -> None:
    """Figures and report, if they can be had: a finished run is worth something without them."""
    try:
        from ..report import write_report

        with display.busy("Drawing the figures and writing the report"):
            path = write_report(folder, both=False)
        display.report(path)
    except ImportError as error:
        display.note(f"No report: {error} Then: lethenet report {folder}")
