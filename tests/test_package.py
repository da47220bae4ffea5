"""Importing is quick and compiles nothing; the lazy classes behave like classes."""

import inspect
import pickle
import subprocess
import sys

import lethenet
from lethenet import estimators

WATCH_IMPORT = """
import sys
from lethenet import ControlledForgettingClassifier
heavy = [m for m in ("numba", "sklearn", "matplotlib", "scipy", "pandas", "rich") if m in sys.modules]
print(heavy)
"""


def test_import_loads_nothing_heavy():
    """So it takes a small part of the 0.6 seconds it may, and cannot compile anything."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH_IMPORT], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_lazy_classes_are_classes_where_it_matters():
    lazy, real = lethenet.ControlledForgettingNetwork, estimators.ControlledForgettingNetwork
    model = lazy(n_neurons=3)
    assert type(model) is real
    assert isinstance(model, lazy)
    assert issubclass(real, lazy)
    assert lazy == real
    assert hash(lazy) == hash(real)
    assert pickle.loads(pickle.dumps(lazy)) is real
    assert inspect.signature(lazy) == inspect.signature(real)
    assert lazy.__doc__ == real.__doc__

    assert lazy | None == real | None
    assert "from_preset" in dir(lazy)

    class Mine(lazy):
        pass

    assert Mine.__bases__ == (real,)


def test_unknown_names():
    import pytest

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lethenet.nothing
