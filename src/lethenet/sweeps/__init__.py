"""Sweeps: many experiments, each done once, their results in one file.

>>> from lethenet.sweeps import grid
>>> cells = grid(dataset="digits", neurons=[50, 100], threshold=[14.5, 15.0], seeds=3)
>>> len(cells)
12

Then ``run_sweep(cells, "results.jsonl")``: see :func:`run_sweep`, ``docs/sweeps.md`` and
``lethenet sweep --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .cells import Cell
from .grids import grid, read_grid

if TYPE_CHECKING:
    from .costs import Costs
    from .course import Sweep
    from .fingerprint import behaviour
    from .outcome import run_cell
    from .planning import Plan, plan
    from .results_file import read_results
    from .summary import summarise
    from .sweep import run_sweep

__all__ = [
    "Cell",
    "Costs",
    "Plan",
    "Sweep",
    "behaviour",
    "grid",
    "plan",
    "read_grid",
    "read_results",
    "run_cell",
    "run_sweep",
    "summarise",
]

_HOMES = {
    "Costs": "costs",
    "Plan": "planning",
    "Sweep": "course",
    "behaviour": "fingerprint",
    "plan": "planning",
    "read_results": "results_file",
    "run_cell": "outcome",
    "run_sweep": "sweep",
    "summarise": "summary",
}


def __getattr__(name: str) -> Any:
    """Load what needs numpy and more only when it is asked for: the command line starts fast."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
