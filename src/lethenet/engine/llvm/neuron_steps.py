"""The inner steps of the loops over neurons: integrating and bounding.

Built as :mod:`.vectors` explains, and like there, arrays come by address.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .vectors import FLOAT, I8, I16, I32, I64, constant, element, load, plus, splat, store

GROUP = 32
"""Neurons to a step: four registers of single precision."""

TILE = 32
"""Neurons to a tile of the certificate: what a sample needs of it fits in the nearest cache."""

SPIKES_PER_STEP = 8
"""Input spikes to a step of the bounds (:mod:`..candidates.bounded_neurons`)."""

PAIRS = 4
"""Pairs of inputs to a step."""

PART = 64
"""Neurons whose levels fill a line of memory."""

BOUNDED = 2 * PART
"""Neurons to a step where only a bound is kept."""


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

    return types.boolean(count, *[types.int64] * 6, types.float32), codegen


@intrinsic  # type: ignore[untyped-decorator]
def bound_products(
    typingctx: Any,
    tile: Any,
    pairs: Any,
    packed: Any,
    n_pairs: Any,
    steps: Any,
    step: Any,
    bounds: Any,
) -> Any:
    """bounds = step·steps·Σ tile[pairs[n]]·packed[n], over both inputs of all pairs, for TILE neurons.

    The tile, (pairs, TILE, 2), holds integers of 16 bits, as :mod:`..candidates.fixed_point` explains.
    ``n_pairs`` is a multiple of PAIRS.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tile, pairs, packed, n_pairs, steps, step, bounds = args
        b = builder
        zero = ir.Constant(I64, 0)
        halves, words = ir.VectorType(I16, 2 * TILE), ir.VectorType(I32, 2 * TILE)
        sums = ir.VectorType(I32, TILE)
        even, odd = (ir.Constant(sums, [2 * n + parity for n in range(TILE)]) for parity in (0, 1))
        nothing = ir.Constant(words, ir.Undefined)
        totals = [cgutils.alloca_once_value(b, ir.Constant(sums, None)) for _ in range(2)]
        with cgutils.for_range_slice(b, zero, n_pairs, ir.Constant(I64, PAIRS), I64) as (k, _):
            for n in range(PAIRS):
                pair = b.zext(b.load(element(b, pairs, plus(b, k, n), I32)), I64)
                levels = load(b, tile, b.mul(pair, ir.Constant(I64, 2 * TILE)), I16, 2 * TILE)
                both = b.load(element(b, packed, plus(b, k, n), I32))
                factors = b.bitcast(splat(b, both, TILE), halves)
                # LLVM makes one instruction (pmaddwd, where there is one) of these:
                products = b.mul(b.sext(levels, words), b.sext(factors, words))
                first = b.shuffle_vector(products, nothing, even)
                second = b.shuffle_vector(products, nothing, odd)
                total = totals[n % 2]
                b.store(b.add(b.load(total), b.add(first, second)), total)
        total = b.sitofp(b.add(b.load(totals[0]), b.load(totals[1])), ir.VectorType(FLOAT, TILE))
        scales = b.fmul(load(b, steps, zero, FLOAT, TILE), splat(b, step, TILE))
        store(b, b.fmul(total, scales), bounds, zero, FLOAT)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5, types.float32, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def bound_spikes(
    typingctx: Any,
    columns: Any,
    rows: Any,
    n_steps: Any,
    decays: Any,
    bounds: Any,
    tops: Any,
) -> Any:
    """Steps of the bounds of BOUNDED neurons, SPIKES_PER_STEP input spikes each.

    ``rows`` tells where in ``columns`` the rows of the spikes' inputs are. A row has a level a neuron,
    below 64: four of them are added in 8 bits. Of each PART, those at even places are the first half in
    ``bounds`` and ``tops``, those at odd places the other.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        columns, rows, n_steps, decays, bounds, tops = args
        b = builder
        half = PART // 2
        halves, words = ir.VectorType(I16, half), ir.VectorType(I32, half)
        quarters = [ir.Constant(I64, place) for place in range(0, BOUNDED, half)]

        def saturating(operation: str, x: Any, y: Any) -> Any:
            name = f"llvm.{operation}.v{half}i16"
            kind = ir.FunctionType(halves, [halves, halves])
            function = b.module.globals.get(name) or ir.Function(b.module, kind, name)
            return b.call(function, [x, y])

        def decayed(bound: Any, decay: Any) -> Any:
            product = b.mul(b.zext(bound, words), b.zext(splat(b, decay, half), words))
            return b.trunc(b.lshr(product, constant(I32, 16, half)), halves)

        kept = [
            [cgutils.alloca_once_value(b, load(b, array, place, I16, half)) for place in quarters]
            for array in (bounds, tops)
        ]
        with cgutils.for_range(b, n_steps) as loop:
            decay = b.load(element(b, decays, loop.index, I16))
            k = b.mul(loop.index, ir.Constant(I64, SPIKES_PER_STEP))
            sums = [constant(I16, 1, half) for _ in quarters]
            for start in range(0, SPIKES_PER_STEP, 4):
                places = [
                    b.load(element(b, rows, plus(b, k, n), I32)) for n in range(start, start + 4)
                ]
                for part in range(BOUNDED // PART):
                    levels = [
                        load(b, columns, plus(b, b.zext(row, I64), part * PART), I8, PART)
                        for row in places
                    ]
                    four = reduce(b.add, levels)
                    joined = b.bitcast(four, halves)
                    even, odd = 2 * part, 2 * part + 1
                    sums[even] = b.add(sums[even], b.and_(joined, constant(I16, 255, half)))
                    sums[odd] = b.add(sums[odd], b.lshr(joined, constant(I16, 8, half)))
            for added, bound, top in zip(sums, *kept, strict=True):
                before = b.load(bound)
                highest = saturating("uadd.sat", before, added)
                b.store(saturating("uadd.sat", decayed(before, decay), added), bound)
                b.store(saturating("umax", highest, b.load(top)), top)
        for array, values in zip((bounds, tops), kept, strict=True):
            for place, value in zip(quarters, values, strict=True):
                store(b, b.load(value), array, place, I16)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 6), codegen


@intrinsic  # type: ignore[untyped-decorator]
def any_reached(typingctx: Any, tops: Any, alarms: Any) -> Any:
    """Whether one of BOUNDED bounds is at its alarm or above."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        b = builder
        zero = ir.Constant(I64, 0)
        tops, alarms = (load(b, array, zero, I16, BOUNDED) for array in args)
        reached = b.bitcast(b.icmp_unsigned(">=", tops, alarms), ir.IntType(BOUNDED))
        return b.icmp_unsigned("!=", reached, ir.IntType(BOUNDED)(0))

    return types.boolean(types.int64, types.int64), codegen
