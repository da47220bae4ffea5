"""Documents from files: the names, types and ranges of their fields, in one table each.

A table is plain Python: a dictionary is an object with these fields (``"name?"`` may be missing, others may
be there besides), a list of one kind a list of such, a tuple the values that there are, a :class:`Kind` a
value by itself, :class:`Maybe` null or something, :class:`Each` an object with any names, :class:`Only` one
with no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import numpy as np

MOST = 2**53
"""Counts beyond are no longer exact in JSON, and are not reached in a lifetime."""
LONGEST_TEXT = 10_000


@dataclass(frozen=True)
class Kind:
    """A value by itself: what is expected, in words, and whether it is that."""

    expected: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Maybe:
    """Null, or a value of this kind."""

    kind: Any


@dataclass(frozen=True)
class Each:
    """An object with any names, and values of this kind."""

    kind: Any


@dataclass(frozen=True)
class Only:
    """An object with the fields of this table, and no others."""

    table: dict[str, Any]


def whole(low: int = 0, high: int = MOST) -> Kind:
    """A whole number in these bounds."""
    expected = f"a whole number from {low} to {high}"
    return Kind(expected, lambda value: type(value) is int and low <= value <= high)


def number(low: float = -1e300, high: float = 1e300) -> Kind:
    """A number in these bounds."""
    expected = f"a number from {low:g} to {high:g}"
    return Kind(expected, lambda value: type(value) in (int, float) and low <= value <= high)


def is_text(value: Any) -> bool:
    """Whether this is a text that can be written down again: not too long, no half characters.

    >>> is_text("digits"), is_text("\\ud800"), is_text(3)
    (True, False, False)
    """
    half = isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value)
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and not half


TEXT = Kind(f"a text of at most {LONGEST_TEXT} letters", is_text)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
COUNT, AMOUNT, SHARE, SIGNED_SHARE = whole(), number(0, 1e30), number(0, 1), number(-1, 1)
LABEL = Kind("a whole number or a name", lambda v: is_text(v) or whole(-MOST).fits(v))
PLAIN = Kind("a number, a text, true, false or null", lambda v: v is None or isinstance(v, bool)
             or is_text(v) or number().fits(v))  # fmt: skip


def check(value: Any, kind: Any, source: object = "", remedy: str = "", field: str = "") -> None:
    """ValueError that names file, field, value, what was expected and what to do, unless it fits.

    Without a source only what is wrong, for a caller that knows the file.

    >>> table = {"neurons": whole(1, 100), "name?": TEXT}
    >>> check({"neurons": 3}, table, "run.json", "Use a copy.")
    >>> check({"neurons": 0}, table, "run.json", "Use a copy.")
    Traceback (most recent call last):
    ...
    ValueError: run.json is damaged: neurons is 0, expected a whole number from 1 to 100. Use a copy.
    """

    def refuse(what: str) -> NoReturn:
        raise ValueError(f"{source} is damaged: {what}. {remedy}" if source else f"{what}.")

    def expect(fits: bool, expected: str) -> None:
        if not fits:
            refuse(f"{field or 'its content'} is {value!r:.60}, expected {expected}")

    if isinstance(kind, Only):
        known = {name.removesuffix("?") for name in kind.table}
        check(value, kind.table, source, remedy, field)
        for name in value.keys() - known:
            refuse(f"{field}.{name:.60} is not known to this version")
    elif isinstance(kind, Maybe):
        if value is not None:
            check(value, kind.kind, source, remedy, field)
    elif isinstance(kind, list):
        expect(isinstance(value, list), "a list")
        for place, item in enumerate(value):
            check(item, kind[0], source, remedy, f"{field}[{place}]")
    elif isinstance(kind, dict | Each):
        expect(isinstance(value, dict), "an object")
        table = dict.fromkeys(value, kind.kind) if isinstance(kind, Each) else kind
        for name, inner in table.items():
            bare = name if isinstance(kind, Each) else name.removesuffix("?")
            path = f"{field}.{bare:.60}" if field else f"{bare:.60}"
            if bare in value:
                check(value[bare], inner, source, remedy, path)
            elif bare == name:
                refuse(f"{path} is missing")
    elif isinstance(kind, tuple):
        one_of_them = any(type(value) is type(one) and value == one for one in kind)
        expect(one_of_them, f"one of {', '.join(map(str, kind))}")
    else:
        expect(bool(kind.fits(value)), kind.expected)


def check_arrays(
    arrays: Mapping[str, np.ndarray],
    table: Mapping[str, str],
    limits: Mapping[str, tuple[float, float]] | None = None,
    **sizes: int,
) -> None:
    """ValueError unless the arrays of a table are there, of its types and shapes, with sound values.

    A table says for each array its type, and a letter for each of its sizes: those in ``sizes`` are known,
    others are only the same wherever they stand. Integers must be counts, numbers no larger than 1e30,
    unless ``limits`` has a lowest and a highest value.

    >>> import numpy as np
    >>> check_arrays({"weights": np.zeros((3, 4))}, {"weights": "float64 n f", "names?": "int64 n"}, n=3)
    >>> check_arrays({"weights": np.zeros((3, 4))}, {"weights": "float64 n f"}, n=5)
    Traceback (most recent call last):
    ...
    ValueError: the array weights is float64 (3, 4), expected float64 (n=5, f=4).
    """
    for entry, described in table.items():
        name, (dtype, *letters) = entry.removesuffix("?"), described.split()
        array = arrays.get(name)
        if array is None:
            if name == entry:
                raise ValueError(f"the array {name} is missing.")
            continue
        for letter, size in zip(letters, array.shape, strict=False):
            sizes.setdefault(letter, size)
        shape = tuple(sizes.get(letter) for letter in letters)
        if array.dtype != dtype or array.shape != shape:
            expected = ", ".join(f"{letter}={sizes.get(letter, '?')}" for letter in letters)
            found = f"{array.dtype} {array.shape}"
            raise ValueError(f"the array {name} is {found}, expected {dtype} ({expected}).")
        usual = (-1e30, 1e30) if array.dtype.kind == "f" else (0, MOST)
        low, high = (limits or {}).get(name, usual)
        least, most = (array.min(), array.max()) if array.size else (low, high)
        if not low <= least <= most <= high:
            found = f"{least if least < low else most:g}, expected {low:g} to {high:g}"
            raise ValueError(f"the array {name} holds {found}.")
