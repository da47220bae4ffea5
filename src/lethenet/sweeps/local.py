"""Compute cells on this machine: one process per core, each cell on one core."""

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

from .results_file import Record
from .work import (
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

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def run_here(jobs: Sequence[Job], wanted: Wanted) -> Events:
    """Compute cells one after the other in this process."""
    for job in jobs:
        if not wanted(job):
            yield Skipped(job)
            continue
        yield Waiting(1, {job.key: 0.0})
        try:
            record = compute(job.cell.to_json(), job.key)
        except Exception as error:  # one bad cell must not stop the others
            yield Failed(job, explain(error))
        else:
            yield Finished(job, record)


def run_in_processes(
    jobs: Sequence[Job], wanted: Wanted, *, n_workers: int, retries: int
) -> Events:
    """Compute cells in processes. A cell whose process dies is begun again ``retries`` times."""
    waiting, attempts = deque(jobs), Counter[str]()
    pool = _new_pool(n_workers)
    running: dict[Future[Record], tuple[Job, float]] = {}
    try:
        while waiting or running:
            lost: list[Job] = []
            while waiting and len(running) < n_workers and not lost:
                job = waiting.popleft()
                if not wanted(job):
                    yield Skipped(job)
                    continue
                try:
                    future = pool.submit(compute, job.cell.to_json(), job.key)
                    running[future] = (job, time.monotonic())
                except BrokenProcessPool:  # idle processes can die, too
                    lost.append(job)
            done = wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done
            if lost or any(_is_lost(future) for future in done):
                # with one process all are gone: begin anew with what was running
                pool.shutdown(wait=True, kill_workers=True)
                pool = _new_pool(n_workers)
                done = {future for future in running if not _is_lost(future)}
                lost += [running.pop(future)[0] for future in list(running) if future not in done]
            for future in done:
                yield _outcome(running.pop(future)[0], future)
            for job in lost:
                attempts[job.key] += 1
                if attempts[job.key] <= retries:
                    waiting.appendleft(job)
                    yield Retried(job, "its process died")
                else:
                    yield Failed(job, f"its process died {attempts[job.key]} times")
            now = time.monotonic()
            yield Waiting(n_workers, {job.key: now - began for job, began in running.values()})
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _is_lost(future: Future[Record]) -> bool:
    """Whether a cell has no outcome of its own, as its process, or another one, died."""
    from joblib.externals.loky.process_executor import ShutdownExecutorError

    if not future.done() or future.cancelled():
        return True
    return isinstance(future.exception(), BrokenProcessPool | ShutdownExecutorError)


def _outcome(job: Job, future: Future[Record]) -> Finished | Failed:
    error = future.exception()
    return Finished(job, future.result()) if error is None else Failed(job, explain(error))


def _new_pool(n_workers: int) -> Any:
    # loky rather than concurrent.futures: it needs no `if __name__ == "__main__"` in scripts
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(
        n_workers, env=ONE_THREAD, initializer=_begin_worker, initargs=(os.getpid(),)
    )


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and do not outlive it: nobody would take the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
