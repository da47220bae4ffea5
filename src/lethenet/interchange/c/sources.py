"""The C files of a network in integers, from templates."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._version import __version__
from ...model.integer import INTERVALS, IntegerNetwork
from ..files import replacing

if TYPE_CHECKING:
    from jinja2 import Environment

FILES = ("network.c", "network.h")


def c_sources(
    integers: IntegerNetwork, *, name: str = "network", learning: bool = True
) -> dict[str, str]:
    """The C of a network by file name: ``NAME.c`` and ``NAME.h``.

    ``learning=False`` leaves out all that learns; weights are then constants, two to a byte if they have
    four bits.

    >>> from lethenet.model import PAPER, initial_state, quantise
    >>> from lethenet.model.network import Network
    >>> network = Network(PAPER, initial_state(n_neurons=3, n_features=4, seed=0))
    >>> sorted(c_sources(quantise(network), name="net"))
    ['net.c', 'net.h']
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError(f"name={name!r} is no name for a C file: expected letters, digits and _.")
    c = integers.constants
    packed = not learning and c.bits == 4
    values = {
        "c": c,
        "integers": integers,
        "name": name,
        "learning": learning,
        "packed": packed,
        "version": __version__,
        "intervals": INTERVALS,
        "kept_unit": c.unit if c.kept_bits == c.bits else c.unit * 65535 // c.levels,
        "layout": layout(integers, learning=learning),
        "weights": pack(integers.weights) if packed else integers.weights,
    }
    return {file.replace("network", name): rendered(file, **values) for file in FILES}


def rendered(file: str, **values: Any) -> str:
    """A file from its template."""
    return _environment().get_template(f"{file}.j2").render(values)


def write_files(folder: str | os.PathLike[str], texts: dict[str, str]) -> list[Path]:
    """Write files into a folder, which is made if need be; their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with replacing(folder / name) as draft:
            draft.write_text(text, "utf-8")
    return [folder / name for name in texts]


def pack(weights: np.ndarray) -> np.ndarray:
    """Weights of four bits, two neurons to a byte, the first in the low half.

    >>> pack(np.array([[1, 2, 3]]))
    array([[33,  3]], dtype=uint8)
    """
    even = weights[:, 0::2].astype(np.uint8)
    odd = np.zeros_like(even)
    odd[:, : weights.shape[1] // 2] = weights[:, 1::2]
    return even | odd << 4


def layout(integers: IntegerNetwork, *, learning: bool) -> int:
    """A number that another network's image, or one of other constants, does not have."""
    constants = {k: v for k, v in asdict(integers.constants).items() if k != "seed"}
    return zlib.crc32(repr([__name__, 1, learning, sorted(constants.items())]).encode())


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # C, not HTML
    )
    environment.filters.update(numbers=_numbers, rows=_rows)
    return environment


def _numbers(values: Sequence[int] | np.ndarray) -> str:
    """Numbers with commas, some to a line."""
    whole = np.asarray(values).tolist()
    texts = [f"{value}u" if value > 0x7FFFFFFF else str(value) for value in whole]
    return ",\n".join(",".join(texts[k : k + 32]) for k in range(0, len(texts), 32))


def _rows(rows: np.ndarray) -> str:
    return ",\n".join(f"{{{_numbers(row)}}}" for row in rows)
