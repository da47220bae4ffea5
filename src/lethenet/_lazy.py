"""Names of a room that are imported when they are asked for: ``import lethenet`` stays quick."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def attach(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` for the ``__init__`` of a room.

    Its public names are those that its source imports as ``from .module import Name as Name``, which
    stands below ``if TYPE_CHECKING``: so they are written once, for type checkers and for Python.

    >>> import lethenet.estimators
    >>> find, names, public = attach("lethenet.estimators")
    >>> find("BlankInputWarning").__name__, public[0], "BlankInputWarning" in names()
    ('BlankInputWarning', 'BlankInputWarning', True)
    """
    table = _exports(room)

    def find(name: str) -> Any:
        if name not in table:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{table[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[room]), *table})

    return find, names, sorted(table)


def _exports(room: str) -> dict[str, str]:
    loader: Any = sys.modules[room].__loader__
    return {
        alias.name: str(statement.module)
        for statement in ast.walk(ast.parse(loader.get_source(room)))
        if isinstance(statement, ast.ImportFrom) and statement.level == 1
        for alias in statement.names
        if alias.asname == alias.name
    }
