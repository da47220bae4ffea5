"""Files of arrays: every flipped bit is found, nothing but ordinary files is read or replaced."""

import os
import stat

import numpy as np
import pytest

from lethenet._limits import check_bytes, check_file
from lethenet.interchange import read_arrays, replacing, write_arrays
from lethenet.interchange.files import read_json, refuse_unknown


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.safetensors"
    arrays = {"x": np.arange(6, dtype=np.float32), "n": np.array([3, 1], np.int64)}
    write_arrays(path, arrays, {"seed": "7", "evaluations": [{"a": 1.5}]})
    return path


def test_every_flipped_bit_is_found(file):
    content = file.read_bytes()
    for place in range(8 * len(content)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        file.write_bytes(changed)
        with pytest.raises(ValueError, match=r"a\.safetensors"):
            read_arrays(file)


def test_a_file_from_before_checksums_is_read(file):
    from safetensors.numpy import save_file

    save_file({"x": np.ones(2)}, file, metadata={"lethenet": '{"a": 1}'})
    assert read_arrays(file)[1] == {"a": 1}


def test_an_array_that_nobody_knows_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.safetensors"
    write_arrays(path, {"x": np.zeros(1), "y": np.zeros(1)}, {})
    with pytest.raises(ValueError, match="holds 'y', which no such file has"):
        read_arrays(path, lambda _, names: refuse_unknown(path, names, {"x"}.__contains__))


def test_pipes_devices_and_folders_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match="not an ordinary file"):
            check_file(path)
        with pytest.raises(ValueError, match="not an ordinary file"):
            read_arrays(path)


def test_a_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="Choose another place"), replacing(tmp_path / "pipe"):
        pass
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_the_limit_can_be_raised(monkeypatch):
    monkeypatch.setenv("LETHENET_MAX_BYTES", "1000")
    with pytest.raises(ValueError, match="LETHENET_MAX_BYTES"):
        check_bytes(1001, "this")
    monkeypatch.setenv("LETHENET_MAX_BYTES", "2000")
    check_bytes(1001, "this")
    monkeypatch.setenv("LETHENET_MAX_BYTES", "many")
    with pytest.raises(ValueError, match="number of bytes"):
        check_bytes(1, "this")


@pytest.mark.parametrize(
    "text", ["[" * 10**5, "{", "NaN", '{"a": 1e999}', '{"a": %s}' % ("9" * 400), "[]"]
)
def test_damaged_json_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"run\.json is damaged"):
        read_json(text, "run.json")
