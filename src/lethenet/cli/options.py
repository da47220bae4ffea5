"""The options of ``lethenet run``, made from the fields of Config and Parameters and their docstrings.

Nothing is written twice: a new parameter of the model is an option here without a change.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from ..lifelong.config import Config, option_name
from ..model.parameters import ANNEALED, PAPER, Parameters
from ..model.presets import PRESETS

EXPERIMENT, NEURONS, PLASTICITY = "Experiment", "Neurons", "Plasticity"
DOPAMINE, RECOGNITION, OUTPUT = "Dopamine", "Input and recognition", "Output"

Jobs = Annotated[int, typer.Option(help="Processes; -1 takes all cores.", rich_help_panel=OUTPUT)]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="tcp://HOST:8786",
        help="Compute on the Dask cluster of this scheduler.",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
]

PANELS = {
    EXPERIMENT: (
        "dataset", "order", "classes", "epochs", "seed", "preset", "twin",
        "train_per_class", "test_per_class",
    ),
    NEURONS: ("neurons", "threshold", "tau_mem", "inhibition"),
    PLASTICITY: (
        "tau_pre", "learning_rate", "annealed", "imprint_rate", "stdp", "static_offset",
        "normalise_weights", "carry_trace",
    ),
    DOPAMINE: (
        "dopamine", "recognition_time", "tau_dopamine", "dopaminergic_rest",
        "dopaminergic_target", "push", "depression", "forced_depression", "age_weight",
        "habituation", "dopaminergic_floor", "stop_after_imprint",
    ),
    RECOGNITION: ("n_output_spikes", "n_readout_spikes", "rate_gain", "max_rate_gain", "readout"),
    OUTPUT: ("checkpoint_seconds", "checkpoint_samples", "n_jobs"),
}  # fmt: skip
"""Which settings stand together in the help."""

OTHER = "Other parameters of the model"


def meanings(cls: type) -> dict[str, str]:
    """What each field means, from the class's docstring.

    >>> meanings(Parameters)["tau_mem"]
    'Decay time of the membrane potential.'
    """
    text = inspect.cleandoc(cls.__doc__ or "")
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", text, re.DOTALL)
    found: dict[str, str] = {}
    entries = re.split(r"^(?=\w[\w, ]* : )", section.group(1) if section else "", flags=re.M)
    for entry in entries:
        names, _, rest = entry.partition(" : ")
        prose = " ".join(rest.split("\n")[1:])
        prose = re.sub(r":\w+:`~?([^`]+)`", r"\1", prose).replace("`", "")
        for name in names.split(", "):
            found[name.strip()] = " ".join(prose.split())
    return found


def with_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command, besides its own options, one per setting; it gets them as ``**settings``.

    What was not given on the command line is not passed.
    """
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    hints = get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in own]
    settings = _settings()
    names = {p.name for p in settings}

    def command(**given: Any) -> Any:
        kept = {k: v for k, v in given.items() if k not in names or v is not None}
        for opposite in [name for name in kept if name.startswith(_OPPOSITE)]:
            kept[opposite.removeprefix(_OPPOSITE)] = not kept.pop(opposite)
        return function(**kept)

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature([*settings, *own])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def _settings() -> list[inspect.Parameter]:
    order = {name: place for place, name in enumerate(sum(PANELS.values(), ()))}
    panel_of = {name: panel for panel, names in PANELS.items() for name in names}
    parameters = []
    for cls in (Config, Parameters):
        hints, meaning = get_type_hints(cls), meanings(cls)
        for field in fields(cls):
            name, hint = field.name, hints[field.name]
            if name == "parameters":
                continue
            help_text = f"{meaning.get(name, '')} {_default(cls, name)}".replace("[", r"\[")
            panel, metavar = panel_of.get(name, OTHER), _metavar(name, hint)
            more: dict[str, Any] = {"rich_help_panel": panel, "metavar": metavar}
            word = option_name(name)
            if hint is not bool:
                parameters.append(
                    _parameter(name, _plain(hint), f"--{word}", help=help_text, **more)
                )
                continue
            if getattr(PAPER, name, None) != getattr(ANNEALED, name, None):
                parameters.append(
                    _parameter(name, bool, f"--{word}/--no-{word}", help=help_text, **more)
                )
                continue
            # The help shows the way away from the default; the other way is needed with presets
            on, off = (name, bool, f"--{word}"), (f"{_OPPOSITE}{name}", bool, f"--no-{word}")
            shown, hidden = (off, on) if field.default else (on, off)
            if field.default:
                help_text = f"Switch off: {help_text}"
            parameters.append(_parameter(*shown, help=help_text, **more))
            parameters.append(_parameter(*hidden, hidden=True))
    return sorted(parameters, key=lambda p: order.get(p.name.removeprefix(_OPPOSITE), len(order)))


_OPPOSITE = "not_"


def _parameter(name: str, kind: Any, option: str, **more: Any) -> inspect.Parameter:
    info = typer.Option(option, show_default=False, **more)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, info]
    )


def _plain(hint: Any) -> Any:
    """The type in which the command line takes a setting; Config and Parameters check its value."""
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    return hint if hint in (int, float, bool) else str


def _metavar(name: str, hint: Any) -> str | None:
    if get_origin(hint) is Literal:
        return "|".join(get_args(hint))
    if name == "classes":
        return "0,1,…"
    if name == "preset":
        return "|".join(PRESETS)
    if name == "dataset":
        return "NAME|FILE|FOLDER"
    return {int: "INTEGER", float: "NUMBER", bool: ""}.get(_plain(hint))


def _default(cls: type, name: str) -> str:
    """What is taken without the option: a preset's value may differ from the paper's."""
    if cls is Config:
        value = getattr(Config(), name)
        return "" if value is None or value is False else f"[default: {value}]"
    main = {"paper": PAPER, "annealed": ANNEALED}
    values = {preset: _spell(getattr(constants, name)) for preset, constants in main.items()}
    if name == "threshold":
        return f"[default: paper {values['paper']}; annealed by --neurons, {values['annealed']} for 400]"
    if len(set(values.values())) == 1:
        return f"[default: {next(iter(values.values()))}]"
    return f"[default: {', '.join(f'{preset} {value}' for preset, value in values.items())}]"


def _spell(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def parse_classes(text: str) -> tuple[int, ...]:
    """Class labels from ``"3,1,4"``.

    >>> parse_classes("3,1,4")
    (3, 1, 4)
    """
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ValueError(
            f"--classes {text}: expected whole numbers with commas between them, such as 0,1,2."
        ) from None
