"""Where the machine code of kernels is kept.

numba decides whether cached code is stale by looking at the file of the entry kernel alone, although
it has inlined functions of other files. The cache used here is keyed by the sources of ``model`` and
``engine`` instead, and by those beside the kernel if it is none of these. It lives in the user's cache
directory (``LETHENET_CACHE`` moves it); where that is read-only or full, kernels are compiled in memory and
nothing else changes.

Machine code is run, so it is only taken from a folder that nobody else can write to, and only if it is as
it was written: a file that is damaged is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.serialize import dumps
from platformdirs import user_cache_dir

_PACKAGE = Path(__file__).parents[2]
_ROOMS = (_PACKAGE / "model", _PACKAGE / "engine")


@cache
def source_fingerprint(further: Path | None = None) -> str:
    """SHA-256 over the sources of ``model``, ``engine`` and a further folder.

    It changes when any kernel may have changed.
    """
    digest = hashlib.sha256()
    for room in (*_ROOMS, *([further] if further else [])):
        for path in sorted(room.rglob("*.py")):
            digest.update(path.relative_to(room.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_folder(further: Path | None = None) -> Path:
    """Where compiled kernels of these sources are kept."""
    root = os.environ.get("LETHENET_CACHE") or user_cache_dir("lethenet")
    return Path(root).expanduser() / "kernels" / source_fingerprint(further)[:16]


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Places the cache of a function in :func:`cache_folder`."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._disambiguator = str(py_func.__code__.co_firstlineno)
        folder = Path(py_func.__code__.co_filename).parent
        ours = any(room in (folder, *folder.parents) for room in _ROOMS)
        self._further = folder if folder.is_dir() and not ours else None

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], _py_file: str) -> _Locator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder(self._further))

    def ensure_cache_path(self) -> None:
        """Make the folder, private whatever the process's umask."""
        folder = cache_folder(self._further)
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for place in (folder.parent, folder):
            place.mkdir(mode=0o700, exist_ok=True)

    def get_source_stamp(self) -> str:
        return source_fingerprint(self._further)

    def get_disambiguator(self) -> str:
        return self._disambiguator


class _Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _CheckedFiles:
    """A file for each compiled function and its types: a checksum, then what numba needs to load it.

    numba's own cache has an index beside the files, and a damaged index stops every process.
    """

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder, stem

    def _path(self, key: Any) -> Path:
        content = hashlib.sha256(f"{numba.__version__} {key}".encode()).hexdigest()
        return self._folder / f"{self._stem}.{content[:16]}.kernel"

    def load(self, key: Any) -> Any:
        """What was saved for this key; None if there is nothing, or nothing that can be trusted."""
        if not self._folder.is_dir() or not _is_private(self._folder):
            return None
        content = self._path(key).read_bytes()
        checksum, code = content[:32], content[32:]
        return pickle.loads(code) if hashlib.sha256(code).digest() == checksum else None

    def save(self, key: Any, data: Any) -> None:
        """Keep it, in one step: a process that is killed leaves the old file or the new one."""
        if not _is_private(self._folder):
            return
        code = dumps(data)
        handle, draft = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            Path(draft).replace(self._path(key))
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


@cache
def _is_private(folder: Path) -> bool:
    """Whether only its owner can change what lies in a folder; says so once if not."""
    if os.name == "nt":
        return True
    for place in (folder, folder.parent):
        found = place.stat()
        if found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
            warnings.warn(
                f"{place} can be written by others, and code in it would be run: compiled kernels are "
                "neither read from it nor kept. Take away their rights (chmod go-w), or name another "
                "folder in LETHENET_CACHE.",
                RuntimeWarning,
                stacklevel=2,
            )
            return False
    return True


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """numba's function cache, which says when it compiles and never fails for want of a disk."""

    _impl_class = _Impl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(Path(self._cache_path), self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for these types, or None: then it is compiled."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # an unreadable or damaged cache entry must cost time, not the run
            found = None
        if found is None and sys.stderr.isatty():
            name = self._py_func.__name__.replace("_", " ")
            print(f"lethenet: compiling the kernel '{name}' (once per machine)…", file=sys.stderr)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room for it."""
        try:
            super().save_overload(sig, data)
        except Exception:
            # Read-only or full: the kernel is compiled anyway, only the next process pays again.
            self.disable()
