"""Options made from the fields of Config and Parameters, and from their docstrings.

Nothing is written twice: a new parameter of the model is an option of ``run`` and ``sweep`` without a
change here.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import typer

from ..lifelong.config import Config
from ..lifelong.setting_checks import LEARNERS, WORLDS, option_name
from ..model.parameters import ANNEALED, PAPER, Parameters
from ..model.presets import PRESETS

EXPERIMENT, NEURONS, PLASTICITY = "Experiment", "Neurons", "Plasticity"
DOPAMINE, RECOGNITION, OUTPUT = "Dopamine", "Input and recognition", "Output"
PANELS = (EXPERIMENT, NEURONS, PLASTICITY, DOPAMINE, RECOGNITION, OUTPUT)
"""The headings of the help, in their order."""

BEGINS = {
    "dataset": EXPERIMENT, "neurons": NEURONS, "epochs": EXPERIMENT, "readout": RECOGNITION,
    "train_per_class": EXPERIMENT, "checkpoint_seconds": OUTPUT, "threshold": NEURONS,
    "tau_pre": PLASTICITY, "inhibition": NEURONS, "n_output_spikes": RECOGNITION,
    "recognition_time": DOPAMINE, "carry_trace": PLASTICITY, "rate_gain": RECOGNITION,
    "format": RECOGNITION,
}  # fmt: skip
"""Fields at which another panel begins. Any other field stands with the one declared before it."""


def value(metavar: str, text: str, panel: str | None = None, **more: Any) -> Any:
    """An option that takes a value."""
    return typer.Option(metavar=metavar, help=text, rich_help_panel=panel, **more)


def flag(option: str, text: str, panel: str | None = None, **more: Any) -> Any:
    """An option that is given or not."""
    return typer.Option(option, metavar="", help=text, rich_help_panel=panel, **more)


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The run directory.")]
Jobs = Annotated[int, value("INTEGER", "Processes; -1 takes all cores.", OUTPUT)]
Cluster = Annotated[
    str | None,
    value("tcp://HOST:8786", "Compute on the Dask cluster of this scheduler.", OUTPUT),
]


class Setting(NamedTuple):
    """A field that can be set on the command line."""

    name: str
    owner: type
    hint: Any
    meaning: str
    panel: str

    def option(self, kind: Any, metavar: str | None, more_help: str = "") -> inspect.Parameter:
        """A parameter of a command, None where the option is not given."""
        word = f"--{option_name(self.name)}"
        info = typer.Option(
            f"{word}/--no-{word[2:]}" if kind is bool else word,
            help=f"{self.meaning} {more_help}".strip().replace("[", r"\["),
            metavar=metavar,
            show_default=False,
            rich_help_panel=self.panel,
        )
        return inspect.Parameter(
            self.name, _KEYWORD, default=None, annotation=Annotated[kind | None, info]
        )


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def settings(*classes: type) -> list[Setting]:
    """The settings of these dataclasses, panel by panel, in the order in which they are declared."""
    found = []
    for cls in classes:
        hints, meaning, panel = get_type_hints(cls), meanings(cls), EXPERIMENT
        for field in fields(cls):
            name, panel = field.name, BEGINS.get(field.name, panel)
            if name not in ("config", "parameters"):  # they hold settings themselves
                text = meaning.get(name, "")
                found.append(Setting(name, cls, hints[name], text, panel))
    return sorted(found, key=lambda setting: PANELS.index(setting.panel))


def meanings(cls: type) -> dict[str, str]:
    """What each field means, from the class's docstring; other settings are named as options."""
    known = {field.name for owner in (Config, Parameters) for field in fields(owner)}
    text = inspect.cleandoc(cls.__doc__ or "")
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", text, re.DOTALL)
    found: dict[str, str] = {}
    entries = re.split(r"^(?=\w[\w, ]* : )", section.group(1) if section else "", flags=re.M)
    for entry in entries:
        names, _, rest = entry.partition(" : ")
        prose = " ".join(rest.split("\n")[1:])
        prose = re.sub(r":\w+:`~?([^`]+)`", r"\1", prose)
        for word in known.intersection(re.findall(r"``(\w+)``", prose)):
            prose = prose.replace(f"``{word}``", f"--{option_name(word)}")
        for name in names.split(", "):
            found[name.strip()] = " ".join(prose.replace("`", "").split())
    return found


def with_options(
    function: Callable[..., Any],
    options: list[inspect.Parameter],
    collect: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., Any]:
    """Give a command these options besides its own; ``collect`` makes arguments of what is given."""
    hints = get_type_hints(function, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is _KEYWORD
    ]

    def command(**given: Any) -> Any:
        return function(**collect(given))

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature([*options, *own])  # type: ignore[attr-defined]
    command.__annotations__ = {}
    return command


def with_settings(function: Callable[..., Any], *classes: type) -> Callable[..., Any]:
    """Give a command one option per setting, by default those of a run; given ones are ``**settings``."""
    found = settings(*(classes or (Config, Parameters)))
    names = {setting.name for setting in found}
    options = [
        setting.option(plain_type(setting.hint), _metavar(setting), _default(setting))
        for setting in found
    ]
    return with_options(
        function,
        options,
        lambda given: {k: v for k, v in given.items() if k not in names or v is not None},
    )


def _first(hint: Any) -> Any:
    """The first type of a union, or the type itself."""
    return get_args(hint)[0] if get_origin(hint) in (Union, types.UnionType) else hint


def plain_type(hint: Any) -> Any:
    """The type in which the command line takes a setting; Config and Parameters check its value."""
    first = _first(hint)
    return first if first in (int, float, bool) else str


def choices(hint: Any) -> tuple[str, ...]:
    """The words that a setting may take, if these are all."""
    first = _first(hint)
    return get_args(first) if get_origin(first) is Literal else ()


def _metavar(setting: Setting) -> str | None:
    own = {"classes": "0,1,…", "preset": "|".join(PRESETS), "dataset": "NAME|FILE|FOLDER"}
    own["learner"] = "|".join(("cfn", *LEARNERS))
    own["stream"] = "|".join(("classes", "split:N", *WORLDS))
    usual = {int: "INTEGER", float: "NUMBER", bool: ""}.get(plain_type(setting.hint))
    return own.get(setting.name) or "|".join(choices(setting.hint)) or usual


def _default(setting: Setting) -> str:
    """What is taken without the option: a preset's value may differ from the paper's."""
    name = setting.name
    if setting.owner is not Parameters:
        value = getattr(setting.owner(), name)
        return "" if value is None or value is False else f"[default: {value}]"
    main = {"paper": PAPER, "annealed": ANNEALED}
    values = {preset: _spell(getattr(constants, name)) for preset, constants in main.items()}
    if name == "threshold":
        return f"[default: paper {values['paper']}; annealed: from the data]"
    if len(set(values.values())) == 1:
        return f"[default: {next(iter(values.values()))}]"
    return f"[default: {', '.join(f'{preset} {value}' for preset, value in values.items())}]"


def _spell(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def parse_classes(text: str) -> tuple[int, ...] | tuple[str, ...]:
    """Class labels from ``"3,1,4"``, or names from ``"cat, dog"``."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise ValueError(
            f"--classes {text}: expected classes with commas between them, such as 0,1,2."
        )
    try:
        return tuple(int(word) for word in words)
    except ValueError:
        return tuple(words)
