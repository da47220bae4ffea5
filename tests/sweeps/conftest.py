"""Small sweeps on the built-in digits, and what it means for two results files to hold the same."""

import sys
from pathlib import Path

import pytest

from lethenet.sweeps import grid, read_results

# 8 × 8 digits look alike: a threshold as high as τ_mem keeps them apart
TINY = {"dataset": "digits", "neurons": 20, "threshold": 15.0, "classes": (3, 1, 4),
        "train_per_class": 20, "test_per_class": 10}  # fmt: skip


@pytest.fixture(scope="session")
def tiny_experiments():
    """Four experiments that take a few milliseconds each."""
    return grid(**{**TINY, "neurons": [20, 30]}, seeds=2)


@pytest.fixture(scope="session")
def contents():
    """What a results file holds, as a set: without what depends on the machine."""

    def read(path: Path) -> dict[str, dict]:
        records = read_results(path)
        assert len({record["key"] for record in records}) == len(records)
        return {
            record["key"]: {name: value for name, value in record.items() if name != "cost"}
            for record in records
        }

    return read


@pytest.fixture(scope="session")
def lethenet_command():
    """The command line in a process of its own, from this Python."""
    return [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]
