"""The inner steps of the loops over neurons: integrating, bounding, watching, gathering.

Built as :mod:`.vectors` explains, and like there, arrays come by address.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .vectors import FLOAT, I16, I32, I64, constant, element, load, plus, splat, store

GROUP = 32
"""Neurons to a step: four registers of single precision."""

WATCHED = 64
"""Neurons to a step where only a bound is kept: four registers of 16 bits a neuron."""


@intrinsic  # type: ignore[untyped-decorator]
def add_spikes(
    typingctx: Any,
    count: Any,
    columns: Any,
    inputs: Any,
    growth: Any,
    k: Any,
    before: Any,
    after: Any,
    alarm: Any,
) -> Any:
    """Add input spikes k to k + count − 1 to the potentials of a group; is one at ``alarm`` or above?

    ``count`` is a literal; ``columns`` is (inputs, GROUP).
    """
    if not isinstance(count, types.IntegerLiteral):
        return None
    n_spikes = count.literal_value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, columns, inputs, growth, k, before, after, alarm = args
        b = builder
        u = load(b, before, ir.Constant(I64, 0), FLOAT, GROUP)
        for n in range(n_spikes):
            row = b.zext(b.load(element(b, inputs, plus(b, k, n), I32)), I64)
            weights = load(b, columns, b.mul(row, ir.Constant(I64, GROUP)), FLOAT, GROUP)
            factor = splat(b, b.load(element(b, growth, plus(b, k, n), FLOAT)), GROUP)
            u = b.fadd(u, b.fmul(weights, factor))
        store(b, u, after, ir.Constant(I64, 0), FLOAT)
        over = b.fcmp_ordered(">=", u, splat(b, alarm, GROUP))
        return b.icmp_unsigned("!=", b.bitcast(over, ir.IntType(GROUP)), ir.IntType(GROUP)(0))

    return types.boolean(
        count,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.float32,
    ), codegen


@intrinsic  # type: ignore[untyped-decorator]
def gather_eight(
    typingctx: Any,
    weights: Any,
    o0: Any,
    o1: Any,
    o2: Any,
    o3: Any,
    o4: Any,
    o5: Any,
    o6: Any,
    o7: Any,
    i: Any,
    columns: Any,
    place: Any,
) -> Any:
    """columns[place + lane] = weights[offset of the lane + i]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        b = builder
        weights, offsets, i, columns, place = args[0], args[1:9], args[9], args[10], args[11]
        value = ir.Constant(ir.VectorType(FLOAT, 8), ir.Undefined)
        for lane, offset in enumerate(offsets):
            weight = b.load(element(b, weights, b.add(offset, i), FLOAT))
            value = b.insert_element(value, weight, ir.Constant(I32, lane))
        store(b, value, columns, place, FLOAT)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 12), codegen


@intrinsic  # type: ignore[untyped-decorator]
def add_bounds(
    typingctx: Any, count: Any, tile: Any, active: Any, rates: Any, k: Any, bounds: Any
) -> Any:
    """bounds += Σ rates[n]·tile[active[n]] for n = k to k + count − 1, in any order.

    The tile, (inputs, GROUP), holds the upper halves of single-precision numbers.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None
    n_inputs = count.literal_value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, tile, active, rates, k, bounds = args
        b = builder
        zero = ir.Constant(I64, 0)
        sums = [load(b, bounds, zero, FLOAT, GROUP), None]
        for n in range(n_inputs):
            i = b.zext(b.load(element(b, active, plus(b, k, n), I32)), I64)
            halves = load(b, tile, b.mul(i, ir.Constant(I64, GROUP)), I16, GROUP)
            words = b.shl(b.zext(halves, ir.VectorType(I32, GROUP)), constant(I32, 16, GROUP))
            values = b.bitcast(words, ir.VectorType(FLOAT, GROUP))
            rate = splat(b, b.load(element(b, rates, plus(b, k, n), FLOAT)), GROUP)
            product = b.fmul(values, rate, flags=["contract"])
            old = sums[n % 2]
            sums[n % 2] = product if old is None else b.fadd(old, product, flags=["contract"])
        total = sums[0] if sums[1] is None else b.fadd(sums[0], sums[1], flags=["contract"])
        store(b, total, bounds, zero, FLOAT)
        return context.get_dummy_value()

    return types.void(
        count, types.int64, types.int64, types.int64, types.int64, types.int64
    ), codegen


@intrinsic  # type: ignore[untyped-decorator]
def watch_spikes(
    typingctx: Any,
    count: Any,
    columns: Any,
    inputs: Any,
    k: Any,
    bounds: Any,
    tops: Any,
    decay_to_first: Any,
    decay_to_last: Any,
) -> Any:
    """One step of :mod:`.watch` for WATCHED neurons: input spikes k to k + count − 1 (a literal)."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    n_spikes = count.literal_value

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, columns, inputs, k, bounds, tops, decay_to_first, decay_to_last = args
        b = builder
        halves, words = ir.VectorType(I16, WATCHED), ir.VectorType(I32, WATCHED)
        zero = ir.Constant(I64, 0)
        name = f"llvm.uadd.sat.v{WATCHED}i16"
        add_saturated = b.module.globals.get(name) or ir.Function(
            b.module, ir.FunctionType(halves, [halves, halves]), name
        )

        def decayed(bound: Any, decay: Any) -> Any:
            factor = splat(b, b.zext(decay, I32), WATCHED)
            product = b.mul(b.zext(bound, words), factor)
            return b.trunc(b.lshr(product, constant(I32, 16, WATCHED)), halves)

        sums = constant(I16, 1, WATCHED)
        for n in range(n_spikes):
            row = b.zext(b.load(element(b, inputs, plus(b, k, n), I32)), I64)
            place = b.mul(row, ir.Constant(I64, WATCHED))
            weights = load(b, columns, place, ir.IntType(8), WATCHED)
            sums = b.add(sums, b.zext(weights, halves))
        bound = load(b, bounds, zero, I16, WATCHED)
        highest = b.call(add_saturated, [decayed(bound, decay_to_first), sums])
        bound = b.call(add_saturated, [decayed(bound, decay_to_last), sums])
        top = load(b, tops, zero, I16, WATCHED)
        top = b.select(b.icmp_unsigned(">", highest, top), highest, top)
        store(b, bound, bounds, zero, I16)
        store(b, top, tops, zero, I16)
        return context.get_dummy_value()

    return types.void(
        count,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.uint16,
        types.uint16,
    ), codegen


@intrinsic  # type: ignore[untyped-decorator]
def gather_bytes(
    typingctx: Any, coarse: Any, offsets: Any, i: Any, columns: Any, place: Any
) -> Any:
    """columns[place + lane] = coarse[offsets[lane] + i] for 16 lanes; all are bytes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        b = builder
        coarse, offsets, i, columns, place = args
        byte = ir.IntType(8)
        value = ir.Constant(ir.VectorType(byte, 16), ir.Undefined)
        for lane in range(16):
            offset = b.load(element(b, offsets, ir.Constant(I64, lane), I64))
            weight = b.load(element(b, coarse, b.add(offset, i), byte))
            value = b.insert_element(value, weight, ir.Constant(I32, lane))
        store(b, value, columns, place, byte)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), codegen
