"""The page of ``lethenet label``: pictures of the neurons to be named, and of those that have been."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .pictures import data_uri
from .rendering import render, write_page

if TYPE_CHECKING:
    from ..lifelong.labelling import Labelling, Question


def write_labels_page(
    labelling: Labelling, questions: Sequence[Question], bought: Sequence[tuple[int, float]] = ()
) -> Path:
    """Write ``labels.html`` into the run directory: what is asked, and what was answered.

    ``bought`` has the test accuracy after so many labels.
    """
    named = {n: label for n, label in labelling.answers.items() if label}
    known = labelling.pictures(np.array(list(named), np.int64)) if named else []
    html = render(
        "labels.html",
        run=labelling.folder.name,
        questions=[(q.neuron, grey_png(q.picture)) for q in questions],
        answers=[(*one, grey_png(p)) for one, p in zip(named.items(), known, strict=True)],
        bought=bought,
    )
    return write_page(labelling.folder / "labels.html", html)


def grey_png(picture: np.ndarray | None) -> str | None:
    """A picture (rows, columns; 0 to 1) as a PNG in a ``data:`` address; bright on dark.

    >>> grey_png(np.eye(2))[:22]
    'data:image/png;base64,'
    """
    if picture is None:
        return None
    pixels = np.clip(np.round(255 * picture), 0, 255).astype(np.uint8)
    height, width = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9))
    return data_uri("png", png + chunk(b"IEND", b""))
