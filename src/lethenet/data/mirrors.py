"""Public mirrors, downloaded with pooch."""

from contextlib import closing, nullcontext
from pathlib import Path
from urllib.parse import urlsplit

from .progress import DownloadBar
from .registry import RemoteDataset
from .source import Source, SourceFailed

# Seconds to connect, and to wait for the next bytes. Short: there is another source after this.
TIMEOUT = (3.0, 10.0)


def mirror(dataset: RemoteDataset, address: str) -> Source:
    """Make a source of one mirror. The first file that fails ends it: a dead mirror costs one timeout."""

    def obtain(workspace: Path, progress: bool) -> Path:
        for file in dataset.files:
            name = f"{file.name}.gz"
            with closing(DownloadBar(name)) if progress else nullcontext(False) as bar:
                _download(address + name, workspace / name, bar)
        return workspace

    return Source(f"mirror {urlsplit(address).hostname}", obtain)


def _download(url: str, path: Path, bar: DownloadBar | bool) -> None:
    import pooch  # it brings requests along: a quarter of a second that offline use can spare

    try:
        pooch.HTTPDownloader(bar, chunk_size=1 << 16, timeout=TIMEOUT)(url, path, None)
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
