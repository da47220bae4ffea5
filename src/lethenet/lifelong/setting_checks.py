"""Checks of single settings: each error names the setting, its value and what was expected."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any


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
