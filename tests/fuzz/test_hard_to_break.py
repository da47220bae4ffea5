"""What was once found to break lethenet, by number; what other rooms have tests for is named in the docs.

1 a damaged kernel cache and 8 its rights: engine/test_disk_cache.py; 3 Ctrl-C while learning:
estimators/test_interrupts.py; 4, 5 and 9, devices, memory and pipes: test_machine.py; 6 flipped bits:
test_short.py, interchange/test_files.py; kills: kills.py, lifelong/test_killed_processes.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lethenet.cli import main
from lethenet.interchange import read_arrays, write_arrays
from lethenet.lifelong import Config, run
from lethenet.model import Parameters
from lethenet.sweeps.cluster import warn_if_open


def copied(folder, tmp_path, name):
    import shutil

    return Path(shutil.copytree(folder / name, tmp_path / name))


def rewritten(path, change):
    """A file of ours with other content, and a checksum that fits."""
    arrays, metadata = read_arrays(path)
    arrays = {name: np.array(array) for name, array in arrays.items()}
    change(arrays, metadata)
    write_arrays(path, arrays, metadata)


def one(name, value):
    return lambda arrays, _: arrays[name].reshape(-1).__setitem__(0, value)


# 2: checkpoints and models pass one reader


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (one("state.weights", -1e9), "state.weights"),
        (one("state.weights", 3e38), "weights"),
        (one("state.trace", 1e308), "trace"),
        (one("state.imprint_counts", 2**63 - 1), "imprint_counts"),
        (one("record.label_counts", -1), "label_counts"),
        (lambda _, m: m["evaluations"][0].pop("input_spikes"), "input_spikes is missing"),
        (lambda _, m: m["since"].update(samples=10**6), "n_presentations is"),
        (lambda a, _: a.update(payload=np.zeros(3)), "holds 'payload'"),
    ],
)
def test_2_a_checkpoint_is_judged_before_a_kernel_sees_it(folder, tmp_path, fails, change, said):
    half = copied(folder, tmp_path, "half")
    rewritten(half / "checkpoint.safetensors", change)
    message = fails("resume", half)
    assert said in message
    assert "checkpoint.safetensors" in message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _, m: m["parameters"].pop("normalise_weights"), "'normalise_weights' is missing"),
        (lambda _, m: m["parameters"].update(static_offset=1e300), "static_offset=1e+300"),
        (lambda _, m: m["parameters"].update(rate_gain=1 + 2e-16), "rate_gain=1.0000000000000002"),
        (lambda _, m: m["estimator"].update(n_jobs=0.5), "n_jobs is 0.5"),
        (one("state.trace", 1e308), "trace"),
        (one("state.imprint_counts", 2**63 - 1), "imprint_counts"),
    ],
)
def test_2_and_9_a_model_is_judged_before_a_kernel_sees_it(folder, tmp_path, fails, change, said):
    path = copied(folder, tmp_path, "run") / "model.safetensors"
    rewritten(path, change)
    message = fails("evaluate", path)
    assert said in message
    assert str(path) in message


# 7: Dask


def test_7_an_open_scheduler_is_warned_of():
    for address in ("tcp://10.0.0.5:8786", "tcp://0.0.0.0:8786", "tcp://example.org:8786"):
        with pytest.warns(UserWarning, match="neither listens on this machine alone nor uses TLS"):
            warn_if_open(address)


def test_7_examples_stay_on_this_machine():
    root = Path(__file__).parents[2]
    for page in [root / "README.md", *(root / "docs").glob("*.md")]:
        for line in page.read_text("utf-8").splitlines():
            assert "tcp://" not in line or "tcp://127.0.0.1" in line, (page.name, line)
            assert "dask scheduler" not in line or "127.0.0.1" in line or "tls" in line, line


# 10: tracebacks


def test_10_damaged_or_encrypted_archives_in_predict(folder, tmp_path, fails):
    path = tmp_path / "x.npz"
    np.savez(path, X=np.ones((2, 64)))
    sound = path.read_bytes()
    encrypted = bytearray(sound)
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(signature) + flags] |= 1
    torn = bytearray(sound)
    torn[200:260] = bytes(60)
    for content in (bytes(encrypted), bytes(torn), sound[:-30]):
        path.write_bytes(content)
        assert str(path) in fails("predict", folder / "run", path)


@pytest.mark.parametrize("command", ["resume", "report", "compare"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: '{"a":' * 10**5, "is damaged"),
        (lambda r: json.dumps(r | {"config": None}), "config is None, expected an object"),
        (lambda r: json.dumps({k: v for k, v in r.items() if k != "tasks"}), "tasks is missing"),
        (lambda r: json.dumps(r).replace('"neurons": 6', f'"neurons": {"9" * 400}'), "too large"),
        (lambda r: json.dumps(r | {"seconds": "x"}), "seconds is 'x', expected an object"),
    ],
    ids=["deep", "none", "missing", "400 digits", "type"],
)
def test_10_a_foreign_run_json_is_one_line(folder, tmp_path, fails, command, change, said):
    path = copied(folder, tmp_path, "run") / "run.json"
    path.write_text(change(json.loads(path.read_text("utf-8"))), "utf-8")
    where = [path.parent, folder / "run"] if command == "compare" else [path.parent]
    message = fails(command, *where)
    assert said in message
    assert str(path) in message


@pytest.mark.parametrize("name", ["[red]x[/red]", "\x1b[2J", "[/]"])
def test_10_names_are_neither_markup_nor_commands_to_the_terminal(tmp_path, fails, name):
    message = fails("run", "--dataset", name, "--out", tmp_path / "run")
    assert "\x1b" not in message
    assert name.strip("\x1b") in message


def test_10_parameters_that_could_not_be_used_are_none():
    with pytest.raises(ValueError, match=r"tau_dopamine=5\.0 is out of range: expected at least"):
        Parameters(tau_dopamine=5)


# 11: what is left, what cannot be read, what is empty


def test_11_resume_clears_away_what_a_killed_process_left(folder, tmp_path):
    half = copied(folder, tmp_path, "half")
    (half / ".run.json.abc.part").write_text("torn")
    assert main(["resume", str(half), "--no-report"]) == 0
    assert [path.name for path in half.rglob("*.part")] == []


def test_11_a_file_that_may_not_be_read_is_not_missing(folder, tmp_path):
    run_folder = copied(folder, tmp_path, "run")
    code = (
        "import os, sys, lethenet.lifelong, lethenet.interchange; os.geteuid() == 0 and os.setuid(65534);"
        "lethenet.lifelong.Result.load(sys.argv[1])"
    )
    for parent in tmp_path.parents:
        if str(parent).startswith("/tmp/pytest"):
            parent.chmod(0o755)
    for path in (tmp_path, run_folder):
        path.chmod(0o755)
    (run_folder / "run.json").chmod(0)
    done = subprocess.run(
        [sys.executable, "-c", code, str(run_folder)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    (run_folder / "run.json").chmod(0o644)
    assert "PermissionError" in done.stderr.splitlines()[-1]
    assert str(run_folder / "run.json") in done.stderr.splitlines()[-1]


def test_11_data_that_are_all_zero_warn(tmp_path):
    np.savez(tmp_path / "zero.npz", X=np.zeros((20, 5)), y=np.arange(20) % 2)
    config = Config.of(dataset=str(tmp_path / "zero.npz"), neurons=3, threshold=12.0)
    with pytest.warns(UserWarning, match="all zero"):
        run(config, tmp_path / "run")
