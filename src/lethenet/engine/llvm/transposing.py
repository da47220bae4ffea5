"""Transposing small matrices in registers: weights are kept by neuron, and read by input.

Built as :mod:`.vectors` explains, and like there, arrays come by address.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .neuron_steps import PART
from .vectors import FLOAT, I8, I32, I64, element, load, store

BYTES, FLOATS = (PART, 16), (8, 4)
"""Neurons and neighbouring inputs of a transposed block."""


@intrinsic  # type: ignore[untyped-decorator]
def transpose_bytes(
    typingctx: Any, levels: Any, offsets: Any, i: Any, columns: Any, targets: Any
) -> Any:
    """columns[targets[m] + lane] = levels[offsets[lane] + i + m]: bytes, for BYTES lanes × inputs m."""
    lanes, n_inputs = BYTES

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        b = builder
        source, offsets, i, columns, targets = args
        together = (
            lanes // n_inputs
        )  # lanes whose inputs fill a vector, and then a word of each input
        words = ir.VectorType(ir.IntType(8 * together), n_inputs)
        by_input = [lane * n_inputs + m for m in range(n_inputs) for lane in range(together)]
        rows = []
        for first in range(0, lanes, together):
            parts = []
            for lane in range(first, first + together):
                offset = b.load(element(b, offsets, ir.Constant(I64, lane), I64))
                parts.append(load(b, source, b.add(offset, i), I8, n_inputs))
            while len(parts) > 1:
                parts = [_joined(b, *pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
            order = ir.Constant(ir.VectorType(I32, lanes), by_input)
            rows.append(b.bitcast(b.shuffle_vector(parts[0], parts[0], order), words))
        for run in (8, 4, 2, 1):
            for n in range(n_inputs):
                if n & run == 0:
                    rows[n], rows[n + run] = _swapped(b, rows[n], rows[n + run], run)
        for m, row in enumerate(rows):
            target = b.load(element(b, targets, ir.Constant(I64, m), I64))
            store(b, b.bitcast(row, ir.VectorType(I8, lanes)), columns, target, I8)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), codegen


def _joined(b: Any, first: Any, second: Any) -> Any:
    """Two vectors behind each other."""
    order = range(2 * int(first.type.count))
    return b.shuffle_vector(first, second, ir.Constant(ir.VectorType(I32, len(order)), list(order)))


def _swapped(b: Any, first: Any, second: Any, run: int) -> tuple[Any, Any]:
    """Two vectors after each second run of elements of the first has changed places with the run
    before it in the second: a step on the way to transpose a square."""
    count = int(first.type.count)
    low = [n if n & run == 0 else count + n - run for n in range(count)]
    high = [n + run if n & run == 0 else count + n for n in range(count)]
    kind = ir.VectorType(I32, count)
    return (
        b.shuffle_vector(first, second, ir.Constant(kind, low)),
        b.shuffle_vector(first, second, ir.Constant(kind, high)),
    )


@intrinsic  # type: ignore[untyped-decorator]
def transpose_floats(
    typingctx: Any, weights: Any, offsets: Any, i: Any, columns: Any, targets: Any
) -> Any:
    """The same in single precision, for FLOATS lanes × inputs."""
    return types.void(*[types.int64] * 5), _transposing(FLOAT, *FLOATS)


def _transposing(kind: Any, lanes: int, n_inputs: int) -> Any:
    """By halves: a vector has some inputs, of each some lanes; those of another vector join them.

    There are twice as many lanes as inputs.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        b = builder
        source, offsets, i, columns, targets = args
        rows = []
        for lane in range(lanes):
            offset = b.load(element(b, offsets, ir.Constant(I64, lane), I64))
            rows.append(load(b, source, b.add(offset, i), kind, n_inputs))
        run, apart = 1, 1  # lanes of an input that are together; where the vector is that has more
        while run < lanes:
            pairs = [(rows[n], rows[n + apart]) for n in range(len(rows)) if n // apart % 2 == 0]
            rows = [mixed for pair in pairs for mixed in _mixed(b, *pair, run, lanes)]
            run, apart = 2 * run, run
        for m, row in enumerate(rows):
            target = b.load(element(b, targets, ir.Constant(I64, m), I64))
            store(b, row, columns, target, kind)
        return context.get_dummy_value()

    return codegen


def _mixed(b: Any, first: Any, second: Any, run: int, length: int) -> list[Any]:
    """Runs of elements from two vectors in turn, in vectors of this length."""
    count = int(first.type.count)
    order = [
        n + side
        for start in range(0, count, run)
        for side in (0, count)
        for n in range(start, start + run)
    ]
    return [
        b.shuffle_vector(
            first, second, ir.Constant(ir.VectorType(I32, length), order[start : start + length])
        )
        for start in range(0, 2 * count, length)
    ]
