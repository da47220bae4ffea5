"""Names of a room that are imported when they are asked for: ``import lethenet`` stays quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    room: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` for the ``__init__`` of a room.

    ``homes`` says for each public name which module below ``room`` defines it. Names that the room
    imports itself may stand in the table, too: they belong to ``__all__`` and are found as usual.

    >>> find, names, public = attach("importlib", {"Traversable": "resources.abc"})
    >>> find("Traversable").__name__, public, "Traversable" in names()
    ('Traversable', ['Traversable'], True)
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{homes[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[room]), *homes})

    return find, names, sorted(homes)
