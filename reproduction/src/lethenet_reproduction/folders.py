"""Where results go if nobody says otherwise: ``results/`` of a checkout of this project, nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

RESULTS = Path("results")
CHECKOUT_HAS = Path("reproduction/pyproject.toml")


def folder_for(out: str | os.PathLike[str] | None, default: Path) -> Path:
    """The folder that was asked for, or the default one; that below ``results/`` only in a checkout.

    >>> folder_for("try", RESULTS / "paper")
    PosixPath('try')
    >>> folder_for(None, Path("reproduction-smoke"))
    PosixPath('reproduction-smoke')
    """
    if out is not None:
        return Path(out)
    if RESULTS in default.parents and not CHECKOUT_HAS.is_file():
        raise ValueError(
            f"{default} is the folder of these results in a checkout of lethenet, and the working "
            "directory is none: name a folder with --out."
        )
    return default
