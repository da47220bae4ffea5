"""Small runs on the built-in digits, and what it means for two runs to be the same."""

import json
import os
import sys
from pathlib import Path

import pytest

from lethenet.lifelong import Config, run
from lethenet.lifelong.setting_checks import option_name

# 8 × 8 digits look alike: a threshold as high as τ_mem keeps them apart
SMALL = {"dataset": "digits", "neurons": 40, "threshold": 15.0, "n_jobs": 1}
TINY = {**SMALL, "classes": (3, 1, 4), "train_per_class": 40, "test_per_class": 10}

NOT_COMPARED = ("started", "finished", "seconds", "simulated", "command", "machine")
"""What two runs of the same experiment may differ in."""


@pytest.fixture(scope="session")
def tiny():
    """A configuration that takes a fraction of a second."""
    return Config.of(**TINY, checkpoint_samples=16)


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory, tiny):
    """A finished run, not to be changed."""
    return run(tiny, tmp_path_factory.mktemp("tiny") / "run")


@pytest.fixture(scope="session")
def same_bits():
    """Assert that two finished run directories hold the same run, bit for bit."""

    def check(one: Path, other: Path) -> None:
        for name in ("model.safetensors", "arrays.safetensors"):
            assert (one / name).read_bytes() == (other / name).read_bytes(), name
        documents = [json.loads((folder / "run.json").read_text()) for folder in (one, other)]
        for document in documents:
            assert document["status"] == "finished"
            for name in NOT_COMPARED:
                del document[name]
        assert documents[0] == documents[1]
        for folder in (one, other):
            assert not (folder / "checkpoint.safetensors").exists()
            assert not list(folder.glob(".*.part"))
        assert (one / "twin").exists() == (other / "twin").exists()
        if (one / "twin").exists():
            check(one / "twin", other / "twin")

    return check


@pytest.fixture(scope="session")
def lethenet_command():
    """The command line in a process of its own, from this Python."""
    return [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]


@pytest.fixture(scope="session")
def settings_as_options():
    """Settings as command-line options."""

    def options(settings: dict) -> list[str]:
        words = []
        for name, value in settings.items():
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            words += [f"--{option_name(name)}", text]
        return words

    return options


@pytest.fixture
def one_line_error():
    """Assert that what was printed to stderr is one line, and return it."""

    def check(text: str) -> str:
        lines = text.splitlines()
        assert len(lines) == 1, text
        assert lines[0].startswith("Error: ")
        return lines[0]

    return check


def pytest_report_header():
    return f"lethenet tests as user {os.geteuid()}"
