"""The paper's evaluation beside ours: figures, tables and one HTML report, from results files alone.

``write_reproduction(scale, folder)`` writes ``report.html``, ``README.md``, ``figures/`` and ``tables/``
next to the results that :mod:`lethenet_reproduction.paper` has put into the folder.
"""

from .findings import read_findings
from .page import write_reproduction

__all__ = ["read_findings", "write_reproduction"]
