"""Public mirrors, downloaded with pooch."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.parse import urlsplit

from .progress import DownloadBar
from .registry import RemoteDataset
from .source import Source, SourceFailed

# Seconds to connect, and to wait for the next bytes. Short: there is another source after this.
TIMEOUT = (3.0, 10.0)


def mirror(dataset: RemoteDataset, address: str) -> Source:
    """Make a source of one mirror. The first file that fails ends it: a dead mirror costs one timeout.

    >>> from lethenet.data.registry import MNIST
    >>> mirror(MNIST, MNIST.mirrors[0]).label
    'mirror ossci-datasets.s3.amazonaws.com'
    """

    def obtain(workspace: Path, progress: bool) -> Path:
        for file in dataset.files:
            _download(
                f"{address}{file.name}.gz",
                sha256=file.sha256_of_mirrored_gzip,
                into=workspace,
                progress=progress,
            )
        return workspace

    return Source(f"mirror {urlsplit(address).hostname}", obtain)


def _download(url: str, *, sha256: str, into: Path, progress: bool) -> None:
    import pooch  # it brings requests along: a quarter of a second that offline use can spare

    name = url.rpartition("/")[2]
    with _quiet_pooch(), DownloadBar(name) if progress else nullcontext(False) as bar:
        downloader = pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, timeout=TIMEOUT)
        try:
            pooch.retrieve(
                url, known_hash=f"sha256:{sha256}", fname=name, path=into, downloader=downloader
            )
        except (OSError, ValueError) as error:  # requests' errors are OSErrors
            raise SourceFailed(_reason(error)) from error


def _reason(error: Exception) -> str:
    """Say in a few words what requests says in four lines."""
    import requests

    if isinstance(error, requests.Timeout):
        return "no answer in time"
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP status {error.response.status_code}"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error).strip().partition("\n")[0][:200]


@contextmanager
def _quiet_pooch() -> Iterator[None]:
    # pooch announces every download on stderr; progress is ours to show.
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
