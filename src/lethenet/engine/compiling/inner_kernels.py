"""Compiling kernels that only other kernels call.

numba makes machine code and two wrappers for every compiled function, so that Python can call it. A kernel
that is only called by kernels needs neither: its LLVM code is linked into its callers. Nor does it have
to count references. Left out, the first call in a fresh environment compiles in less than half the time.

Called from Python all the same (tests do), such a kernel is compiled once more in the ordinary way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NativeLowering


def check_numba() -> None:
    """Raise an AttributeError or a TypeError where numba lacks what this module relies on."""
    for owner, names in (
        (JITCodeLibrary, ("_finalize_dynamic_globals", "_verify_declare_only_symbols")),
        (JITCodeLibrary, ("_optimize_final_module", "_finalize_final_module")),
        (DefaultPassBuilder, ("define_nopython_pipeline",)),
        (NativeLowering, ("run_pass",)),
        (ConfigStack, ("top_or_none",)),
        (Flags, ("no_compile", "no_cpython_wrapper", "no_cfunc_wrapper", "nrt")),
        (CPUContext, ("insert_user_function", "codegen")),
        (
            numba.njit(lambda: None),
            ("overloads", "get_call_template", "_compile_for_args", "add_overload"),
        ),
    ):
        for name in names:
            getattr(owner, name)
    _LowerResult(fndesc=None, call_helper=None, cfunc=None, env=None)


def inner_kernel(
    function: Callable[..., Any], *, allocates: bool, optimised: bool = True, **options: Any
) -> Any:
    """Compile a function for other kernels, with these options of ``numba.njit``.

    One that allocates no arrays need not count references to those it is given, either: its callers hold
    them. Counting them makes for much code and takes longer than much of what is done with the arrays.

    Optimised or not, it is optimised again within each caller. Small kernels with loops do better if
    they are by themselves first; for large ones around other kernels that is a waste of time.
    """
    stages = _InnerCompiler if optimised else _FrameCompiler
    dispatcher = numba.njit(pipeline_class=stages, _nrt=allocates, **options)(function)

    @cache
    def on_its_own() -> Any:
        return numba.njit(**options)(function)

    def add_overload(result: Any) -> None:
        # numba's own would also register it for calls from Python
        dispatcher.overloads[tuple(result.signature.args)] = result

    def get_call_template(args: Any, keywords: Any) -> Any:
        # numba would compile once more for each constant among the arguments
        plain = [types.unliteral(kind) for kind in args]
        named = {name: types.unliteral(kind) for name, kind in keywords.items()}
        answer = type(dispatcher).get_call_template(dispatcher, plain, named)
        _check_returned_arrays(dispatcher, allocates)
        return answer

    dispatcher.add_overload, dispatcher.get_call_template = add_overload, get_call_template
    dispatcher._compile_for_args = lambda *args, **keywords: on_its_own()  # Python calls
    return dispatcher


def _check_returned_arrays(dispatcher: Any, counts: bool) -> None:
    """An array that is returned has to be counted by both sides, or by none."""
    caller = ConfigStack().top_or_none()
    if caller is None or caller.nrt == counts:
        return
    for result in dispatcher.overloads.values():
        if _has_arrays(result.signature.return_type):
            raise TypeError(
                f"kernel {dispatcher.py_func.__name__} returns arrays and "
                f"{'counts' if counts else 'does not count'} references, unlike its caller"
            )


def _has_arrays(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(_has_arrays(member) for member in kind)
    return isinstance(kind, types.Array)


class _LinkedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """LLVM code that is linked into other libraries and never made machine code by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _FrameLibrary(_LinkedLibrary):
    """The same, as it was lowered."""

    def _optimize_final_module(self) -> None:
        pass


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):  # type: ignore[misc]
    """numba's translation into LLVM code, without wrappers and machine code."""

    _name = "inner_lowering"
    library: type[_LinkedLibrary] = _LinkedLibrary

    def run_pass(self, state: Any) -> bool:
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered, entry_point = state["cr"], object()  # which numba knows it by
        state.targetctx.insert_user_function(entry_point, lowered.fndesc, [state.library])
        state["cr"] = _LowerResult(
            lowered.fndesc, lowered.call_helper, cfunc=entry_point, env=lowered.env
        )
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _FrameLowering(_InnerLowering):
    _name = "frame_lowering"
    library = _FrameLibrary


class _InnerCompiler(CompilerBase):  # type: ignore[misc]
    """numba's stages, the one exchanged."""

    lowering: type[_InnerLowering] = _InnerLowering

    def define_pipelines(self) -> list[Any]:
        stages = DefaultPassBuilder.define_nopython_pipeline(self.state)
        stages.passes = [
            (self.lowering, "inner lowering") if stage is NativeLowering else (stage, text)
            for stage, text in stages.passes
        ]
        stages.finalize()
        return [stages]


class _FrameCompiler(_InnerCompiler):
    lowering = _FrameLowering
