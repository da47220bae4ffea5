"""How kernels are compiled and where their machine code is kept.

The decorators:

* :func:`kernel` for the functions that other kernels call, :func:`allocating_kernel` for those among
  them that make arrays, :func:`frame_kernel` for large ones, :func:`bound_kernel` for those that
  compute bounds,
* :func:`entry_kernel` for the few that Python calls. Their machine code is cached on disk.

numba decides whether cached code is stale by looking at the file of the entry kernel alone, although
it has inlined functions of other files. The cache used here is keyed by the source of the whole
``model`` room instead. It lives in the user's cache directory (``LETHENET_CACHE`` moves it); where that
is read-only or full, kernels are compiled in memory and nothing else changes.

Floating point is strict: no ``fastmath``, so LLVM may neither reorder sums nor fuse a multiplication
and an addition. That is what lets the plain numpy reference arrive at the same bits.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import caching
from platformdirs import user_cache_dir

from .inner_kernels import inner_kernel

Function = TypeVar("Function", bound=Callable[..., Any])

_STRICT: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call (strict floating point, no Python objects).

    It may not make arrays.
    """
    return cast(Function, inner_kernel(function, allocates=False, **_STRICT))


def allocating_kernel(function: Function) -> Function:
    """Compile a function that other kernels call, and that makes arrays."""
    return cast(Function, inner_kernel(function, allocates=True, **_STRICT))


def frame_kernel(function: Function) -> Function:
    """Compile a large function around other kernels. LLVM optimises it only as part of its callers."""
    return cast(Function, inner_kernel(function, allocates=False, optimised=False, **_STRICT))


def bound_kernel(function: Function) -> Function:
    """Compile a function that computes bounds, not the model.

    Bounds carry their own slack for rounding, so sums may be reordered and fused.
    """
    return cast(Function, inner_kernel(function, allocates=False, fastmath=True, **_STRICT))


def entry_kernel(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code on disk."""
    dispatcher = numba.njit(**_STRICT)(function)
    dispatcher._cache = _RoomCache(function)
    return cast(Function, dispatcher)


@cache
def source_fingerprint() -> str:
    """SHA-256 over the sources of ``model`` and ``engine``: changes when any kernel may have changed."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    for room in ("model", "engine"):
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_folder() -> Path:
    """Where compiled kernels of this source are kept."""
    root = os.environ.get("LETHENET_CACHE") or user_cache_dir("lethenet")
    return Path(root) / "kernels" / source_fingerprint()[:16]


class _RoomLocator(caching._CacheLocator):  # type: ignore[misc]
    """Places the cache of a function in :func:`cache_folder`."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._disambiguator = str(py_func.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], _py_file: str) -> _RoomLocator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return source_fingerprint()

    def get_disambiguator(self) -> str:
        return self._disambiguator


class _RoomCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_RoomLocator,)


class _RoomCache(caching.FunctionCache):  # type: ignore[misc]
    """numba's function cache, which says when it compiles and never fails for want of a disk."""

    _impl_class = _RoomCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # an unreadable or damaged cache entry must cost time, not the run
            found = None
        if found is None and sys.stderr.isatty():
            name = self._py_func.__name__.replace("_", " ")
            print(f"lethenet: compiling the kernel '{name}' (once per machine)…", file=sys.stderr)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            # Read-only or full: the kernel is compiled anyway, only the next process pays again.
            self.disable()
