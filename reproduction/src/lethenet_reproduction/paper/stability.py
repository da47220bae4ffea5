"""Where the two STDP rules take a weight vector (paper, fig. oja), kept with the other results."""

from __future__ import annotations

from pathlib import Path

from lethenet.model import PAPER
from lethenet.sweeps import read_results

from ..studies.remembering import remembered
from ..studies.stdp_stability import example_vectors, images, plane
from ..studies.tables import Record
from .scales import Scale

FILE = "oja.jsonl"


def run_stability(scale: Scale, folder: Path) -> Record:
    """Apply both rules, unless the folder holds what they do."""
    return remembered(
        folder / FILE,
        _config(scale),
        lambda: {
            "example": example_vectors(),
            "plane": plane(),
            "images": images(scale.stability_images),
        },
        parameters=PAPER,
        quiet=True,
    )


def _config(scale: Scale) -> Record:
    return {"study": "STDP stability", "images": scale.stability_images}


def stability_records(scale: Scale, folder: Path) -> list[Record]:
    """The last result of a scale in a folder, if there is one."""
    path = folder / FILE
    records = read_results(path) if path.exists() else []
    return [record for record in records if record["config"] == _config(scale)][-1:]


def read_stability(scale: Scale, folder: Path) -> Record | None:
    """What both rules do, None if it is not in the folder."""
    found = stability_records(scale, folder)
    return found[0]["results"] if found else None
