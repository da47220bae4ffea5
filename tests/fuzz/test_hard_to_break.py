"""What was once found to break lethenet, by number; what other rooms have tests for is named in the docs.

1 a damaged kernel cache and 8 its rights: engine/test_disk_cache.py; 3 Ctrl-C while learning:
estimators/test_interrupts.py; 6 flipped bits: test_short.py, interchange/test_files.py; kills: kills.py,
lifelong/test_killed_processes.py.
"""

import gzip
import io
import json
import os
import resource
import stat
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import lethenet
from lethenet.cli import main
from lethenet.interchange import read_arrays, write_arrays
from lethenet.lifelong import Config, run
from lethenet.model import Parameters, initial_state
from lethenet.sweeps.cluster import warn_if_open

sys.path.insert(0, str(Path(__file__).parent))
from originals import make_runs

COMMAND = [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]


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


# 4 and 9: devices and pipes


def test_4_no_command_replaces_a_device(folder, tmp_path, fails):
    if os.geteuid():
        pytest.skip("only root could")
    device = tmp_path / "null.csv"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices may be made here")
    samples = tmp_path / "x.npz"
    np.savez(samples, X=np.ones((2, 64)))
    for words in (
        ("predict", folder / "run", samples),
        ("compare", folder / "run", folder / "run"),
        ("sweep", "--dataset", "digits", "--neurons", "3", "--threshold", "12"),
    ):
        assert "is not an ordinary file, but a device" in fails(*words, "--out", device)
        assert stat.S_ISCHR(device.stat().st_mode)


def test_9_no_command_waits_for_a_pipe(folder, tmp_path, fails):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    samples = tmp_path / "pipe"
    os.mkfifo(samples)
    for path in (pipe, Path("/dev/zero")):
        for words in (
            ("run", "--config", path),
            ("evaluate", path),
            ("sweep", "--file", path, "--out", tmp_path / "s"),
        ):
            assert "is not an ordinary file" in fails(*words)
    for path in (samples, Path("/dev/zero")):
        assert "is not an ordinary file" in fails("predict", folder / "run", path)


def test_9_threads_are_whole_numbers(tmp_path):
    X = np.eye(6)
    model = lethenet.ControlledForgettingNetwork(n_neurons=3, n_jobs=float("nan"), random_state=0)
    with pytest.raises(ValueError, match="n_jobs=nan"):
        model.fit(X).predict(X)
    model.set_params(n_jobs=None)
    assert len(model.predict(X)) == 6


def test_9_ctrl_c_works_at_once_while_learning(tmp_path):
    """A run that would take minutes ends within seconds, and says how to go on."""
    import signal

    words = [
        "run",
        "--dataset",
        "digits",
        "--neurons",
        "400",
        "--epochs",
        "1000",
        "--threshold",
        "15",
    ]
    process = subprocess.Popen(
        [*COMMAND, *words, "--no-report", "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (tmp_path / "run" / "run.json").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    said, _ = process.communicate(timeout=60)
    assert time.monotonic() - began < 15, said
    assert "lethenet resume" in said


# 5: memory


def _npz(path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (6 * 10**6, 1000)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("X.npy", "w", force_zip64=True) as member:
            member.write(header.getvalue())
            for _ in range(60):
                member.write(bytes(10**6))
        archive.writestr("y.npy", header.getvalue())


def _idx(path):
    path.mkdir()
    for part in ("train", "t10k"):
        for name, sizes in (("images-idx3", (4 * 10**6, 28, 28)), ("labels-idx1", (4 * 10**6,))):
            head = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)
            with gzip.open(path / f"{part}-{name}-ubyte.gz", "wb", 1) as file:
                file.write(head + bytes(50 * 10**6))


def _sparse_model(path):
    header = {
        "__metadata__": {"lethenet": json.dumps({"format": "lethenet-model", "format_version": 1})}
    }
    header["unused"] = {"dtype": "F32", "shape": [750 * 10**6], "data_offsets": [0, 3 * 10**9]}
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + 3 * 10**9)


def _large_run(path):
    path.mkdir()
    with (path / "run.json").open("wb") as file:
        file.truncate(900 * 10**6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_npz, ["run", "--dataset", "{}"]),
        (_idx, ["run", "--dataset", "{}"]),
        (_sparse_model, ["evaluate", "{}"]),
        (_large_run, ["report", "{}"]),
        (_large_run, ["resume", "{}"]),
    ],
    ids=["npz", "idx", "model", "report", "resume"],
)
def test_5_a_bomb_is_refused_before_it_is_unpacked(tmp_path, make, words):
    path = tmp_path / ("bomb.npz" if make is _npz else "bomb")
    make(path)
    # the peak of this process alone: ru_maxrss begins with that of the parent
    code = (
        "import sys; from lethenet.cli import main; code = main();"
        "peak = [l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')];"
        "print(*peak, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *(word.format(path) for word in words)],
        capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    said, most = done.stderr.splitlines()
    assert done.returncode == 2
    assert said.startswith("Error: ")
    assert str(path) in said
    assert int(most) / 1024 < 600


def test_5_a_network_that_fits_into_no_memory_says_so_first():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(
        ValueError, match="10,000,000 neurons with 100,000 inputs would take about 8,000 GB"
    ):
        initial_state(n_neurons=10**7, n_features=10**5, seed=0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


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
