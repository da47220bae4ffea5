"""The cache: verified files only, put in place atomically.

A file is written under a name of its own beside its target and then renamed over the target. So a
reader never sees half a file, two processes may fetch at once (they write the same bytes, and the
last rename wins), and a crash leaves at most a stray ``.partial`` file.
"""

import hashlib
import os
import uuid
from pathlib import Path

from .idx import open_plain_or_gzip
from .idx_folder import find_idx_file
from .registry import IdxFile, RemoteDataset


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
    """ValueError unless a folder holds the data set's files, unchanged; they may be gzipped."""
    for file in dataset.files:
        _verified(folder, file)


def looks_complete(folder: Path, dataset: RemoteDataset) -> bool:
    """Tell, without reading them, whether the uncompressed files are there with the right sizes."""
    paths = [(folder / file.name, file.size) for file in dataset.files]
    return all(path.is_file() and path.stat().st_size == size for path, size in paths)


def install(origin: Path, folder: Path, dataset: RemoteDataset) -> None:
    """Copy the data set's files into the cache, unpacked and verified, each one atomically.

    ValueError if a file is missing or differs: nothing wrong reaches the cache. ``folder`` must exist.
    """
    for file in dataset.files:
        content = _verified(origin, file)
        # Not tempfile: its files are private to the user, and a cache may be shared.
        partial = folder / f".{file.name}.{uuid.uuid4().hex}.partial"
        try:
            partial.write_bytes(content)
            partial.replace(folder / file.name)
        finally:
            partial.unlink(missing_ok=True)


def _verified(folder: Path, file: IdxFile) -> bytes:
    """The uncompressed content of a file; never much more is read than it should have."""
    path = find_idx_file(folder, file.name)
    with open_plain_or_gzip(path) as stream:
        content = stream.read(file.size + 1)
    if len(content) > file.size:
        raise ValueError(f"{path} is longer than the {file.size} bytes expected")
    if len(content) < file.size:
        raise ValueError(f"{path} is truncated: {len(content)} bytes of {file.size}")
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise ValueError(f"{path} has the wrong checksum: SHA-256 {found}")
    return content
