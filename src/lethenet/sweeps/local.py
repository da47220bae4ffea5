"""Compute experiments on this machine: one process per core, each experiment on one core."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .jobs import (
    TICK,
    Events,
    Failed,
    Finished,
    Job,
    Retried,
    Skipped,
    Waiting,
    Wanted,
    compute,
    explain,
)
from .results_file import ResultLine

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def run_here(jobs: Sequence[Job], wanted: Wanted) -> Events:
    """Compute experiments one after the other in this process."""
    for job in jobs:
        if not wanted(job):
            yield Skipped(job)
            continue
        yield Waiting(1, {job.key: 0.0})
        try:
            result = compute(job.experiment.to_json(), job.key)
        except Exception as error:  # one bad experiment must not stop the others
            yield Failed(job, explain(error))
        else:
            yield Finished(job, result)


def run_in_processes(
    jobs: Sequence[Job], wanted: Wanted, *, n_workers: int, retries: int
) -> Events:
    """Compute experiments in processes; one whose process dies is begun again ``retries`` times."""
    waiting, attempts = deque(jobs), Counter[str]()
    processes = [_Process() for _ in range(n_workers)]
    idle = list(processes)
    running: dict[Future[ResultLine], tuple[Job, _Process, float]] = {}
    try:
        while waiting or running:
            while waiting and idle:
                job = waiting.popleft()
                if not wanted(job):
                    yield Skipped(job)
                    continue
                process = idle.pop()
                running[process.begin(job)] = (job, process, time.monotonic())
            for future in wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done:
                job, process, _ = running.pop(future)
                idle.append(process)
                error = future.exception()
                if error is None:
                    yield Finished(job, future.result())
                elif not isinstance(error, BrokenProcessPool):
                    yield Failed(job, explain(error))
                else:
                    attempts[job.key] += 1
                    if attempts[job.key] > retries:
                        yield Failed(job, f"its process died {attempts[job.key]} times")
                    else:
                        waiting.appendleft(job)
                        yield Retried(job, "its process died")
            now = time.monotonic()
            yield Waiting(n_workers, {job.key: now - began for job, _, began in running.values()})
    finally:
        for process in processes:
            process.stop()


class _Process:
    """A process that computes one experiment after the other, and is replaced when it dies.

    A pool of its own each: in a common one, all experiments are lost if one process dies.
    """

    def __init__(self) -> None:
        self._pool = _new_pool()

    def begin(self, job: Job) -> Future[ResultLine]:
        """Start to compute an experiment."""
        try:
            return self._submit(job)
        except BrokenProcessPool:  # it died with its last experiment, or while it was idle
            self.stop()
            self._pool = _new_pool()
            return self._submit(job)

    def _submit(self, job: Job) -> Future[ResultLine]:
        future: Future[ResultLine] = self._pool.submit(compute, job.experiment.to_json(), job.key)
        return future

    def stop(self) -> None:
        """End it, whatever it does."""
        self._pool.shutdown(wait=True, kill_workers=True)


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
