"""What was once found to break lethenet through the machine, by number: devices, pipes, signals, memory."""

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
from lethenet.model import initial_state

COMMAND = [sys.executable, "-c", "import sys; from lethenet.cli import main; sys.exit(main())"]


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
