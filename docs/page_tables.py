"""Tables for the pages, made from the package when the site is built."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module

from lethenet.lifelong.measures import DEFINITIONS
from lethenet.model import ABLATIONS, ANNEALED, PAPER, annealed_threshold

SIZES = (400, 900, 1600, 2500, 3600, 4900, 6400)  # the paper's


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def front_door(rooms: Sequence[str]) -> str:
    """What ``import lethenet`` offers, with links to where it is documented."""
    rows = []
    package = import_module("lethenet")
    for name in package.__all__:
        found = getattr(package, name)
        for room in rooms:
            if getattr(import_module(room), name, None) == found:
                summary = (inspect.getdoc(found) or "").splitlines()[0]
                summary = re.sub(r":\w+:(`[^`]+`)", r"\1", summary)  # a role of reStructuredText
                rows.append([f"{{py:obj}}`lethenet.{name} <{room}.{name}>`", summary])
    return markdown(["name", "what it is"], rows)


def threshold_table() -> str:
    """The annealed preset's threshold at the paper's sizes."""
    return markdown(
        ["neurons", *map(str, SIZES)],
        [["threshold", *(f"{annealed_threshold(n):g}" for n in SIZES)]],
    )


def preset_table() -> str:
    """Where the annealed preset differs from the paper's."""
    paper, ours = asdict(PAPER), asdict(ANNEALED)
    rows = [
        [f"`{name}`", f"`{paper[name]}`", "by size, above" if name == "threshold" else f"`{value}`"]
        for name, value in ours.items()
        if value != paper[name]
    ]
    return markdown(["parameter", "`paper`", "`annealed`"], rows)


def measures_table() -> str:
    """The numbers of a run's summary, and what they mean."""
    return markdown(
        ["name", "meaning"], [[f"`{name}`", text] for name, text in DEFINITIONS.items()]
    )


def ablation_table() -> str:
    """Each ablation, and what it changes in the paper's preset."""
    paper = asdict(PAPER)
    rows = []
    for preset, parameters in ABLATIONS.items():
        changed = {k: v for k, v in asdict(parameters).items() if v != paper[k]}
        rows.append([f"`{preset}`", ", ".join(f"`{k}={v!r}`" for k, v in changed.items())])
    return markdown(["preset", "differs from `paper` in"], rows)
