"""Damage for files: to their bytes, to their structure, and to their content, sealed with a fresh checksum.

Each takes a file's bytes and a source of chance, and gives other bytes and the name of what was done.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Mutation = Callable[[bytes, random.Random], bytes]

NASTY = (
    0, 1, -1, 2, 10**6, 2**31, 2**53, 2**63 - 1, -(2**63), 10**400, 1e-300, 1e300, 1e38, -1e9, 0.5, 1.0001,
    float("nan"), float("inf"), True, False, None, "", "x", "[red]", "\x1b[2J", "../../x", "nan", "9" * 400,
    "\ud800", [], [1], [[]], [None], {}, {"a": 1},
)  # fmt: skip
"""What a field may hold that should not."""
NUMBERS = (
    0.0, -1.0, 1.0, 2.0, 1e-30, 1e9, -1e9, 1e30, 3e38, 1e300, 2.0**53, 2.0**62, 2.0**63,
    float("nan"), float("inf"), 1e-45,
)  # fmt: skip
TYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool")
DEEP = 50_000


def bit_flip(content: bytes, chance: random.Random) -> bytes:
    """One to three bits."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def byte_run(content: bytes, chance: random.Random) -> bytes:
    """Some bytes overwritten, by anything, zeros or ones."""
    at, size = _place(content, chance)
    filler = chance.choice((b"\0", b"\xff", None))
    new = chance.randbytes(size) if filler is None else filler * size
    return content[:at] + new + content[at + size :]


def piece_moved(content: bytes, chance: random.Random) -> bytes:
    """Some bytes cut out, doubled, or put elsewhere."""
    at, size = _place(content, chance)
    piece, rest = content[at : at + size], content[:at] + content[at + size :]
    kind = chance.randrange(3)
    if kind == 0:
        return rest
    other = at if kind == 1 else chance.randrange(len(rest) + 1)
    base = content if kind == 1 else rest
    return base[:other] + piece + base[other:]


def truncation(content: bytes, chance: random.Random) -> bytes:
    """The end cut off, or something behind it."""
    if chance.random() < 0.2:
        return content + chance.randbytes(chance.choice((1, 8, 100)))
    return content[: chance.randrange(len(content) + 1)]


def length_prefix(content: bytes, chance: random.Random) -> bytes:
    """The first eight bytes, where safetensors keeps the length of its header and IDX its sizes."""
    (stated,) = struct.unpack("<Q", content[:8].ljust(8, b"\0"))
    near = (stated + chance.randrange(-9, 9)) % 2**64
    new = chance.choice((near, 0, 1, len(content), 2**31, 2**40, 2**63, 2**64 - 1))
    return struct.pack("<Q", new) + content[8:]


def document_changed(document: Any, chance: random.Random) -> Any:
    """A JSON document with one to three of its values changed, taken out, doubled or nested."""
    document = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 2, 3))):
        place: Any = document
        while isinstance(place, dict | list) and place:
            key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if isinstance(place[key], dict | list) and place[key] and chance.random() < 0.85:
                place = place[key]
                continue
            place[key] = _other_value(place[key], chance)
            kind = chance.randrange(6)
            if kind == 0:
                del place[key]
            elif kind == 1 and isinstance(place, dict):
                place[f"{key}_"] = place.pop(key)
            elif kind == 2 and isinstance(place, list):
                place.append(copy.deepcopy(place[key]))
            break
    return document


def _other_value(value: Any, chance: random.Random) -> Any:
    """Mostly a near one, so that it may be accepted and used."""
    number = type(value) in (int, float) and abs(value) < 1e300
    if number and chance.random() < 0.5:
        return chance.choice((value + 1, value - 1, -value, value * 1.001, value * 1e6, value / 2))
    if isinstance(value, bool) and chance.random() < 0.5:
        return not value
    if isinstance(value, list | str) and value and chance.random() < 0.3:
        return value[:-1] if chance.random() < 0.5 else value + value[:1]
    return copy.deepcopy(chance.choice(NASTY))


def json_text(document: Any, chance: random.Random) -> str:
    """A changed document as text; now and then nested too deep, or with a key twice."""
    text = json.dumps(document_changed(document, chance))
    luck = chance.random()
    if luck < 0.02:
        return text[:-1] + ', "deep": ' + "[" * DEEP + "]" * DEEP + "}"
    if luck < 0.04:
        return text[:-1] + ", " + json.dumps(chance.choice([*document])) + ": null}"
    return text


def json_edit(content: bytes, chance: random.Random) -> bytes:
    """Values of a JSON file."""
    return json_text(json.loads(content), chance).encode("utf-8", "surrogatepass")


def arrays_changed(arrays: dict[str, np.ndarray], chance: random.Random) -> dict[str, np.ndarray]:
    """One array with other values, another shape or type, under another name, or none at all."""
    arrays = dict(arrays)
    if not arrays:
        return {"x": np.zeros(3)}
    name = chance.choice(sorted(arrays))
    array = np.array(arrays[name])
    kind = chance.randrange(10)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[f"{name}x"] = arrays.pop(name)
    elif kind == 2:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(chance.choice(TYPES))
    elif kind == 3:
        arrays[name] = array.reshape(-1)[: chance.randrange(array.size + 1)]
    elif kind == 4:
        arrays[name] = np.repeat(array[None], chance.randrange(4), axis=0)
    elif kind == 5 and array.ndim > 1:
        arrays[name] = array.swapaxes(-1, -2)
    elif array.size:
        flat = array.reshape(-1)
        if kind == 6:
            flat[:] = chance.choice([*flat])
        elif kind == 7:
            flat[:] = flat[chance.sample(range(array.size), array.size)]
        value = _fitting(chance.choice(NUMBERS), array.dtype)
        flat[:] = value if kind == 8 else flat
        flat[chance.randrange(array.size)] = value
        arrays[name] = array
    return arrays


def _fitting(value: float, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return dtype.type(value)
    if dtype.kind == "b":
        return bool(value > 0)
    limits = np.iinfo(dtype)
    return limits.max if not value < 2.0**62 else max(min(int(value), limits.max), limits.min)


def sealed(content: bytes, chance: random.Random) -> bytes:
    """Arrays or metadata of a file of ours, with a checksum that fits: what reads it has to judge."""
    from safetensors.numpy import load, save

    from lethenet.interchange.files import _KEY, _SEAL, _checksum

    header, _ = _header(content)
    arrays = load(content)
    text = header["__metadata__"][_KEY].removeprefix(_SEAL).partition(" ")[2]
    if chance.random() < 0.5:
        arrays = arrays_changed(arrays, chance)
    else:
        text = json_text(json.loads(text), chance)
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(arrays, metadata={_KEY: f"{_SEAL}{_checksum(text, arrays)} {text}"})


def tensor_header(content: bytes, chance: random.Random) -> bytes:
    """The header of a safetensors file (types, shapes, places, names), with a length that fits."""
    header, data = _header(content)
    text = json_text(header, chance).encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(text)) + text + data


def _header(content: bytes) -> tuple[dict[str, Any], bytes]:
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def zip_edit(content: bytes, chance: random.Random) -> bytes:
    """Members of an npz: their arrays, npy headers, names and packing; or the archive's own fields."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name, kind = chance.choice(sorted(members)), chance.randrange(6)
    if kind == 0:  # any two bytes near a signature: flags (encryption), method, sizes, places
        data = bytearray(content)
        at = content.find(chance.choice((b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")))
        at += chance.randrange(4, 46)
        data[at : at + 2] = chance.choice((b"\x01\x00", b"\xff\xff", b"\x00\x00", b"\x63\x00"))
        return bytes(data)
    if kind == 1:
        members[chance.choice(("X.npy", "y", "../x.npy", "X_test.npy", "/"))] = members.pop(name)
    elif kind == 2:
        members[name] = bit_flip(members[name][:128], chance) + members[name][128:]
    else:
        arrays = {n: np.load(io.BytesIO(part)) for n, part in members.items()}
        members = {n: _npy(array) for n, array in arrays_changed(arrays, chance).items()}
    out = io.BytesIO()
    packing = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(out, "w", packing) as archive:
        for n, part in members.items():
            archive.writestr(n, part)
    return out.getvalue()


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array)
    return out.getvalue()


def npy_header(content: bytes, chance: random.Random) -> bytes:
    """The text that says type and shape."""
    return byte_run(content[:128], chance)[:128] + content[128:]


def idx_edit(content: bytes, chance: random.Random) -> bytes:
    """The magic number and the sizes of an IDX file, inside its gzip if it has one."""
    packed = content[:2] == b"\x1f\x8b"
    data = bytearray(gzip.decompress(content) if packed else content)
    at = chance.randrange(4 + 4 * max(data[3], 1))
    data[at] = chance.choice((0, 1, 2, 8, 9, 13, 14, 127, 255, data[at] ^ 1))
    return gzip.compress(bytes(data), mtime=0) if packed else bytes(data)


def csv_edit(content: bytes, chance: random.Random) -> bytes:
    """A cell or a row of a table."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    row = chance.randrange(len(rows))
    kind = chance.randrange(4)
    if kind == 0:
        rows[row] = rows[row][: chance.randrange(len(rows[row]) + 1)]
    elif kind == 1:
        rows.insert(row, list(rows[chance.randrange(len(rows))]))
    else:
        new = (
            "",
            "nan",
            "inf",
            "-1",
            "1e400",
            "9" * 400,
            '"',
            "é",
            "\0",
            "0x10",
            "1_0",
            " 1 ",
            "x",
        )
        rows[row][chance.randrange(len(rows[row]))] = chance.choice(new)
    return ("\n".join(map(",".join, rows)) + "\n").encode()


BYTES: tuple[Mutation, ...] = (bit_flip, byte_run, piece_moved, truncation)
OF_KIND: dict[str, tuple[Mutation, ...]] = {
    ".safetensors": (sealed, sealed, sealed, sealed, sealed, tensor_header, length_prefix),
    ".json": (json_edit, json_edit, json_edit, json_edit),
    ".npz": (zip_edit, zip_edit, zip_edit, zip_edit),
    ".npy": (npy_header, npy_header, npy_header),
    ".csv": (csv_edit, csv_edit, csv_edit, csv_edit),
    "": (idx_edit, idx_edit, length_prefix),
    ".gz": (idx_edit, idx_edit, length_prefix),
}
"""What is done to files by their ending: their own three times as often as what can befall any bytes."""


def damaged(content: bytes, suffix: str, chance: random.Random) -> tuple[bytes, str]:
    """Other bytes than these, and what was done to them."""
    own, any_bytes = OF_KIND[suffix], BYTES
    while True:
        mutate = chance.choice(own if chance.random() < 0.7 else any_bytes)
        changed = mutate(content, chance)
        if changed != content:
            return changed, mutate.__name__


def _place(content: bytes, chance: random.Random) -> tuple[int, int]:
    return chance.randrange(max(len(content), 1)), chance.choice((1, 2, 4, 8, 64, 1000))
