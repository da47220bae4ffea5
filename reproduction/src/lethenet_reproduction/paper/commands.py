"""The command that makes a number again: of a whole stage, or of a single cell."""

from __future__ import annotations

import shlex
from pathlib import Path

from lethenet.lifelong.setting_checks import option_name
from lethenet.sweeps import Experiment

from .scales import Scale

_ALWAYS = ("neurons", "threshold", "epochs", "seed")


def stage_command(scale: Scale, folder: Path, stage: str) -> str:
    """The command that runs a stage of the reproduction.

    >>> from lethenet_reproduction.paper import SCALES
    >>> stage_command(SCALES["paper"], Path("results/paper"), "table1")
    'lethenet reproduce --only table1'
    >>> stage_command(SCALES["smoke"], Path("try"), "oja")
    'lethenet reproduce --scale smoke --only oja --out try'
    """
    return _command(scale, folder, "--only", stage)


def report_command(scale: Scale, folder: Path) -> str:
    """The command that only writes the report again.

    >>> from lethenet_reproduction.paper import SCALES
    >>> report_command(SCALES["smoke"], Path("reproduction-smoke"))
    'lethenet reproduce --scale smoke --report-only'
    """
    return _command(scale, folder, "--report-only")


def _command(scale: Scale, folder: Path, *what: str) -> str:
    words = ["lethenet", "reproduce"]
    if scale.name != "paper":
        words += ["--scale", scale.name]
    words += what
    if folder != scale.folder:
        words += ["--out", str(folder)]
    return shlex.join(words)


def cell_command(cell: Experiment, out: str = "cell.jsonl", *, seeds: int = 1) -> str:
    """The command that computes a single cell, or that many seeds of it.

    >>> cell = Experiment.of(preset="paper", neurons=900, threshold=14.0, epochs=5)
    >>> cell_command(cell)
    'lethenet sweep --preset paper --neurons 900 --threshold 14.0 --epochs 5 --seed 0 --out cell.jsonl'
    >>> cell_command(cell, seeds=5)
    'lethenet sweep --preset paper --neurons 900 --threshold 14.0 --epochs 5 --seeds 5 --out cell.jsonl'
    """
    settings, usual = cell.settings, Experiment.of(preset="paper").settings
    chosen = [name for name in settings if name != "preset" and settings[name] != usual[name]]
    words = ["lethenet", "sweep", "--preset", "paper"]
    for name in dict.fromkeys((*_ALWAYS, *chosen)):
        if name == "seed" and seeds > 1:
            words += ["--seeds", str(seeds)]
        else:
            words += [f"--{option_name(name)}", str(settings[name])]
    return shlex.join([*words, "--out", out])
