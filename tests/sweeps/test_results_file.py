"""The results file: nothing is lost, nothing is half written, and nothing foreign slips in."""

import json
import os
import subprocess
import sys
import warnings

import pytest

from lethenet.sweeps import read_results
from lethenet.sweeps.results_file import ResultsFile

BULK = "x" * 3000
"""As long as a real record or so: longer than what a pipe or a block would keep together."""


def record(key, **more):
    return {"key": key, "config": {}, "results": {"note": BULK}, "cost": {}, **more}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


def test_append_and_read(path):
    file = ResultsFile(path.parent / "new" / "folder" / path.name)
    assert file.append(record("a"))
    assert file.append(record("b", config={"neurons": 5}))
    assert not file.append(record("a", config={"neurons": 6}))  # the first stays
    assert read_results(file.path) == [record("a"), record("b", config={"neurons": 5})]


def test_what_others_append_is_seen(path):
    mine, theirs = ResultsFile(path), ResultsFile(path)
    mine.append(record("a"))
    theirs.append(record("b"))
    mine.refresh()
    assert set(mine.results) == {"a", "b"}
    assert not mine.append(record("b"))
    path.write_text("")  # emptied by hand
    mine.refresh()
    assert mine.results == {}


@pytest.mark.parametrize("kept", [1, 10, 1500, -2])
def test_an_unfinished_last_line_is_moved_away_with_a_warning(path, kept):
    for key in "abc":
        ResultsFile(path).append(record(key))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:kept])
    broken = path.read_bytes()

    with pytest.warns(UserWarning, match="unfinished and is left out"):
        assert [r["key"] for r in read_results(path)] == ["a", "b"]
    assert path.read_bytes() == broken  # reading changes nothing

    file = ResultsFile(path)
    with pytest.warns(UserWarning, match="It was moved to"):
        file.refresh()
    assert set(file.results) == {"a", "b"}
    assert path.read_bytes() == b"".join(lines[:2])
    assert (path.parent / "results.jsonl.broken").read_bytes() == lines[2][:kept] + b"\n"
    file.append(record("c"))
    assert path.read_bytes() == whole


def test_a_last_line_that_lacks_only_its_end_is_kept(path):
    for key in "ab":
        ResultsFile(path).append(record(key))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [r["key"] for r in read_results(path)] == ["a", "b"]
        assert not ResultsFile(path).append(record("b"))
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "foreign",
    [
        "not JSON",
        "[1, 2]",
        '{"neurons": 400}',
        '{"key": 3, "config": {}}',
        '{"key": "x", "config": {}, "results": {}, "cost": 5}',
        '{"key": ' + "9" * 5000 + "}",
        '{"key": ' + "[" * 100_000,
        "\0\0\0",
    ],
    ids=range(8),
)
def test_a_foreign_line_is_an_error_that_names_it(path, foreign):
    ResultsFile(path).append(record("a"))
    before = path.read_text() + foreign + "\n" + json.dumps(record("b")) + "\n"
    path.write_text(before)
    file = ResultsFile(path)
    for read in (lambda: read_results(path), file.refresh, lambda: file.append(record("c"))):
        with pytest.raises(ValueError, match="line 2 is not a result of lethenet sweep"):
            read()
    assert path.read_text() == before


@pytest.mark.parametrize("whole", ["", "[grid]\n"])
@pytest.mark.parametrize("last", ["seeds = 5", '{"a": 1}', '{"neurons": 400, "cos'])
def test_a_file_of_another_kind_without_a_last_line_end_is_left_as_it_was(path, whole, last):
    path.write_text(whole + last)
    for read in (lambda: read_results(path), lambda: ResultsFile(path).append(record("a"))):
        with pytest.raises(ValueError, match="is not a result of lethenet sweep"):
            read()
    assert path.read_text() == whole + last
    assert list(path.parent.iterdir()) == [path]


def test_a_foreign_line_that_another_process_adds_is_named_by_its_number(path):
    file = ResultsFile(path)
    file.append(record("a"))
    file.append(record("b"))
    with path.open("a") as other:
        other.write("\nhello\n")
    with pytest.raises(ValueError, match="line 4 is not a result"):
        file.append(record("c"))


WRITER = """
import sys
from lethenet.sweeps.results_file import ResultsFile
name, path, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(n):
    for key in (f"{name}-{number}", f"shared-{number}"):
        record = {"key": key, "config": {"by": name}, "results": {"note": "x" * 3000}, "cost": {}}
        ResultsFile(path).append(record) if number % 2 else FILE.append(record)
"""


def test_processes_that_append_at_once_do_not_corrupt_it(path):
    n, names = 60, ("anna", "otto")
    code = WRITER.replace("print(", "FILE = ResultsFile(path)\nprint(")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, name, str(path), str(n)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in names
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:  # now, both
        writer.stdin.write("go\n")
        writer.stdin.close()
    assert [writer.wait() for writer in writers] == [0, 0]
    for writer in writers:
        writer.stdout.close()
    keys = [json.loads(line)["key"] for line in path.read_text().splitlines()]
    expected = {f"{name}-{i}" for name in (*names, "shared") for i in range(n)}
    assert len(keys) == len(expected)
    assert set(keys) == expected


def test_a_full_disk_leaves_whole_lines(path):
    """A real limit on the size of files, in a process of its own."""
    code = (
        "import resource, signal, sys; from lethenet.sweeps.results_file import ResultsFile;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000));"
        "file = ResultsFile(sys.argv[1]);"
        "[file.append({'key': str(i), 'config': {}, 'results': {'x': 'x' * 3000}, 'cost': {}})"
        " for i in range(9)]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("OSError")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [r["key"] for r in read_results(path)] == ["0", "1", "2"]


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError, match=os.fspath("nowhere")):
        read_results("/nowhere/results.jsonl")
