"""Runs to damage, and commands that must fail."""

import sys
import time
from pathlib import Path

import pytest

from lethenet.cli import main

sys.path.insert(0, str(Path(__file__).parent))
from originals import make_runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run with its twin, and one that was interrupted."""
    path = tmp_path_factory.mktemp("runs")
    make_runs(path)
    return path


@pytest.fixture
def fails(capsys):
    """Run a command that must fail at once; its one line."""

    def check(*words: object) -> str:
        began = time.monotonic()
        assert main([str(word) for word in words]) == 2
        assert time.monotonic() - began < 10
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("Error: ")
        return line

    return check
