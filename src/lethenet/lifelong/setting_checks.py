"""Single settings: their checks, whose errors name setting, value and what was expected; files; names."""

from __future__ import annotations

import numbers
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._limits import check_file

MOST_TOML_BYTES = 2**20


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """ValueError unless a condition holds.

    >>> require(False, "epochs", 0, "1 or more")
    Traceback (most recent call last):
    ...
    ValueError: epochs=0: expected 1 or more.
    """
    if not condition:
        raise ValueError(f"{name}={value!r}: expected {expected}.")


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in these bounds."""
    fine = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    require(fine and low <= value <= high, name, value, f"a whole number from {low} to {high}")
    return int(value)


def whole_classes(classes: Iterable[Any]) -> tuple[int, ...]:
    """Class labels, each once."""
    values = tuple(classes)
    wrong = [v for v in values if not isinstance(v, numbers.Integral) or isinstance(v, bool)]
    require(not wrong and bool(values), "classes", list(values), "whole numbers, at least one")
    twice = sorted({v for v in values if values.count(v) > 1})
    require(not twice, "classes", list(values), f"each class once, but {twice} come twice")
    return tuple(int(v) for v in values)


def unknown_setting(name: str, known: list[str]) -> str:
    """What to say about a name that is no setting.

    >>> unknown_setting("thresold", ["threshold", "seed"])
    "'thresold' is not a setting. Did you mean threshold?"
    """
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(sorted(known))}."
    return f"{name!r} is not a setting. {hint}"


def known_classes(classes: tuple[int, ...] | None, data: Any) -> tuple[int, ...]:
    """These classes of a data set, all of them if None; ValueError if it lacks one of them."""
    chosen: tuple[int, ...] = data.classes if classes is None else classes
    unknown = [label for label in chosen if label not in data.classes]
    if unknown:
        raise ValueError(
            f"classes={list(chosen)}: {data.name} has no class "
            f"{', '.join(map(str, unknown))}; it has {', '.join(map(str, data.classes))}."
        )
    untested = set(chosen) - set(data.y_test.tolist())
    if untested:
        raise ValueError(f"{data.name} has no test samples of the classes {sorted(untested)}.")
    return chosen


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file, those in tables lifted to the top, dashes as underscores."""
    check_file(path, MOST_TOML_BYTES)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid TOML: {error}.") from error
    settings: dict[str, Any] = {}
    for name, value in document.items():
        settings.update(value if isinstance(value, dict) else {name: value})
    return {name.replace("-", "_"): value for name, value in settings.items()}


_RENAMED = {
    "train_per_class": "limit-train",
    "test_per_class": "limit-test",
    "checkpoint_seconds": "checkpoint-every",
}


def option_name(setting: str) -> str:
    """What the command line calls a setting, without the dashes in front.

    >>> option_name("tau_mem"), option_name("train_per_class")
    ('tau-mem', 'limit-train')
    """
    return _RENAMED.get(setting, setting.replace("_", "-"))
