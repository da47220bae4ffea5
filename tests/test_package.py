"""Importing is quick and compiles nothing; names come when they are asked for."""

import subprocess
import sys

import pytest

import lethenet

HEAVY = ("numba", "sklearn", "matplotlib", "scipy", "pandas", "joblib", "distributed")
HELP = "from lethenet.cli import main; main({}); print()"
ROOMS = "import lethenet, lethenet.lifelong, lethenet.model, lethenet.sweeps, lethenet.theory"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import lethenet; lethenet.__version__", id="import"),
        pytest.param(ROOMS, id="rooms"),
        pytest.param(HELP.format(["--help"]), id="help"),
        pytest.param(HELP.format(["run", "--help"]), id="help of run"),
        pytest.param(HELP.format(["sweep", "--help"]), id="help of sweep"),
    ],
)
def test_import_and_help_load_nothing_heavy(code):
    """So they take a part of the half second they may, and cannot compile anything."""
    watch = f"import sys\n{code}\nprint([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", watch], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_public_names():
    from lethenet import ControlledForgettingNetwork, estimators

    assert ControlledForgettingNetwork is estimators.ControlledForgettingNetwork
    assert set(lethenet.__all__) <= set(dir(lethenet))
    assert all(getattr(lethenet, name) is not None for name in lethenet.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lethenet.nothing
