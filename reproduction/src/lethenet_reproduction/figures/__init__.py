"""Figures of the studies, from the results in their folders alone."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

DRAWN_BY = {
    "ablations": "rules",
    "annealed": "rules",
    "bits": "bits",
    "changing_world": "rules",
    "comparison": "comparison",
    "coupling": "coupling",
    "first_layer": "first_layer",
    "labels": "labels",
    "novelty": "novelty",
    "online_readout": "readouts",
    "readouts": "readouts",
    "stdp_stability": "stability",
    "theory": "theory",
    "threshold": "theory",
}
"""The module of each study's figure, which a function ``draw_<study>(folder)`` draws."""


def draw(study: str, folder: Path) -> list[Path]:
    """Draw a study's figure into the folder of its results, as PNG and SVG; the files."""
    from lethenet.report.pictures import Drawing

    if not any(folder.glob("*.json*")):
        name = study.replace("_", "-")
        raise ValueError(f"{folder} holds no results to draw: run `lethenet study {name}` first.")
    make = getattr(import_module(f".{DRAWN_BY[study]}", __name__), f"draw_{study}")
    return Drawing(make(folder)).write(folder, study)
