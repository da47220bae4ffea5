"""One lifelong experiment: configuration, the task loop, measures, run directory.

>>> from lethenet.lifelong import Config, run
>>> config = Config.of(dataset="digits", neurons=100, threshold=15.0)

Then ``result = run(config, "runs/first")``: see :func:`run`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import attach

if TYPE_CHECKING:
    from .config import Config as Config
    from .evaluation import evaluate as evaluate
    from .loop import Step as Step
    from .loop import task_loop as task_loop
    from .results import Result as Result
    from .results import Results as Results
    from .results import read_results as read_results
    from .running import resume as resume
    from .running import run as run
    from .running import run_stream as run_stream
    from .stopping import Interrupted as Interrupted
    from .watch_settings import WatchSettings as WatchSettings
    from .watching import Watcher as Watcher

__getattr__, __dir__, __all__ = attach(__name__)
