"""Machine instructions and hints to the compiler that numba does not offer by name."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def high_product(typingctx: Any, a: Any, b: Any) -> Any:
    """Upper 64 bits of the 128-bit product of two unsigned 64-bit integers."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typingctx: Any, x: Any) -> Any:
    """The 64 bits of a double as a signed integer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def double_of(typingctx: Any, bits: Any) -> Any:
    """The double with these 64 bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def stay_out_of_line(typingctx: Any) -> Any:
    """Keep LLVM from inlining the kernel that calls this.

    A loop that became vector code in its own function can lose that when it is inlined beside others.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic  # type: ignore[untyped-decorator]
def go_in_line(typingctx: Any) -> Any:
    """Make LLVM inline the kernel that calls this.

    A tuple of many arrays is handed over number by number; hundreds of them outlast a short kernel.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.function.attributes.add("alwaysinline")
        return context.get_dummy_value()

    return types.void(), codegen
