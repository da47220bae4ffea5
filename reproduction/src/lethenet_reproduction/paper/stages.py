"""The stages of the reproduction, one after the other; each computes what its results file lacks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from lethenet.sweeps import Experiment, Listener, plan, run_sweep

from ..folders import folder_for
from . import final, fit, precision, table1
from .cells import final_cells, precision_cells, table_cells, table_round
from .result_index import carry_over
from .scales import SCALES, Point, Scale

Display = Callable[[str], AbstractContextManager[Listener | None]]
"""Opens a display for a stage; what it gives hears of the events of the stage's sweep."""


@dataclass(frozen=True)
class Resources:
    """With what a stage computes, and who hears of it."""

    jobs: int = -1
    cluster: str | None = None
    progress: Listener | None = None


Stage = Callable[[Scale, Path, Resources], int]
"""Computes what is missing in a folder; returns how many cells failed."""


def _fit(scale: Scale, folder: Path, resources: Resources) -> int:
    failed = 0
    while not failed:
        cells = fit.next_cells(scale, fit.read_fit(scale, folder, only_todays=True))
        if not cells:
            break
        failed = _sweep(cells, folder / fit.FILE, resources)
    return failed


def _table1(scale: Scale, folder: Path, resources: Resources) -> int:
    path, cells = folder / table1.FILE, table_cells(scale)
    carry_over(cells, folder / fit.FILE, path)
    # sorting keeps the longest first within each round
    in_turn = sorted((job.experiment for job in plan(cells, path).missing), key=table_round)
    return _sweep([*in_turn, *cells], path, resources, longest_first=False)


def _final(scale: Scale, folder: Path, resources: Resources) -> int:
    best = _best_cells(scale, folder)
    lacking = [str(neurons) for neurons in scale.sizes if neurons not in best]
    if lacking:
        warnings.warn(
            f"Table 1 lacks cells of {', '.join(lacking)} neurons, so that their best one cannot be "
            "chosen: they are left out. Run the stage table1 first.",
            stacklevel=2,
        )
    return _sweep(final_cells(scale, best), folder / final.FILE, resources)


def _best_cells(scale: Scale, folder: Path) -> dict[int, Point]:
    return table1.chosen(table1.read_table(scale, folder, only_todays=True))


def _precision(scale: Scale, folder: Path, resources: Resources) -> int:
    return _sweep(precision_cells(scale), folder / precision.FILE, resources)


def _visual(scale: Scale, folder: Path, resources: Resources) -> int:
    from .visual import run_visual

    run_visual(scale, folder)
    return 0


def _k_means(scale: Scale, folder: Path, resources: Resources) -> int:
    from .kmeans import run_k_means

    run_k_means(scale, folder, resources.progress)
    return 0


def _oja(scale: Scale, folder: Path, resources: Resources) -> int:
    from .stability import run_stability

    run_stability(scale, folder)
    return 0


def _sweep(
    cells: Iterable[Experiment], path: Path, resources: Resources, *, longest_first: bool = True
) -> int:
    found = run_sweep(
        cells,
        path,
        jobs=resources.jobs,
        cluster=resources.cluster,
        longest_first=longest_first,
        progress=resources.progress,
    )
    return len(found.failures)


STAGES: dict[str, Stage] = {
    "fit": _fit,
    "table1": _table1,
    "final": _final,
    "precision": _precision,
    "visual": _visual,
    "kmeans": _k_means,
    "oja": _oja,
}
"""In the order in which they build on each other."""


def reproduce(
    scale: str | Scale = "paper",
    out: str | os.PathLike[str] | None = None,
    *,
    only: Sequence[str] | None = None,
    jobs: int = -1,
    cluster: str | None = None,
    display: Display | None = None,
) -> int:
    """Run the stages of the reproduction: what is there already is not computed again.

    Parameters
    ----------
    scale : str or Scale, default="paper"
        "paper", "smoke", or one of your own.
    out : path, optional
        The folder for the results; the scale's own if None (``results/paper`` in a checkout only).
    only : sequence of str, optional
        The stages to run; all of them if None.
    jobs : int, default=-1
        Processes for the sweeps; −1 takes all cores.
    cluster : str, optional
        A Dask scheduler for the sweeps.
    display : callable, optional
        Opens a display for each stage.

    Returns
    -------
    int
        How many cells failed. The same call tries them again.

    Examples
    --------
    >>> import tempfile
    >>> from dataclasses import replace
    >>> tiny = replace(SCALES["smoke"], sizes=(10, 20), trials=(1, 1))
    >>> reproduce(tiny, tempfile.mkdtemp(), only=["kmeans"])
    0
    """
    chosen = scale if isinstance(scale, Scale) else scale_named(scale)
    stages, failed = check_stages(only), 0
    folder = folder_for(out, chosen.folder)
    if "final" in stages and "table1" not in stages and not _best_cells(chosen, folder):
        raise ValueError(
            f"{folder / table1.FILE}: no size has all its cells of Table 1, from which the best is "
            "chosen. Run the stage table1 first."
        )
    for name in stages:
        with display(name) if display is not None else nullcontext() as progress:
            failed += STAGES[name](chosen, folder, Resources(jobs, cluster, progress))
    return failed


def scale_named(name: str) -> Scale:
    """A scale by its name.

    >>> scale_named("full")
    Traceback (most recent call last):
    ...
    ValueError: scale='full' is unknown: expected one of paper, smoke.
    """
    if name not in SCALES:
        raise ValueError(f"scale={name!r} is unknown: expected one of {', '.join(SCALES)}.")
    return SCALES[name]


def check_stages(only: Sequence[str] | None) -> list[str]:
    """The stages to run, in their order.

    >>> check_stages(["final", "fit"])
    ['fit', 'final']
    >>> check_stages(["table2"])
    Traceback (most recent call last):
    ...
    ValueError: 'table2' is no stage. There are: fit, table1, final, precision, visual, kmeans, oja.
    """
    for name in only or ():
        if name not in STAGES:
            raise ValueError(f"{name!r} is no stage. There are: {', '.join(STAGES)}.")
    return [name for name in STAGES if only is None or name in only]
