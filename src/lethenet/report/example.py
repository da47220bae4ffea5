"""A small run and a small model, for the examples in docstrings."""

from __future__ import annotations

import tempfile
from functools import cache
from typing import Any

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


@cache
def example_model() -> Any:
    """Twenty linked neurons that have met a hundred digits.

    >>> example_model().n_presentations_
    100
    """
    from sklearn.datasets import load_digits

    from ..estimators import ControlledForgettingClassifier

    model = ControlledForgettingClassifier(n_neurons=20, threshold=15.5, links=4, random_state=0)
    X, y = load_digits(return_X_y=True)
    return model.partial_fit(X[:100], y[:100])


def example_results() -> Results:
    """Twenty neurons that met the handwritten 0, then the 1.

    >>> example_results().finished
    True
    """
    return read_results(example_run().name)
