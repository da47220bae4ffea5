"""The live page: watch a network learn, draw for it, teach it names (``lethenet live``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .log import replay as replay
    from .server import Server as Server
    from .session import Session as Session

__getattr__, __dir__, __all__ = attach(__name__)
