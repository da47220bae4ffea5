"""Compiling kernels that only other kernels call.

numba makes machine code and two wrappers for every compiled function, so that Python can call it. A kernel
that is only called by kernels needs neither: its LLVM code is linked into its callers. Left out, the first
call in a fresh environment compiles in little more than half the time, to the same machine code.

Called from Python all the same (tests do), such a kernel is compiled once more in the ordinary way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


def inner_kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function for other kernels, with these options of ``numba.njit``."""
    dispatcher = numba.njit(pipeline_class=_InnerCompiler, **options)(function)
    on_its_own = _OnItsOwn(function, options)

    def add_overload(result: Any) -> None:
        # numba's own also registers the machine code for calls from Python
        result.entry_point.on_its_own = on_its_own
        dispatcher.overloads[tuple(result.signature.args)] = result

    def get_call_template(args: Any, keywords: Any) -> Any:
        # numba would compile once more for each constant among the arguments
        plain = [types.unliteral(kind) for kind in args]
        named = {name: types.unliteral(kind) for name, kind in keywords.items()}
        return type(dispatcher).get_call_template(dispatcher, plain, named)

    dispatcher.add_overload, dispatcher.get_call_template = add_overload, get_call_template
    return dispatcher


class _OnItsOwn:
    """The same function with machine code of its own, once somebody wants it."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options

    @cached_property
    def compiled(self) -> Any:
        return numba.njit(**self._options)(self._function)


class _EntryPoint:
    """What numba knows a compiled inner kernel by, in place of its machine code."""

    on_its_own: _OnItsOwn

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.on_its_own.compiled(*args, **keywords)


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that is linked into other libraries and never made machine code by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):  # type: ignore[misc]
    """numba's translation into LLVM code, without wrappers and machine code."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered, entry_point = state["cr"], _EntryPoint()
        state.targetctx.insert_user_function(entry_point, lowered.fndesc, [state.library])
        state["cr"] = _LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=entry_point, env=lowered.env
        )
        return True


class _InnerCompiler(CompilerBase):  # type: ignore[misc]
    """numba's stages, the one exchanged."""

    def define_pipelines(self) -> list[Any]:
        stages = DefaultPassBuilder.define_nopython_pipeline(self.state)
        stages.passes = [
            (_InnerLowering, "inner lowering") if stage is NativeLowering else (stage, text)
            for stage, text in stages.passes
        ]
        stages.finalize()
        return [stages]
