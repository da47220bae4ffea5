"""``lethenet sweep``: a grid of experiments, from options that take several values each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..lifelong.config import Config
from ..lifelong.setting_checks import option_name
from ..model.parameters import Parameters
from ..sweeps.experiment import SETTINGS, Experiment
from . import options
from .options import EXPERIMENT, OUTPUT, Cluster, Jobs, flag, plain_type, value
from .stopping import terminable

SWEEP_HELP = (
    "Run a grid of experiments, each once, and put their results into one file.\n\n"
    "Every setting takes several values with commas between them; the sweep is all combinations. "
    "Run it again, and it computes only what the file lacks. Ctrl-C or a kill loses the running "
    "experiments at most."
)


def sweep(
    *,
    out: Annotated[Path, value("FILE.jsonl", "The results file; results are appended.", OUTPUT)],
    file: Annotated[
        Path | None,
        value("FILE.toml", "A file of the grid; options given here override it.", EXPERIMENT),
    ] = None,
    seeds: Annotated[int | None, value("N", "N seeds, from 0 on.", EXPERIMENT)] = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    retries: Annotated[
        int,
        value(
            "INTEGER",
            "How often an experiment is begun again after its process died. (On a cluster: after "
            "an error; those of a dead worker go to another one as often as Dask allows.)",
            OUTPUT,
        ),
    ] = 2,
    dry_run: Annotated[bool, flag("--dry-run", "Only say what is missing.", OUTPUT)] = False,
    **axes: Any,
) -> None:
    """Run a sweep; the axes come from ``with_axes``."""
    from ..sweeps import grid, plan, read_grid, run_sweep
    from ..sweeps.sweep import workers_for
    from .sweep_display import choose_display

    if seeds is not None:
        axes["seeds"] = seeds
    experiments = read_grid(file, **axes) if file is not None else grid(**axes)
    workers = workers_for(jobs)
    display = choose_display()
    with display.noting_warnings():
        if dry_run:
            display.plan(plan(experiments, out), out, workers)
            return
        try:
            with display, terminable() as stop:
                outcome = run_sweep(
                    experiments, out, jobs=jobs, cluster=cluster, retries=retries, progress=display
                )
        except KeyboardInterrupt:
            display.stopped(out)
            raise typer.Exit(128 + stop.number) from None
    display.result(outcome, out)
    if outcome.failures:
        raise typer.Exit(1)


def with_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command one option per setting of an experiment, for several values each."""
    axes = [s for s in options.settings(Config, Parameters, Experiment) if s.name in SETTINGS]
    added = [axis.option(str, _metavar(axis)) for axis in axes]

    def collect(given: dict[str, Any]) -> dict[str, Any]:
        texts = {axis: given.pop(axis.name) for axis in axes}
        chosen = {
            axis.name: parse_values(axis.name, text, axis.hint)
            for axis, text in texts.items()
            if text is not None
        }
        return {**given, **chosen}

    return options.with_options(function, added, collect)


_WORDS = {bool: "yes,no", int: "INTEGER,…", float: "NUMBER,…", str: "WORD,…"}


def _metavar(axis: options.Setting) -> str:
    if axis.name == "classes":
        return "0,1,…/1,0,…"
    return ",".join(options.choices(axis.hint)) or _WORDS[plain_type(axis.hint)]


def parse_values(name: str, text: str, hint: Any) -> list[Any]:
    """The values of an option; their meaning is checked elsewhere.

    >>> parse_values("annealed", "yes,no", bool), parse_values("classes", "0,1/1,0", None)
    ([True, False], [(0, 1), (1, 0)])
    """
    if name == "classes":
        return [options.parse_classes(order) for order in text.split("/")]
    kind = plain_type(hint)
    expected = {bool: "yes or no", int: "whole numbers", float: "numbers", str: "words"}[kind]
    try:
        return [_truth(word) if kind is bool else kind(word) for word in text.split(",")]
    except (KeyError, ValueError):
        raise ValueError(
            f"--{option_name(name)} {text}: expected {expected} with commas between them."
        ) from None


def _truth(word: str) -> bool:
    return {"yes": True, "true": True, "no": False, "false": False}[word.strip().lower()]
