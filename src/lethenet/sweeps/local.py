"""Compute experiments on this machine: one process per core, each experiment on one core."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .outcome import compute, explain
from .planning import Job
from .progress import SweepProgress
from .results_file import ResultLine

TICK = 0.5
"""Seconds between two signs of life."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def run_here(progress: SweepProgress) -> None:
    """Compute experiments one after the other in this process."""
    for job in progress.plan.missing:
        if not progress.wanted(job):
            continue
        progress.waiting(1, {job.key: 0.0})
        try:
            result = compute(job.experiment.to_json(), job.key)
        except Exception as error:  # one bad experiment must not stop the others
            progress.failed(job, explain(error))
        else:
            progress.finished(job, result)


def run_in_processes(progress: SweepProgress, *, n_workers: int, retries: int) -> None:
    """Compute experiments in processes; one whose process dies is begun again ``retries`` times."""
    waiting, attempts = deque(progress.plan.missing), Counter[str]()
    # a pool for each process: in a common one, all experiments are lost if one process dies
    pools = [_new_pool() for _ in range(n_workers)]
    idle = list(range(n_workers))
    running: dict[Future[ResultLine], tuple[Job, int, float]] = {}
    try:
        while waiting or running:
            while waiting and idle:
                job = waiting.popleft()
                if progress.wanted(job):
                    place = idle.pop()
                    running[_begin(pools, place, job)] = (job, place, time.monotonic())
            for future in wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done:
                job, place, _ = running.pop(future)
                idle.append(place)
                error = future.exception()
                if error is None:
                    progress.finished(job, future.result())
                elif not isinstance(error, BrokenProcessPool):
                    progress.failed(job, explain(error))
                else:
                    attempts[job.key] += 1
                    if attempts[job.key] > retries:
                        progress.failed(job, f"its process died {attempts[job.key]} times")
                    else:
                        waiting.appendleft(job)
                        progress.retried(job, "its process died")
            now = time.monotonic()
            progress.waiting(n_workers, {job.key: now - t for job, _, t in running.values()})
    finally:
        for pool in pools:
            _end(pool)


def _begin(pools: list[Any], place: int, job: Job) -> Future[ResultLine]:
    """Start to compute an experiment, in a new process if the one at this place has died."""
    call = (compute, job.experiment.to_json(), job.key)
    future: Future[ResultLine]
    try:
        future = pools[place].submit(*call)
    except BrokenProcessPool:  # with its last experiment, or while it was idle
        _end(pools[place])
        pools[place] = _new_pool()
        future = pools[place].submit(*call)
    return future


def _end(pool: Any) -> None:
    pool.shutdown(wait=True, kill_workers=True)  # whatever it does


def _new_pool() -> Any:
    # loky rather than concurrent.futures: it needs no `if __name__ == "__main__"` in scripts
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(
        1, env=ONE_THREAD, initializer=_begin_worker, initargs=(os.getpid(),)
    )


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and do not outlive it: nobody would take the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
