"""A sweep: compute what a results file lacks, on this machine or a cluster."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..lifelong.evaluation import threads
from . import samples
from .experiment import Experiment
from .local import run_here, run_in_processes
from .planning import plan_from
from .progress import Listener, Sweep, SweepProgress
from .results_file import ResultsFile

if TYPE_CHECKING:
    from distributed import Client


def run_sweep(
    experiments: Iterable[Experiment],
    out: str | os.PathLike[str],
    *,
    jobs: int = -1,
    cluster: str | Client | None = None,
    retries: int = 2,
    longest_first: bool = True,
    progress: Listener | None = None,
) -> Sweep:
    """Compute the experiments that a results file lacks, and append them as they finish.

    Parameters
    ----------
    experiments : iterable of Experiment
        What to compute.
    out : path
        The results file. Several sweeps may write to it at once; an experiment that another one has
        finished is not computed again.
    jobs : int, default=-1
        Processes on this machine; −1 takes all cores, 1 computes in this process.
    cluster : str or distributed.Client, optional
        A Dask scheduler, such as ``"tcp://host:8786"``, to compute on instead of this machine.
    retries : int, default=2
        How often an experiment is begun again after its process died. On a cluster: after an error; how
        often one that lost its worker goes to another is Dask's own setting.
    longest_first : bool, default=True
        Begin with the experiments that take longest, so that all processes end at about the same time;
        False keeps the order of ``experiments``.
    progress : callable, optional
        Hears of ``started`` (``experiments``, ``done``, ``missing``, ``workers``, ``seconds``),
        ``result`` (``result``, ``done``, ``elsewhere``), ``retry`` and ``failed`` (``experiment``,
        ``why``), ``waiting`` (``workers``, ``running``, ``seconds_done``, ``seconds_left``),
        ``finished``.

    Returns
    -------
    Sweep
        All results, and what failed. Without ``progress`` a failure is a warning, too.

    Examples
    --------
    >>> import tempfile
    >>> from lethenet.sweeps import grid
    >>> experiments = grid(dataset="digits", neurons=[10, 20], train_per_class=20, threshold=15.0)
    >>> out = tempfile.mkdtemp() + "/results.jsonl"
    >>> run_sweep(experiments, out, jobs=1).computed
    2
    >>> run_sweep(experiments, out, jobs=1).computed
    0
    """
    workers = workers_for(jobs)
    if not isinstance(retries, int) or retries < 0:
        raise ValueError(f"retries={retries!r}: expected 0 or more.")
    samples.forget()
    file = ResultsFile(out)
    file.refresh()
    todo = plan_from(experiments, file.results, longest_first=longest_first)
    state = SweepProgress(todo, file, progress or (lambda event: None))
    state.begin(workers if cluster is None else None)
    if cluster is not None and todo.missing:
        from .cluster import run_on_cluster

        run_on_cluster(state, cluster=cluster, retries=retries)
    elif workers > 1 and todo.missing:
        run_in_processes(state, n_workers=min(workers, len(todo.missing)), retries=retries)
    else:
        run_here(state)
    sweep = state.end()
    if progress is None and sweep.failures:
        warnings.warn(
            f"{len(sweep.failures)} of {len(todo.keys)} experiments failed; the first: "
            f"{sweep.failures[0][1]}",
            RuntimeWarning,
            stacklevel=2,
        )
    return sweep


def workers_for(jobs: int) -> int:
    """How many processes ``jobs`` means here."""
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs == 0 or jobs < -1:
        raise ValueError(f"jobs={jobs!r}: expected 1 or more processes, or -1 for all cores.")
    return threads(jobs)
