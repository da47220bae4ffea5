"""The cache: verified files only, put in place atomically.

A file is written under a name of its own beside its target, checked, and then renamed over the
target. So a reader never sees half a file, two processes may fetch at once (they write the same
bytes, and the last rename wins), and a crash leaves at most a stray ``.partial`` file.
"""

import hashlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from .idx import open_plain_or_gzip
from .idx_folder import find_idx_file
from .registry import IdxFile, RemoteDataset

_CHUNK = 1 << 20


def cache_folder() -> Path:
    """Give the folder in which fetched data sets are kept.

    It is ``data`` in the user's cache folder for lethenet, or in the folder that the environment
    variable LETHENET_CACHE names.

    >>> cache_folder().name
    'data'
    """
    chosen = os.environ.get("LETHENET_CACHE")
    if chosen:
        return Path(chosen).expanduser() / "data"
    import platformdirs

    return Path(platformdirs.user_cache_dir("lethenet")) / "data"


def verify(folder: Path, dataset: RemoteDataset) -> None:
    """ValueError unless a folder holds the data set's files, unchanged; they may be gzipped.

    >>> from lethenet.data.registry import MNIST
    >>> verify(Path("no/such/folder"), MNIST)
    Traceback (most recent call last):
    ...
    ValueError: no/such/folder is not a folder
    """
    for file in dataset.files:
        for _ in _verified_chunks(find_idx_file(folder, file.name), file):
            pass


def looks_complete(folder: Path, dataset: RemoteDataset) -> bool:
    """Tell, without reading them, whether the uncompressed files are there with the right sizes.

    >>> from lethenet.data.registry import MNIST
    >>> looks_complete(Path("no/such/folder"), MNIST)
    False
    """
    paths = [(folder / file.name, file.size) for file in dataset.files]
    return all(path.is_file() and path.stat().st_size == size for path, size in paths)


def install(origin: Path, folder: Path, dataset: RemoteDataset) -> None:
    """Copy the data set's files into the cache, unpacked and verified, each one atomically.

    ValueError if a file is missing or differs: nothing wrong reaches the cache. ``folder`` must exist.

    >>> from lethenet.data.registry import MNIST
    >>> install(Path("no/such/folder"), Path("cache"), MNIST)
    Traceback (most recent call last):
    ...
    ValueError: no/such/folder is not a folder
    """
    for file in dataset.files:
        path = find_idx_file(origin, file.name)
        # Not tempfile: its files are private to the user, and a cache may be shared.
        partial = folder / f".{file.name}.{uuid.uuid4().hex}.partial"
        try:
            with partial.open("xb") as out:
                for chunk in _verified_chunks(path, file):
                    out.write(chunk)
            partial.replace(folder / file.name)
        finally:
            partial.unlink(missing_ok=True)


def _verified_chunks(path: Path, file: IdxFile) -> Iterator[bytes]:
    """Yield the uncompressed content; raise at the end, or as soon as there is too much of it."""
    digest = hashlib.sha256()
    size = 0
    with open_plain_or_gzip(path) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > file.size:
                raise ValueError(f"{path} is longer than the {file.size} bytes expected")
            digest.update(chunk)
            yield chunk
    if size < file.size:
        raise ValueError(f"{path} is truncated: {size} bytes of {file.size}")
    if digest.hexdigest() != file.sha256:
        raise ValueError(f"{path} has the wrong checksum: SHA-256 {digest.hexdigest()}")
