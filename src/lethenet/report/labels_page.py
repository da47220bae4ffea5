"""The page of ``lethenet label``: pictures of the neurons to be named, and of those that have been."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .rendering import render

if TYPE_CHECKING:
    from ..lifelong.labelling import Labelling, Question

PAGE = "labels.html"


def write_labels_page(
    labelling: Labelling, questions: Sequence[Question], bought: Sequence[tuple[int, float]] = ()
) -> Path:
    """Write ``labels.html`` into the run directory: what is asked, and what was answered.

    ``bought`` has the test accuracy after so many labels.
    """
    from ..interchange import replacing

    named = {n: label for n, label in labelling.answers.items() if label}
    known = labelling.pictures(np.array(list(named), np.int64)) if named else []
    html = render(
        "labels.html",
        run=labelling.folder.name,
        questions=[(q.neuron, grey_png(q.picture)) for q in questions],
        answers=[
            (n, label, grey_png(picture))
            for (n, label), picture in zip(named.items(), known, strict=True)
        ],
        bought=bought,
    )
    target = labelling.folder / PAGE
    with replacing(target) as draft:
        draft.write_text(html, "utf-8")
    return target


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
    return "data:image/png;base64," + base64.b64encode(png + chunk(b"IEND", b"")).decode("ascii")
