"""A small run of its own, for the examples in this room's docstrings."""

from __future__ import annotations

from functools import cache

from ..lifelong.results import Results, read_results


@cache
def example_results() -> Results:
    """Twenty neurons that met the handwritten 0, then the 1: run once per process, in a second.

    >>> example_results().label
    'digits, 20 neurons, threshold 15, 1 epoch, sequential, annealed'
    """
    from tempfile import TemporaryDirectory

    from ..lifelong import Config, run

    config = Config.of(
        dataset="digits", neurons=20, threshold=15.0, classes=(0, 1), twin=True, n_jobs=1
    )
    with TemporaryDirectory() as folder:
        run(config, folder)
        return read_results(folder)
