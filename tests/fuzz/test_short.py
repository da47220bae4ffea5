"""A few of the cases that `make fuzz` does many of: nothing may come of them but use or a clear error."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import fuzzing
from cases import KINDS

import bits


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_or_used(kind, folder):
    out = folder / "found.jsonl"
    command = [sys.executable, fuzzing.__file__, kind, "--cases", "60", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text("utf-8").splitlines()[-1])
    assert found["kind"] == kind
    assert found["findings"] == []
    assert found["accepted"] + found["refused"] == 60
    assert found["most_megabytes"] <= fuzzing.MEGABYTES


def test_flipped_bits_of_every_kind_of_file_are_noticed(tmp_path):
    for kind, (path, read) in bits.readers(tmp_path).items():
        n = 8 * path.stat().st_size
        assert bits.unnoticed(path, read, range(0, n, 1 + n // 150)) == [], kind


def test_the_fuzzer_sees_what_it_looks_for(tmp_path, monkeypatch):
    """A hang and a stray exception are findings."""

    def too_long(*_):
        raise fuzzing.HangError

    def wrong(*_):
        raise KeyError("input_spikes")

    def endless(*_):
        while True:
            pass

    before = signal.signal(signal.SIGALRM, too_long)
    try:
        monkeypatch.setattr(fuzzing, "do", wrong)
        assert fuzzing.one_case("model", 0, tmp_path, tmp_path)[0] == "traceback"
        monkeypatch.setattr(fuzzing, "do", endless)
        assert fuzzing.one_case("model", 0, tmp_path, tmp_path, seconds=0.05)[0] == "hang"
    finally:
        signal.signal(signal.SIGALRM, before)
