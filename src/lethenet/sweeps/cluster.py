"""Compute experiments on a Dask cluster; the scheduler moves those of a dead worker elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .jobs import (
    Events,
    Failed,
    Finished,
    Job,
    Skipped,
    Waiting,
    Wanted,
    WrongWorkerError,
    compute,
    explain,
)

if TYPE_CHECKING:
    from distributed import Client

POLL = 0.2
"""Seconds between two looks at the futures."""

LOOK_AROUND = 5.0
"""Seconds between two looks at the workers, and at what other sweeps have finished."""


def run_on_cluster(
    jobs: Sequence[Job], wanted: Wanted, *, cluster: str | Client, retries: int
) -> Events:
    """Compute experiments on a Dask cluster; who stops listening cancels what is left.

    A task whose worker dies goes to another worker, as often as the scheduler allows
    (``distributed.scheduler.allowed-failures``); one that raises an error, ``retries`` times.
    """
    with _connected(cluster) as client:
        _check_versions(client)
        left = {_name(job): job for job in jobs}
        futures = {
            name: client.submit(
                compute,
                job.experiment.to_json(),
                job.key,
                key=name,
                priority=-place,  # in their order
                retries=retries,
                pure=False,
            )
            for place, (name, job) in enumerate(left.items())
        }
        try:
            completed = _dask().as_completed(futures.values(), loop=client.loop)
            around = _Surroundings(client)
            while left:
                for future in completed.next_batch(block=False):
                    if future.key in left:  # not one that was cancelled below
                        yield _outcome(left.pop(future.key), future)
                if around.look():
                    for name in [name for name, job in left.items() if not wanted(job)]:
                        futures[name].cancel()
                        yield Skipped(left.pop(name))
                yield Waiting(around.workers, around.running(left))
                time.sleep(POLL)
        finally:
            if client.status == "running":
                client.cancel(list(futures.values()))


def _name(job: Job) -> str:
    """The task's name: two sweeps on one cluster that want the same experiment share it."""
    return f"lethenet-experiment-{job.key}"


def _outcome(job: Job, future: Any) -> Finished | Failed:
    if future.status == "finished":
        return Finished(job, future.result())
    if future.status != "error":
        raise ConnectionError(
            "The connection to the Dask scheduler was lost. What had come back is in the results "
            "file; the same sweep goes on from there."
        )
    error = future.exception()
    if isinstance(error, WrongWorkerError):
        raise error  # it fails so fast that it would be given one experiment after the other
    return Failed(job, explain(error))


def _dask() -> Any:
    """The package ``distributed``, which is typed in part."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise ValueError(
            "a cluster needs Dask: install it with `pip install 'lethenet[cluster]'`."
        ) from error


@contextmanager
def _connected(cluster: str | Client) -> Iterator[Any]:
    if isinstance(cluster, _dask().Client):
        yield cluster
        return
    try:
        client = _dask().Client(cluster, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"cluster={cluster!r}: no Dask scheduler answers there ({error}). Expected an address "
            "such as tcp://host:8786."
        ) from error
    try:
        yield client
    finally:
        client.close()


def _version() -> str:
    from .. import __version__

    return __version__


def _check_versions(client: Any) -> None:
    """A worker without lethenet, or with another one, is better known before hours of work.

    Workers that come later, and what their network does, are checked with each experiment.
    """
    for address, answer in client.run(_version, on_error="return").items():
        if answer != _version():
            has = f"has {answer}" if isinstance(answer, str) else f"says {explain(answer)}"
            raise ValueError(
                f"the worker {address} {has}, and this is lethenet {_version()}: install the same "
                "version in the environment of all workers and of the scheduler."
            )


class _Surroundings:
    """How many threads compute, and since when each experiment does, as far as can be seen from here."""

    def __init__(self, client: Any) -> None:
        self.workers = 0
        self._client = client
        self._since: dict[str, float] = {}
        self._looked = -LOOK_AROUND

    def look(self) -> bool:
        """Look if it is time to; whether it was."""
        now = time.monotonic()
        if now - self._looked < LOOK_AROUND or self._client.status != "running":
            return False
        self._looked = now
        threads = self._client.nthreads()
        self.workers = sum(threads.values())
        # A worker is given more tasks than it has threads; the others wait for those before them.
        begun = [
            str(name)
            for worker, names in self._client.processing().items()
            for name in list(names)[: threads.get(worker, 0)]
        ]
        self._since = {name: self._since.get(name, now) for name in begun}
        return True

    def running(self, left: dict[str, Job]) -> dict[str, float]:
        """Seconds for which each experiment that is left has been computing."""
        now = time.monotonic()
        return {left[name].key: now - since for name, since in self._since.items() if name in left}
