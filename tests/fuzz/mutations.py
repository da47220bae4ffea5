"""Damage for files: to their bytes, and to their content, which is then sealed with a fresh checksum."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import numpy as np

NASTY = (
    0, 1, -1, 2, 10**6, 2**31, 2**53, 2**63 - 1, -(2**63), 1e-300, 1e300, 1e38, -1e9, 0.5, 1.0001,
    True, None, "", "x", "[red]", "\x1b[2J", "../../x", "nan", "9" * 400, [], [1], {}, {"a": 1},
)  # fmt: skip
"""What a field may hold that should not."""
NUMBERS = (0.0, -1.0, 1.0, 2.0, 1e-30, 1e9, -1e9, 1e30, 3e38, 1e300, 2.0**53, 2.0**62, 2.0**63)


def bytes_changed(content: bytes, random: random.Random) -> bytes:
    """A bit flipped, bytes overwritten, a piece cut out, doubled or moved, the end cut off."""
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        if not data:
            break
        at = random.randrange(len(data))
        size = random.choice((1, 2, 4, 8, 64, 1000))
        kind = random.randrange(6)
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at : at + size] = random.randbytes(size)
        elif kind == 2:
            del data[at : at + size]
        elif kind == 3:
            data[at:at] = data[at : at + size]
        elif kind == 4:
            data[at : at + size] = random.choice((b"\0", b"\xff")) * size
        else:
            del data[at:]
    return bytes(data)


def document_changed(document: Any, random: random.Random) -> Any:
    """A JSON document with one to three of its values changed, taken out, doubled or nested."""
    document = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 2, 3))):
        place: Any = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = random.choice(keys)
            if isinstance(place[key], dict | list) and random.random() < 0.85:
                place = place[key]
                continue
            kind = random.randrange(5)
            if kind == 0 and isinstance(place, dict):
                del place[key]
            elif kind == 1 and isinstance(place, dict):
                place[f"{key}_"] = place.pop(key)
            elif kind == 2 and isinstance(place, list):
                place.append(copy.deepcopy(place[key]))
            elif kind == 3 and isinstance(place[key], int | float):
                place[key] = random.choice((place[key] + 1, -place[key], place[key] * 1e6, 0))
            else:
                place[key] = copy.deepcopy(random.choice(NASTY))
            break
    return document


def arrays_changed(arrays: dict[str, np.ndarray], random: random.Random) -> dict[str, np.ndarray]:
    """One array with other values, another shape or type, under another name, or none at all."""
    arrays = dict(arrays)
    if not arrays:
        return {"x": np.zeros(3)}
    name = random.choice(sorted(arrays))
    array = np.array(arrays[name])
    kind = random.randrange(7)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[f"{name}x"] = arrays.pop(name)
    elif kind == 2:
        arrays[name] = array.astype(random.choice((np.float32, np.float64, np.int32, np.uint8)))
    elif kind == 3:
        arrays[name] = array.reshape(-1)[: random.randrange(array.size + 1)]
    elif kind == 4:
        arrays[name] = np.repeat(array[None], random.randrange(4), axis=0)
    elif array.size:
        value = random.choice(NUMBERS)
        if array.dtype.kind != "f":
            info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.iinfo(np.uint8)
            value = min(max(int(value), info.min), info.max)
        flat = array.reshape(-1)
        flat[:] = value if kind == 5 else flat
        flat[random.randrange(array.size)] = value
        arrays[name] = array
    return arrays


def sealed_file_changed(path: Path, random: random.Random) -> None:
    """Change a file of arrays and metadata, and write it again with a checksum that fits."""
    from lethenet.interchange import read_arrays, write_arrays

    arrays, metadata = read_arrays(path)
    if random.random() < 0.5:
        arrays = arrays_changed(arrays, random)
    else:
        metadata = document_changed(metadata, random)
    write_arrays(path, arrays, metadata)
