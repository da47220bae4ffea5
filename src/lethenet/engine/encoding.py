"""Encoding: a sample as rates, and one Poisson process for the whole image.

A sample becomes a rate vector λ = x / ‖x‖₂ (one spike per time unit in norm; paper, "Input Encoding").
The union of independent Poisson trains of rates λᵢ is one train of rate Λ = Σ λᵢ whose spikes each
belong to input i with probability λᵢ / Λ. So a spike costs two random words: one for the interval to
the spike before it, −ln(U)/Λ, one for its input, by an alias table (Vose 1991), which needs one product:

    word · n = slot · 2⁶⁴ + fraction;    input = slot if fraction < cutoff[slot] else alias[slot]

Intervals are kept in units of the mean interval 1/Λ. Raising all rates by a factor then only changes
the unit (time-rescaling), and no spike is drawn again.
"""

from __future__ import annotations

import numpy as np

from .compiling.kernels import allocating_kernel, entry_kernel, kernel
from .llvm.llvm_bits import high_product, stay_out_of_line
from .llvm.vectors import WIDE, address, intervals_wide

_TWO_TO_64 = 18446744073709551616.0
_ALWAYS = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def encode(sample: np.ndarray, active: np.ndarray, rates: np.ndarray) -> tuple[int, float]:
    """Write the active inputs of a sample and their rates; return how many, and the total rate Λ.

    Dividing by the largest value first keeps the squares of very large or small values in range.
    """
    largest = 0.0
    for i in range(sample.size):
        largest = max(largest, sample[i])
    n_active = 0
    squares = 0.0
    for i in range(sample.size):
        if sample[i] > 0.0:
            scaled = sample[i] / largest
            active[n_active] = i
            rates[n_active] = scaled
            squares += scaled * scaled
            n_active += 1
    norm = np.sqrt(squares)
    total = 0.0
    for k in range(n_active):
        rates[k] /= norm
        total += rates[k]
    return n_active, total


@entry_kernel
def usable(sample: np.ndarray, rounding: float) -> bool:
    """Whether a sample is finite, and nowhere further below 0 than this part of its largest number."""
    finite, least, largest = True, 0.0, 0.0
    for i in range(sample.size):
        finite &= abs(sample[i]) < np.inf
        least, largest = min(least, sample[i]), max(largest, sample[i])
    return finite and least >= -rounding * largest


@allocating_kernel
def build_alias_table(
    rates: np.ndarray, n: int, total: float, cutoff: np.ndarray, choice: np.ndarray
) -> None:
    """Fill the table by which :func:`pick_inputs` turns a random word into an input.

    Slot s stands for input ``choice[2 s]`` where the fraction is below ``cutoff[s]``, and for
    ``choice[2 s + 1]`` elsewhere. Keeping both in one table makes the choice free of branches.
    """
    shares = np.empty(n)
    small = np.empty(n, np.int32)
    large = np.empty(n, np.int32)
    n_small = 0
    n_large = 0
    for k in range(n):
        shares[k] = rates[k] * n / total
        choice[2 * k] = k
        choice[2 * k + 1] = k
        cutoff[k] = _ALWAYS
        if shares[k] < 1.0:
            small[n_small] = k
            n_small += 1
        else:
            large[n_large] = k
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        taker = small[n_small]
        giver = large[n_large - 1]
        cutoff[taker] = np.uint64(shares[taker] * _TWO_TO_64)
        choice[2 * taker + 1] = giver
        shares[giver] = (shares[giver] + shares[taker]) - 1.0
        if shares[giver] < 1.0:
            n_large -= 1
            small[n_small] = giver
            n_small += 1
    # What is left on either stack has a share of 1 up to rounding: it keeps its slot for itself.


@kernel
def unit_intervals(words: np.ndarray, intervals: np.ndarray, first: int) -> None:
    """Exponential intervals −ln U of mean 1, one for each random word, from place ``first`` on.

    52 random bits are the fraction of a number in [1, 2); U = 2 − that lies in (0, 1]. There are a
    multiple of 16 words.
    """
    stay_out_of_line()
    source, target = address(words), address(intervals)
    for k in range(0, words.size, WIDE):
        intervals_wide(source, k, target, first)


@kernel
def pick_inputs(
    words: np.ndarray,
    n_active: int,
    cutoff: np.ndarray,
    choice: np.ndarray,
    inputs: np.ndarray,
    first: int,
    intervals: np.ndarray,
    times: np.ndarray,
    last: float,
    mean: float,
) -> float:
    """The inputs of spikes (positions among the active ones) and their times, one for each word.

    From ``first`` on; the first of them follows time ``last``. Returns the time of the last one. Both in
    one loop: a sum of times waits for the one before it, and inputs are picked meanwhile.
    """
    stay_out_of_line()
    slots, start = np.uint64(n_active), np.uint64(first)
    for k in range(
        np.uint64(words.size)
    ):  # without sign, or numba would ask whether an index has one
        slot = high_product(words[k], slots)
        above = np.uint64(words[k] * slots >= cutoff[slot])
        inputs[start + k] = choice[np.uint64(2) * slot + above]
        last = last + intervals[start + k] * mean
        times[start + k] = last
    return last
