"""One lifelong experiment: configuration, protocol, measures, run directory.

>>> from lethenet.lifelong import Config, run
>>> config = Config.of(dataset="digits", neurons=100, threshold=15.0)

Then ``result = run(config, "runs/first")``: see :func:`run`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .config import Config

if TYPE_CHECKING:
    from .evaluation import evaluate
    from .result import Result
    from .running import Interrupted, resume, run

__all__ = ["Config", "Interrupted", "Result", "evaluate", "resume", "run"]

_HOMES = {
    "Interrupted": "running",
    "Result": "result",
    "evaluate": "evaluation",
    "resume": "running",
    "run": "running",
}


def __getattr__(name: str) -> Any:
    """Load what needs numpy and more only when it is asked for: the command line starts fast."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
