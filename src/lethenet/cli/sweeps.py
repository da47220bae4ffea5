"""``lethenet sweep``: a grid of experiments, from options that take several values each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ..lifelong.config import Config, option_name
from ..model.parameters import Parameters
from ..sweeps.experiment import CONFIG_FIELDS, OWN, Experiment
from .options import EXPERIMENT, OTHER, OUTPUT, PANELS, Cluster, Jobs, meanings
from .stopping import terminable

SWEEP_HELP = (
    "Run a grid of experiments, each once, and put their results into one file.\n\n"
    "Every setting takes several values with commas between them; the sweep is all combinations. "
    "Run it again, and it computes only what the file lacks. Ctrl-C or a kill loses the running "
    "experiments at most."
)


def sweep(
    *,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.jsonl", help="The results file: appended to.", rich_help_panel=OUTPUT
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="Take the grid from a TOML file; options given here come before it.",
            rich_help_panel=EXPERIMENT,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="So many seeds, from 0 on.", rich_help_panel=EXPERIMENT),
    ] = None,
    jobs: Jobs = -1,
    cluster: Cluster = None,
    retries: Annotated[
        int,
        typer.Option(
            help="How often an experiment is begun again after its process died (on a cluster: after an "
            "error; experiments of a dead worker go to another one as often as Dask allows).",
            rich_help_panel=OUTPUT,
        ),
    ] = 2,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", metavar="", help="Only say what is missing.", rich_help_panel=OUTPUT
        ),
    ] = False,
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
    """Give a command, besides its own options, one per setting of an experiment, for several values."""
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    hints = get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in own]
    kinds = {name: hint for cls in (Config, Parameters, Experiment) for name, hint in _hints(cls)}

    def command(**given: Any) -> Any:
        axes = {name: given.pop(name) for name in kinds}
        chosen = {
            n: parse_values(n, text, kinds[n]) for n, text in axes.items() if text is not None
        }
        return function(**given, **chosen)

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature([*_axes(), *own])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def _hints(cls: type) -> list[tuple[str, Any]]:
    """The settings that a class of Config, Parameters and Experiment adds, with their types."""
    hints = get_type_hints(cls)
    chosen = {Config: CONFIG_FIELDS, Experiment: OWN}.get(
        cls, tuple(f.name for f in fields(Parameters))
    )
    return [(name, hints[name]) for name in chosen]


def _axes() -> list[inspect.Parameter]:
    order = {name: place for place, name in enumerate(sum(PANELS.values(), ()))}
    panel_of = {name: panel for panel, names in PANELS.items() for name in names}
    panel_of |= dict.fromkeys(OWN, EXPERIMENT)
    parameters = []
    for cls in (Config, Parameters, Experiment):
        meaning = meanings(cls)
        for name, hint in _hints(cls):
            info = typer.Option(
                f"--{option_name(name)}",
                metavar=_metavar(name, hint),
                help=meaning[name].replace("[", r"\["),
                rich_help_panel=panel_of.get(name, OTHER),
                show_default=False,
            )
            annotation = Annotated[str | None, info]
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(name, kind, default=None, annotation=annotation))
    return sorted(parameters, key=lambda p: order.get(p.name, len(order)))


def _metavar(name: str, hint: Any) -> str:
    if name == "classes":
        return "0,1,…/1,0,…"
    choices = getattr(hint, "__args__", ())
    if choices and all(isinstance(choice, str) for choice in choices):
        return ",".join(choices)
    words = {int: "INTEGER,…", float: "NUMBER,…", bool: "yes,no"}
    plain = next((kind for kind in words if kind is hint or kind in choices), None)
    return "WORD,…" if plain is None else words[plain]


def parse_values(name: str, text: str, hint: Any) -> list[Any]:
    """The values of an option; their meaning is checked elsewhere.

    >>> parse_values("neurons", "100,400", int), parse_values("annealed", "yes,no", bool)
    ([100, 400], [True, False])
    >>> parse_values("classes", "0,1/1,0", None)
    [(0, 1), (1, 0)]
    """
    if name == "classes":
        from .options import parse_classes

        return [parse_classes(order) for order in text.split("/")]
    kinds = (hint, *getattr(hint, "__args__", ()))
    kind = next((k for k in (bool, int, float) if k in kinds), str)
    expected = {
        bool: "yes or no",
        int: "whole numbers",
        float: "numbers",
        str: "words",
    }[kind]
    try:
        return [_truth(word) if kind is bool else kind(word) for word in text.split(",")]
    except (KeyError, ValueError):
        raise ValueError(
            f"--{option_name(name)} {text}: expected {expected} with commas between them."
        ) from None


def _truth(word: str) -> bool:
    return {"yes": True, "true": True, "no": False, "false": False}[word.strip().lower()]
