"""Sweeps: many experiments, each done once, their results in one file.

>>> from lethenet.sweeps import grid
>>> cells = grid(dataset="digits", neurons=[50, 100], threshold=[14.5, 15.0], seeds=3)
>>> len(cells)
12

Then ``run_sweep(cells, "results.jsonl")``: see :func:`run_sweep`, ``docs/sweeps.md`` and
``lethenet sweep --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .cells import Cell as Cell
    from .costs import Costs as Costs
    from .course import Sweep as Sweep
    from .fingerprint import behaviour as behaviour
    from .grids import grid as grid
    from .grids import read_grid as read_grid
    from .outcome import run_cell as run_cell
    from .planning import Plan as Plan
    from .planning import plan as plan
    from .results_file import read_results as read_results
    from .summary import summarise as summarise
    from .sweep import run_sweep as run_sweep

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Cell": "cells",
        "Costs": "costs",
        "Plan": "planning",
        "Sweep": "course",
        "behaviour": "fingerprint",
        "grid": "grids",
        "plan": "planning",
        "read_grid": "grids",
        "read_results": "results_file",
        "run_cell": "outcome",
        "run_sweep": "sweep",
        "summarise": "summary",
    },
)
