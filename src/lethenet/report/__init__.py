"""Figures and reports from run directories alone (docs/run-directory.md).

``write_report(folder)`` makes the HTML page and the figures, ``write_figures(folder)`` the figures alone,
``write_comparison(folders, out)`` puts runs side by side, ``show(folder)`` is for notebooks.
Drawing needs matplotlib (``pip install matplotlib``); importing this room does not.
"""

from ..lifelong.results import Results, read_results
from .comparison import write_comparison
from .notebook import show
from .run_figures import all_figures, write_figures
from .run_report import write_report

__all__ = [
    "Results",
    "all_figures",
    "read_results",
    "show",
    "write_comparison",
    "write_figures",
    "write_report",
]
