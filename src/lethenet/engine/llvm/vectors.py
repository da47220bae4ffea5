"""Arithmetic on whole vectors, for the few loops where LLVM does not find the best code by itself.

Each function here is one step of a loop, written for a fixed number of lanes. LLVM splits such a vector
over as many registers as it takes on the machine at hand. That gives several independent chains of
operations side by side: a chain of dependent operations, like a polynomial, then costs what its
operations cost, not what waiting for each of them costs. Operations are those of the scalar code, lane
by lane in the same order, so results are the same bits (tested).

Arrays are passed by address (:func:`address`), because numba would count references to them at
every step. The caller sees to it that they live, and that all lanes lie inside.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ...model.numbers import EXP_SERIES, LN2_HIGH, LN2_LOW, LOG2_E, LOG_SERIES, SQRT_HALF_BITS

WIDE = 32
"""Doubles to a step: four registers of 512 bits."""

LINE = 64
"""Bytes that come from memory together."""

I8, I16, I32, I64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
_EXPONENT = 52


def splat(builder: Any, value: Any, lanes: int) -> Any:
    """A vector with the same value in all lanes."""
    nothing = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(I32, 0))
    mask = ir.Constant(ir.VectorType(I32, lanes), [0] * lanes)
    return builder.shuffle_vector(one, nothing, mask)


def constant(kind: Any, value: Any, lanes: int) -> Any:
    """A vector of constants."""
    return ir.Constant(ir.VectorType(kind, lanes), [value] * lanes)


def width(kind: Any) -> int:
    """Bytes of one element."""
    return int(kind.width) // 8 if isinstance(kind, ir.IntType) else 4 if kind is FLOAT else 8


def element(builder: Any, address: Any, offset: Any, kind: Any) -> Any:
    """Pointer to element ``offset`` of the array of this kind at ``address``."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [offset])


def load(builder: Any, address: Any, offset: Any, kind: Any, lanes: int) -> Any:
    """A vector from element ``offset`` on of the array at ``address``."""
    place = element(builder, address, offset, kind)
    value = builder.load(builder.bitcast(place, ir.VectorType(kind, lanes).as_pointer()))
    value.align = width(kind)
    return value


def store(builder: Any, value: Any, address: Any, offset: Any, kind: Any) -> None:
    """Write a vector from element ``offset`` on."""
    place = element(builder, address, offset, kind)
    written = builder.store(value, builder.bitcast(place, value.type.as_pointer()))
    written.align = width(kind)


def plus(builder: Any, offset: Any, more: int) -> Any:
    """An offset some elements further on."""
    return builder.add(offset, ir.Constant(I64, more))


def _polynomial(builder: Any, coefficients: tuple[float, ...], x: Any) -> Any:
    """Horner's scheme, the highest coefficient first."""
    value = constant(DOUBLE, coefficients[0], WIDE)
    for coefficient in coefficients[1:]:
        value = builder.fadd(builder.fmul(value, x), constant(DOUBLE, coefficient, WIDE))
    return value


@intrinsic  # type: ignore[untyped-decorator]
def address(typingctx: Any, array: Any) -> Any:
    """Where the elements of an array begin in memory."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, I64)

    return types.int64(array), codegen


def _exp(b: Any, x: Any) -> Any:
    """e^x of a vector of doubles, see :mod:`lethenet.model.numbers`."""
    half = b.fadd(b.fmul(x, constant(DOUBLE, LOG2_E, WIDE)), constant(DOUBLE, 0.5, WIDE))
    vector = x.type
    name = f"llvm.floor.v{WIDE}f64"
    floor = b.module.globals.get(name) or ir.Function(
        b.module, ir.FunctionType(vector, [vector]), name
    )
    whole = b.call(floor, [half])
    r = b.fsub(x, b.fmul(whole, constant(DOUBLE, LN2_HIGH, WIDE)))
    r = b.fsub(r, b.fmul(whole, constant(DOUBLE, LN2_LOW, WIDE)))
    exponent = b.sext(b.fptosi(whole, ir.VectorType(I32, WIDE)), ir.VectorType(I64, WIDE))
    exponent = b.add(exponent, constant(I64, 1023, WIDE))
    power = b.bitcast(b.shl(exponent, constant(I64, _EXPONENT, WIDE)), vector)
    return b.fmul(_polynomial(b, EXP_SERIES, r), power)


def _since(b: Any, times: Any, k: Any, base: Any, inverse_tau: Any) -> Any:
    """(times[k + lane] − base)·inverse_tau."""
    x = b.fsub(load(b, times, k, DOUBLE, WIDE), splat(b, base, WIDE))
    return b.fmul(x, splat(b, inverse_tau, WIDE))


@intrinsic  # type: ignore[untyped-decorator]
def exp_wide(typingctx: Any, times: Any, k: Any, base: Any, inverse_tau: Any, factors: Any) -> Any:
    """factors[k + lane] = exp((times[k + lane] − base)·inverse_tau), see :mod:`lethenet.model.numbers`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        times, k, base, inverse_tau, factors = args
        x = _since(builder, times, k, base, inverse_tau)
        store(builder, _exp(builder, x), factors, k, DOUBLE)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64, types.float64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def grow_wide(
    typingctx: Any,
    times: Any,
    k: Any,
    base: Any,
    inverse_tau: Any,
    threshold: Any,
    growth: Any,
    thresholds: Any,
) -> Any:
    """The same in single precision, and the threshold times it: see :func:`..membrane.grow`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        times, k, base, inverse_tau, threshold, growth, thresholds = args
        b = builder
        single = ir.VectorType(FLOAT, WIDE)
        factor = _exp(b, _since(b, times, k, base, inverse_tau))
        store(b, b.fptrunc(factor, single), growth, k, FLOAT)
        limit = b.fmul(splat(b, threshold, WIDE), factor)
        store(b, b.fptrunc(limit, single), thresholds, k, FLOAT)
        return context.get_dummy_value()

    address, number = types.int64, types.float64
    return types.void(address, types.int64, *[number] * 3, address, address), codegen


@intrinsic  # type: ignore[untyped-decorator]
def intervals_wide(typingctx: Any, words: Any, k: Any, intervals: Any, first: Any) -> Any:
    """intervals[first + k + lane] = −log(U) of words[k + lane], see :func:`..encoding.unit_intervals`.

    U lies in [2⁻⁵², 1], so the exponent is lifted by 1024 to be shifted as a number without sign.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words, k, intervals, first = args
        b = builder
        vector = ir.VectorType(DOUBLE, WIDE)
        integers = ir.VectorType(I64, WIDE)
        word = b.lshr(load(b, words, k, I64, WIDE), constant(I64, 12, WIDE))
        fraction = b.bitcast(b.or_(word, constant(I64, 0x3FF << _EXPONENT, WIDE)), vector)
        bits = b.bitcast(b.fsub(constant(DOUBLE, 2.0, WIDE), fraction), integers)
        lift = (1024 << _EXPONENT) - SQRT_HALF_BITS
        lifted = b.lshr(b.add(bits, constant(I64, lift, WIDE)), constant(I64, _EXPONENT, WIDE))
        exponent = b.sub(lifted, constant(I64, 1024, WIDE))
        z = b.bitcast(b.sub(bits, b.shl(exponent, constant(I64, _EXPONENT, WIDE))), vector)
        # lifted as the last bits of a double at 2**52: minus 2**52 + 1024 it is the exponent
        at_52 = b.or_(lifted, constant(I64, (1023 + 52) << _EXPONENT, WIDE))
        e = b.fsub(b.bitcast(at_52, vector), constant(DOUBLE, 2.0**52 + 1024.0, WIDE))
        f = b.fsub(z, constant(DOUBLE, 1.0, WIDE))
        s = b.fdiv(f, b.fadd(constant(DOUBLE, 2.0, WIDE), f))
        s2 = b.fmul(s, s)
        tail = b.fmul(_polynomial(b, LOG_SERIES, s2), s2)
        half = b.fmul(b.fmul(constant(DOUBLE, 0.5, WIDE), f), f)
        inner = b.fadd(b.fmul(s, b.fadd(half, tail)), b.fmul(e, constant(DOUBLE, LN2_LOW, WIDE)))
        right = b.fsub(b.fsub(half, inner), f)
        logarithm = b.fsub(b.fmul(e, constant(DOUBLE, LN2_HIGH, WIDE)), right)
        negative = b.fsub(constant(DOUBLE, -0.0, WIDE), logarithm)
        store(b, negative, intervals, b.add(first, k), DOUBLE)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def fetch(typingctx: Any, place: Any) -> Any:
    """Start to fetch the line of memory at this address into the nearest cache."""
    return types.void(types.int64), _fetching(3)


@intrinsic  # type: ignore[untyped-decorator]
def fetch_soon(typingctx: Any, place: Any) -> Any:
    """The same into the second-nearest cache, without taking room in the nearest."""
    return types.void(types.int64), _fetching(2)


def _fetching(nearness: int) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, I32, I32, I32])
        name = "llvm.prefetch.p0"
        prefetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        to_read, keep, data = ir.Constant(I32, 0), ir.Constant(I32, nearness), ir.Constant(I32, 1)
        builder.call(prefetch, [pointer, to_read, keep, data])
        return context.get_dummy_value()

    return codegen
