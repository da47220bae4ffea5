"""How kernels are compiled.

The decorators:

* :func:`kernel` for the functions that other kernels call, :func:`allocating_kernel` for those among
  them that make arrays, :func:`frame_kernel` for large ones, :func:`bound_kernel` for those that
  compute bounds,
* :func:`entry_kernel` for the few that Python calls. Their machine code is cached on disk.

:func:`specialised` compiles a kernel once more, with other functions in the place of some that it calls.

Floating point is strict, but for bounds: no ``fastmath``, so LLVM may neither reorder sums nor fuse a
multiplication and an addition. That is what lets the plain numpy reference arrive at the same bits.

:mod:`.inner_kernels` and :mod:`.disk_cache` reach into numba to compile in half the time and to keep the
result. Where numba is not as they expect, or ``LETHENET_PLAIN_NJIT=1`` is set, kernels are compiled by
plain ``numba.njit``, in every process anew: the same bits, slower.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_STRICT: dict[str, Any] = {"error_model": "numpy", "nogil": True}


def _stages() -> Any:
    """The two modules that know numba from inside, or None."""
    if os.environ.get("LETHENET_PLAIN_NJIT", "") not in ("", "0"):
        return None
    try:
        from . import disk_cache, inner_kernels

        inner_kernels.check_numba()
    except (ImportError, AttributeError, TypeError) as error:
        warnings.warn(
            f"numba {numba.__version__} is not as lethenet expects it ({error}): kernels are compiled by "
            "plain njit, in every process anew. Results are the same, the first call takes about twice as "
            "long. A version of numba that pyproject.toml names avoids this.",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return inner_kernels, disk_cache


_STAGES = _stages()


def _inner(function: Any, *, allocates: bool, optimised: bool = True, **options: Any) -> Any:
    def compile_kernel(function: Any) -> Any:
        if _STAGES is None:
            return numba.njit(**options, **_STRICT)(function)
        how = {"allocates": allocates, "optimised": optimised, **options, **_STRICT}
        return _STAGES[0].inner_kernel(function, **how)

    dispatcher = compile_kernel(function)
    dispatcher.compile_again = compile_kernel
    return dispatcher


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call (strict floating point, no Python objects).

    It may not make arrays.
    """
    return cast(Function, _inner(function, allocates=False))


def allocating_kernel(function: Function) -> Function:
    """Compile a function that other kernels call, and that makes arrays."""
    return cast(Function, _inner(function, allocates=True))


def frame_kernel(function: Function) -> Function:
    """Compile a large function around other kernels. LLVM optimises it only as part of its callers."""
    return cast(Function, _inner(function, allocates=False, optimised=False))


def bound_kernel(function: Function) -> Function:
    """Compile a function that computes bounds, not the model.

    Bounds carry their own slack for rounding, so sums may be reordered and fused.
    """
    return cast(Function, _inner(function, allocates=False, fastmath=True))


def entry_kernel(function: Function) -> Function:
    """Compile a function that Python calls, and keep its machine code on disk."""
    dispatcher = numba.njit(**_STRICT)(function)
    if _STAGES is not None:
        dispatcher._cache = _STAGES[1].KernelCache(function)
    dispatcher.compile_again = entry_kernel
    return cast(Function, dispatcher)


def specialised(dispatcher: Any, key: str, **functions: Any) -> Any:
    """The same kernel, compiled with other functions under some of the names that it uses.

    ``key`` must tell it apart from all its other twins: it becomes part of the name in machine code, where
    what was compiled today meets what other processes have left on disk.
    """
    plain = dispatcher.py_func
    unknown = set(functions) - set(plain.__code__.co_names)
    if unknown:
        raise ValueError(f"{plain.__name__} does not call {', '.join(sorted(unknown))}")
    return dispatcher.compile_again(renamed(plain, key, {**plain.__globals__, **functions}))


def renamed(function: Any, key: str, names: dict[str, Any] | None = None) -> Any:
    """A copy of a Python function with a key in its qualified name, and other globals if given."""
    globals_ = function.__globals__ if names is None else names
    twin = FunctionType(
        function.__code__, globals_, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__module__, twin.__qualname__ = function.__module__, f"{function.__name__}_{key}"
    return twin
