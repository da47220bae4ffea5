"""A small run of its own, for the examples in this room's docstrings."""

from __future__ import annotations

import tempfile
from functools import cache

from ..lifelong.results import Results, read_results


@cache
def example_run() -> tempfile.TemporaryDirectory[str]:
    """A run directory that lasts as long as the process: made once, in a second."""
    from ..lifelong import Config, run

    config = Config.of(
        dataset="digits", neurons=20, threshold=15.0, classes=(0, 1), twin=True, links=4, n_jobs=1
    )
    folder = tempfile.TemporaryDirectory()
    run(config, folder.name)
    return folder


def example_results() -> Results:
    """Twenty neurons that met the handwritten 0, then the 1.

    >>> example_results().label
    'digits, 20 neurons, threshold 15, 1 epoch, sequential, annealed'
    """
    return read_results(example_run().name)
