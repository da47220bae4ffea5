"""Run the scripts in ``examples/`` and keep what they draw and print, for the gallery and for the tests.

Each script runs in a process of its own and ends with ``plt.show()``, which here writes ``NAME.png``;
what it prints goes into ``NAME.txt``. A script that fails, or draws nothing, is an error.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def run_example(script: Path, folder: Path) -> str:
    """Run one script; its figure and its output are in ``folder`` afterwards. What it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    picture = folder / f"{script.stem}.png"
    picture.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, __file__, str(script), str(picture)],
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not picture.is_file():
        reason = done.stderr or "it never called plt.show()"
        raise RuntimeError(f"examples/{script.name} failed:\n{reason}")
    (folder / f"{script.stem}.txt").write_text(done.stdout, encoding="utf-8")
    return done.stdout


def run_all(folder: Path) -> None:
    """Run every script."""
    for script in sorted(EXAMPLES.glob("*.py")):
        run_example(script, folder)


def _save_instead_of_showing(script: str, picture: str) -> None:
    import matplotlib.pyplot as plt

    plt.show = lambda: plt.savefig(picture, dpi=120)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    _save_instead_of_showing(*sys.argv[1:])
