"""A disk that fills up in the middle of a run: a clear error, and the last checkpoint stays.

Two ways to fill it: a small tmpfs (needs root), and a limit on the size of files (always there).
"""

import os
import subprocess
import sys

import pytest

from lethenet.interchange import read_arrays
from lethenet.lifelong import Config, resume, run

SETTINGS = {"dataset": "digits", "neurons": 60, "threshold": 15.0, "n_jobs": 1,
            "checkpoint_samples": 64}  # fmt: skip

# Kernels are compiled, and perhaps cached on disk, before files are limited
LIMITED = """
import resource, sys
import numpy as np
from lethenet.cli import main
from lethenet.model import PAPER, Network, initial_state
network = Network(PAPER, initial_state(4, 4, 0))
network.learn(np.eye(4)); network.recognise(np.eye(4))
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(main())
"""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return run(Config.of(**SETTINGS), tmp_path_factory.mktemp("unbroken") / "run").folder


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 480 kB that can be made larger."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=480k", "lethenet-test", str(disk)]
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root; the limit on file sizes is tested instead")
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a tmpfs here ({mounted.stderr.strip()}); see the other test")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def check_last_checkpoint(folder):
    arrays, metadata = read_arrays(folder / "checkpoint.safetensors")
    assert 0 < metadata["n_presentations"] < 1297
    assert arrays["state.weights"].shape == (60, 64)
    assert not list(folder.glob(".*.part"))


def test_a_full_disk(
    small_disk, unbroken, lethenet_command, settings_as_options, one_line_error, same_bits
):
    folder = small_disk / "run"
    command = [*lethenet_command, "run", *settings_as_options(SETTINGS), "--out", str(folder)]
    done = subprocess.run([*command, "--no-report"], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    message = one_line_error(done.stderr)
    assert "No space left on device" in message
    assert "What was there before is untouched" in message
    assert message.endswith(f"lethenet resume {folder}")
    check_last_checkpoint(folder)
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    resume(folder)
    same_bits(folder, unbroken)


def test_a_disk_without_room_for_anything(small_disk, lethenet_command, one_line_error):
    (small_disk / "other").write_bytes(b"x" * 480 * 1024)
    command = [*lethenet_command, "run", "--dataset", "digits", "--out", str(small_disk / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "No space left on device" in one_line_error(done.stderr)
    assert [path.name for path in small_disk.iterdir()] == ["other"]


def test_a_limit_on_file_sizes(tmp_path, unbroken, settings_as_options, one_line_error, same_bits):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", LIMITED, "130000", "run", *settings_as_options(SETTINGS)]
    done = subprocess.run(
        [*command, "--out", str(folder), "--no-report"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    message = one_line_error(done.stderr)
    assert "File too large" in message
    assert message.endswith(f"lethenet resume {folder}")
    check_last_checkpoint(folder)
    resume(folder)
    same_bits(folder, unbroken)
