"""The verification study on a small data set: results append, and a second run does nothing."""

from dataclasses import replace

import pytest
from lethenet_reproduction.studies import verify

from lethenet.data import load
from lethenet.model import PAPER


@pytest.fixture
def small(monkeypatch, tmp_path):
    digits = load("digits")
    monkeypatch.setattr(verify, "PAPER", replace(PAPER, threshold=15.5))
    monkeypatch.setattr("lethenet.data.load", lambda name: digits)
    return tmp_path / "verify"


def test_runs_once_and_sums_up(small, monkeypatch, capsys):
    expected = (verify.Expectation(60, (0, 1), 70.0, 60.0),)
    monkeypatch.setattr(verify, "EXPECTATIONS", expected)
    assert verify.main(["--out", str(small)]) == 0
    lines = (small / "accuracy.jsonl").read_text().splitlines()
    assert len(lines) == 3  # two seeds and the comparison with the full simulation
    assert "equal bit for bit" in (small / "README.md").read_text()
    assert verify.main(["--out", str(small)]) == 0
    assert (small / "accuracy.jsonl").read_text().splitlines() == lines, "nothing was missing"


def test_an_expectation_that_is_not_met_fails(small, monkeypatch):
    monkeypatch.setattr(verify, "EXPECTATIONS", (verify.Expectation(20, (0,), 99.9, None),))
    assert verify.main(["--out", str(small)]) == 1
    assert "NO" in (small / "README.md").read_text()
