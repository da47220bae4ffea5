"""Compute experiments on a Dask cluster; the scheduler moves those of a dead worker elsewhere."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from .outcome import WrongWorkerError, compute, explain
from .planning import Job
from .progress import SweepProgress

if TYPE_CHECKING:
    from distributed import Client

POLL = 0.2
"""Seconds between two looks at the futures."""

LOOK_AROUND = 5.0
"""Seconds between two looks at the workers, and at what other sweeps have finished."""


def run_on_cluster(progress: SweepProgress, *, cluster: str | Client, retries: int) -> None:
    """Compute experiments on a Dask cluster; whatever stops this cancels what is left.

    A task whose worker dies goes to another worker, as often as the scheduler allows
    (``distributed.scheduler.allowed-failures``); one that raises an error, ``retries`` times.
    """
    with _connected(cluster) as client:
        warn_if_open(client.scheduler.address)
        _check_versions(client)
        # two sweeps on one cluster that want the same experiment share its task
        left = {f"lethenet-experiment-{job.key}": job for job in progress.plan.missing}
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
            workers, since, looked = 0, dict[str, float](), -LOOK_AROUND
            while left:
                for future in completed.next_batch(block=False):
                    if future.key in left:  # not one that was cancelled below
                        _hear(progress, left.pop(future.key), future)
                now = time.monotonic()
                if now - looked >= LOOK_AROUND and client.status == "running":
                    looked = now
                    workers, computing = _look_around(client)
                    since = {name: since.get(name, now) for name in computing}
                    for name in [n for n, job in left.items() if not progress.wanted(job)]:
                        futures[name].cancel()
                        del left[name]
                begun = {left[name].key: now - t for name, t in since.items() if name in left}
                progress.waiting(workers, begun)
                time.sleep(POLL)
        finally:
            if client.status == "running":
                client.cancel(list(futures.values()))


def warn_if_open(address: str) -> None:
    """Warn of a scheduler that others can reach: whoever reaches it can run code on all its workers."""
    scheme, _, place = address.rpartition("://")
    host = place.rpartition(":")[0].strip("[]")
    if scheme in ("tls", "inproc") or host == "localhost":
        return
    with suppress(ValueError):
        if ip_address(host).is_loopback:
            return
    warnings.warn(
        f"the Dask scheduler at {address} neither listens on this machine alone nor uses TLS: whoever "
        "reaches it can run code on its workers. Use it on a network that you trust, or with TLS (see "
        "Sweeps in the documentation).",
        UserWarning,
        stacklevel=2,
    )


def _hear(progress: SweepProgress, job: Job, future: Any) -> None:
    if future.status == "finished":
        progress.finished(job, future.result())
        return
    if future.status != "error":
        raise ConnectionError(
            "The connection to the Dask scheduler was lost. What had come back is in the results "
            "file; the same sweep goes on from there."
        )
    error = future.exception()
    if isinstance(error, WrongWorkerError):
        raise error  # it fails so fast that it would be given one experiment after the other
    progress.failed(job, explain(error))


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
            "such as tcp://127.0.0.1:8786."
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


def _look_around(client: Any) -> tuple[int, list[str]]:
    """How many threads compute, and the names of their tasks, as far as can be seen from here."""
    threads = client.nthreads()
    # A worker is given more tasks than it has threads; the others wait for those before them.
    computing = [
        str(name)
        for worker, names in client.processing().items()
        for name in list(names)[: threads.get(worker, 0)]
    ]
    return sum(threads.values()), computing
