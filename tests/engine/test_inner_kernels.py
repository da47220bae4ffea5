"""Kernels that only kernels call: no machine code of their own, and nobody notices."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from lethenet.engine.compiling.inner_kernels import inner_kernel


def make_pair():
    """An inner kernel and an ordinary one that calls it, with a constant and with a variable."""

    def weighted(values, scale, offset=1):
        if scale < 0:
            raise ValueError("scale below zero")
        total = 0.0
        for value in values:
            total += value * scale + offset
        return total

    inner = inner_kernel(weighted, allocates=False, error_model="numpy", nogil=True)

    @numba.njit
    def outer(values, scale):
        return inner(values, 0) + inner(values, scale) + inner(values, scale, offset=2)

    return inner, outer, weighted


def test_called_by_a_kernel():
    _, outer, weighted = make_pair()
    values = np.arange(5.0)
    expected = weighted(values, 0) + weighted(values, 3) + weighted(values, 3, 2)
    assert outer(values, 3) == expected


def test_compiled_once_for_constants_and_variables():
    inner, outer, _ = make_pair()
    outer(np.arange(5.0), 3)
    kinds = [[str(kind) for kind in signature] for signature in inner.overloads]
    assert sorted(kinds) == [
        ["array(float64, 1d, C)", "int64", "int64"],
        ["array(float64, 1d, C)", "int64", "omitted(default=1)"],
    ]


def test_has_neither_wrappers_nor_machine_code():
    inner, outer, _ = make_pair()
    outer(np.arange(5.0), 3)
    engine = next(iter(outer.overloads.values())).library._codegen._engine
    for result in inner.overloads.values():
        names = [function.name for function in result.library.get_defined_functions()]
        assert result.fndesc.mangled_name in names
        assert result.fndesc.llvm_cpython_wrapper_name not in names
        assert not engine.is_symbol_defined(result.fndesc.llvm_cpython_wrapper_name)


def test_python_may_call_it_all_the_same():
    inner, outer, weighted = make_pair()
    values = np.arange(5.0)
    assert inner(values, 2.5) == weighted(values, 2.5), "before any kernel did"
    outer(values, 3)
    assert inner(values, 3) == weighted(values, 3), "after"
    assert inner(values, scale=3, offset=4) == weighted(values, 3, 4)


def test_returned_arrays_are_counted_by_both_sides_or_by_none():
    def half(values):
        return values[::2], 1.0

    def total_of_half(values):
        part, offset = inner(values)
        return part[0] + part[1] + part[2] + offset

    for counted in (False, True):
        inner = inner_kernel(half, allocates=counted)
        same = inner_kernel(total_of_half, allocates=counted)
        outer = numba.njit(lambda values, same=same: same(values))
        assert outer(np.arange(5.0)) == 7.0
        other = inner_kernel(total_of_half, allocates=not counted)
        outer = numba.njit(lambda values, other=other: other(values))
        with pytest.raises(Exception, match="half returns arrays and"):
            outer(np.arange(5.0))


def test_its_errors_arrive():
    inner, outer, _ = make_pair()
    with pytest.raises(ValueError, match="scale below zero"):
        outer(np.arange(5.0), -1)
    with pytest.raises(ValueError, match="scale below zero"):
        inner(np.arange(5.0), -1)
