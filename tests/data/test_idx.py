import gzip
import struct
import tracemalloc

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lethenet.data import read_idx, write_idx

TYPES = ("u1", "i1", "i2", "i4", "f4", "f8")


def header(code, *sizes, zeros=b"\0\0", ndim=None):
    ndim = len(sizes) if ndim is None else ndim
    return zeros + bytes([code, ndim]) + struct.pack(f">{len(sizes)}I", *sizes)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data(), compressed=st.booleans())
def test_round_trip(tmp_path, data, compressed):
    dtype = data.draw(st.sampled_from(TYPES))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))
    array = data.draw(hnp.arrays(dtype, shape))
    path = write_idx(tmp_path / "file", array)
    if compressed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    back = read_idx(path)
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype
    assert back.dtype.isnative
    assert back.flags.c_contiguous
    assert back.flags.writeable


def test_reads_the_bytes_that_the_format_prescribes(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes.fromhex("00000b02 00000002 00000001 0102 ff00"))
    np.testing.assert_array_equal(read_idx(path), np.array([[258], [-256]], np.int16))


def test_writes_any_memory_layout(tmp_path):
    array = np.arange(6, dtype=">i4").reshape(2, 3).T
    np.testing.assert_array_equal(read_idx(write_idx(tmp_path / "file", array)), array)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "starts with nothing"),
        (b"\0\0\x08", "not an IDX file"),
        (b"PK\x03\x04 a zip file", "starts with 50 4b 03 04"),
        (header(0x08, 1, zeros=b"\0\1") + b"x", "not an IDX file"),
        (header(0x0A, 1) + b"x", "not an IDX file"),
        (header(0x08, ndim=0) + b"x", "states 0 dimensions"),
        (header(0x08, *[1] * 9) + b"x", "states 9 dimensions"),
        (header(0x08, 3, ndim=3), "truncated within its header"),
        (header(0x08, 2, 3) + b"12345", "truncated"),
        (header(0x08, 2, 3) + b"1234567", "left over"),
        (header(0x08, 0) + b"1", "left over"),
        (header(0x0E, 1) + b"1234", "truncated"),
        # 2^32 - 1 in each dimension: the product must not wrap around to something small
        (header(0x08, *[2**32 - 1] * 3) + b"1", "more than the file can hold"),
        (header(0x0E, 2**31, 2**31, 4) + b"", "more than the file can hold"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_hostile_files(tmp_path, content, says, compressed):
    path = tmp_path / "hostile-idx3-ubyte"
    path.write_bytes(gzip.compress(content) if compressed else content)
    with pytest.raises(ValueError, match="hostile-idx3-ubyte") as caught:
        read_idx(path)
    if says == "truncated":
        assert "truncated" in str(caught.value)
    else:
        assert says in str(caught.value)


@pytest.mark.parametrize("compressed", [False, True])
def test_a_lying_header_costs_no_memory(tmp_path, compressed):
    content = header(0x08, 60_000, 1000, 1000) + bytes(100)
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(content) if compressed else content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than the file can hold"):
            read_idx(path)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_every_truncation_and_extension_is_noticed(tmp_path):
    path = write_idx(tmp_path / "file", np.arange(6, dtype=np.int16).reshape(2, 3))
    content = path.read_bytes()
    for broken in [content[:n] for n in range(len(content))] + [content + b"\0"]:
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="file"):
            read_idx(path)


def test_damaged_gzip(tmp_path):
    path = write_idx(tmp_path / "file", np.arange(200, dtype=np.uint8))
    good = gzip.compress(path.read_bytes())
    checksum_wrong = good[:-8] + bytes(4) + good[-4:]
    body_wrong = good[:12] + b"\xff\xff\xff\xff" + good[16:]
    for broken in (good[:-1], good[: len(good) // 2], checksum_wrong, body_wrong):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="damaged gzip"):
            read_idx(path)


def test_will_not_write_what_idx_cannot_hold(tmp_path):
    with pytest.raises(ValueError, match="complex128"):
        write_idx(tmp_path / "file", np.zeros(3, complex))
    with pytest.raises(ValueError, match="dimensions"):
        write_idx(tmp_path / "file", np.array(3, np.uint8))
    assert not (tmp_path / "file").exists()
