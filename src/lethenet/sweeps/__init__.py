"""Sweeps: many experiments, each done once, their results in one file.

>>> from lethenet.sweeps import grid
>>> experiments = grid(dataset="digits", neurons=[50, 100], threshold=[14.5, 15.0], seeds=3)
>>> len(experiments)
12

Then ``run_sweep(experiments, "results.jsonl")``: see :func:`run_sweep`, ``docs/sweeps.md`` and
``lethenet sweep --help``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .experiment import Experiment as Experiment
    from .fingerprint import NEUTRAL as NEUTRAL
    from .fingerprint import behaviour as behaviour
    from .grids import grid as grid
    from .grids import read_grid as read_grid
    from .outcome import run_experiment as run_experiment
    from .planning import Costs as Costs
    from .planning import Plan as Plan
    from .planning import plan as plan
    from .progress import Listener as Listener
    from .progress import Sweep as Sweep
    from .results_file import ResultsFile as ResultsFile
    from .results_file import read_results as read_results
    from .samples import hold_out as hold_out
    from .summary import summarise as summarise
    from .sweep import run_sweep as run_sweep

__getattr__, __dir__, __all__ = attach(__name__)
