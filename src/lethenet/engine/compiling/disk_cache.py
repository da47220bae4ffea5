"""Where the machine code of kernels is kept.

numba decides whether cached code is stale by looking at the file of the entry kernel alone, although
it has inlined functions of other files. The cache used here is keyed by the sources of ``model`` and
``engine`` instead, and by those beside the kernel if it is none of these. It lives in the user's cache
directory (``LETHENET_CACHE`` moves it); where that is read-only or full, kernels are compiled in memory and
nothing else changes.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching
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

    def get_source_stamp(self) -> str:
        return source_fingerprint(self._further)

    def get_disambiguator(self) -> str:
        return self._disambiguator


class _Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """numba's function cache, which says when it compiles and never fails for want of a disk."""

    _impl_class = _Impl

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
        except OSError:
            # Read-only or full: the kernel is compiled anyway, only the next process pays again.
            self.disable()
