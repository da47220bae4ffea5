"""The network in integers, written to be read: what the C for devices does, bit for bit.

The model is that of :mod:`.reference`, with every quantity in fixed point and no exponential, logarithm or
division by a rate at run time:

* **weights** are whole steps, 0 to 2**bits − 1; a weight vector of length one is ``unit / 256`` steps long;
* **time** is counted in ticks, 2**24 to the time in which a potential halves (an octave). An input spike
  comes after −ln(U) mean intervals, with −log₂(U) from a table of 256 places; below the last of them the
  process, which has no memory, starts again there;
* **potentials** do not decay: what is added to them, and the threshold, grow as 2**(time in octaves), which
  a table has; at the end of an octave all are halved. Traces do the same, more slowly;
* **inputs** are picked by an alias table in whole numbers, made once per sample;
* **usage** counts spikes in 256ths; the least used neuron is the one that dopamine reaches.

Random numbers are the package's own (Philox, :mod:`.numbers`), keyed by the seed and the number of the
presentation, or by the checksum of the sample while recognising.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, product
from math import isqrt

import numpy as np

from .numbers import LEARNING, RECOGNITION, two_words

ROUNDING = 4  # what random numbers are for, beside those in .numbers
TICK_BITS = 24
OCTAVE = 1 << TICK_BITS
TRACE_BITS = 8

INTERVALS = [0, *(round(-65536 * math.log2(place / 256)) for place in range(1, 257))]
"""−log₂(place/256) in 65536ths; the first has no meaning."""


@dataclass(frozen=True)
class IntegerConstants:
    """All that does not change while it learns; made by :func:`~lethenet.model.quantise`."""

    n_neurons: int
    n_features: int
    n_classes: int
    bits: int
    rounding: str  # "stochastic": up or down by chance; "nearest"; "shadow": nearest to 16 bits kept aside
    seed: int
    unit: int  # length of a weight vector, in 256ths of a step
    threshold: int  # the same
    interval: int  # 2**32 / tau_mem: with a sample's length and sum, its mean interval
    trace_ratio: int  # tau_mem / tau_pre in 65536ths
    imprint_scale: int  # what a spike in a trace is as a weight, in 65536ths of a step
    period: int  # recognition_time in ticks
    lowest_rate: int  # in 65536ths, as the next
    imprint_rate: int
    annealed: bool
    n_output_spikes: int
    n_readout_spikes: int
    forced_usage: int  # what a spike that dopamine forced counts, in 256ths
    slower: int  # 1 / rate_gain in 65536ths
    most_raises: int
    growth_bits: int

    @property
    def levels(self) -> int:
        """The largest weight, in steps."""
        return (1 << self.bits) - 1

    @property
    def kept_bits(self) -> int:
        """Bits of the weights that learning starts from: those of the shadow, if there is one."""
        return 16 if self.rounding == "shadow" else self.bits

    @property
    def growth(self) -> list[int]:
        """2**(place/256), as a whole number of ``growth_bits`` bits and one."""
        return [int(2 ** ((place + 0.5) / 256) * (1 << self.growth_bits)) for place in range(256)]


@dataclass
class IntegerPresentation:
    """What happened while a sample was shown."""

    winners: list[int] = field(default_factory=list)
    imprinted: int = -1
    n_input_spikes: int = 0
    n_raises: int = 0


def alias_table(shares: list[int], total: int) -> tuple[list[int], list[int]]:
    """Vose's table in whole numbers: slot s means s below cut[s] of ``total``, else alias[s].

    >>> alias_table([1, 3], 4)
    ([2, 4], [1, 1])
    """
    cut, alias = [share * len(shares) for share in shares], list(range(len(shares)))
    small = [k for k, share in enumerate(cut) if share < total]
    large = [k for k, share in enumerate(cut) if share >= total]
    while small:
        taker, giver = small.pop(), large[-1]
        alias[taker] = giver
        cut[giver] -= total - cut[taker]
        if cut[giver] < total:
            small.append(large.pop())
    return cut, alias


def exponential(word: int) -> int:
    """−log₂(U) in 65536ths for 32 random bits, straight between 256 places of a table.

    >>> exponential(1 << 31), exponential(2**32 - 1), exponential(0) // 65536
    (65536, 1, 32)
    """
    exponent = 0
    while word < 1 << 24:  # the process has no memory: start again eight octaves later
        exponent += 8 << 16
        word = word << 8 | 255
    place, rest = word >> 24, word >> 8 & 0xFFFF
    high, low = INTERVALS[place], INTERVALS[place + 1]
    return exponent + high - ((high - low) * rest >> 16)


class IntegerNetwork:
    """A network in integers that learns, recognises and counts labels, one sample at a time.

    A sample is a row of bytes. :func:`~lethenet.model.quantise` makes one of a trained network.

    Attributes
    ----------
    weights : uint32 (n_features, n_neurons)
        In steps. A row for each input: that is what a spike adds.
    kept : uint32 (n_features, n_neurons)
        What learning starts from: the weights themselves, or their 16-bit shadow.
    usage, spikes_since_imprint, labels, n_presentations
        As in the other network; labels are counted up to 65535.

    Examples
    --------
    >>> from lethenet.model import PAPER, initial_state, quantise
    >>> from lethenet.model.network import Network
    >>> network = quantise(Network(PAPER, initial_state(n_neurons=3, n_features=4, seed=0)))
    >>> shown = network.learn(np.array([0, 200, 100, 0], np.uint8))
    >>> len(shown.winners), shown.imprinted
    (1, 0)
    """

    def __init__(self, constants: IntegerConstants, kept: np.ndarray) -> None:
        c = self.constants = constants
        self.kept = kept.astype(np.uint32)
        self.weights = self.kept if c.rounding != "shadow" else self._coarse(self.kept)
        self.usage = np.zeros(c.n_neurons, np.int64)
        self.spikes_since_imprint = np.zeros(c.n_neurons, np.int64)
        self.labels = np.zeros((c.n_neurons, c.n_classes), np.int64)
        self.n_presentations = 0
        self._growth = c.growth

    def learn(self, sample: np.ndarray) -> IntegerPresentation:
        """Show one sample and learn from it."""
        number = self.n_presentations
        self.n_presentations = number + 1 & 0xFFFFFFFF
        return self._present(sample, number, plastic=True)

    def recognise(self, sample: np.ndarray) -> IntegerPresentation:
        """Show one sample to the frozen network: depends on nothing but the sample."""
        return self._present(sample, zlib.crc32(sample.tobytes()), plastic=False)

    def _spikes(self, sample: np.ndarray, number: int, use: int) -> Iterator[tuple[int, int]]:
        """The input that spikes next, and after how many mean intervals, in 65536ths."""
        active = [int(i) for i in np.flatnonzero(sample)]
        shares = [int(sample[i]) for i in active]
        total = sum(shares)
        cut, alias = alias_table(shares, total)
        for index in count():
            for pair in two_words(seed=self.constants.seed, number=number, use=use, index=index):
                slot, rest = divmod((pair & 0xFFFFFFFF) * len(active), 1 << 32)
                own = rest * total >> 32 < cut[slot]
                yield active[slot if own else alias[slot]], exponential(pair >> 32)

    def _present(self, sample: np.ndarray, number: int, *, plastic: bool) -> IntegerPresentation:
        c, shown = self.constants, IntegerPresentation()
        values = [int(x) for x in sample if x]
        if not values:
            return shown  # a blank sample sends no spikes
        length = isqrt(sum(x * x for x in values) << 16)
        mean_interval = length * c.interval // (sum(values) << 16)  # in ticks
        spikes = self._spikes(sample, number, LEARNING if plastic else RECOGNITION)
        potentials = np.zeros(c.n_neurons, np.uint32)
        trace = np.zeros(c.n_features, np.uint32)
        clock = phase = trace_phase = 0  # since the last output spike; since the last octave
        source, exponent = next(spikes)
        wait = exponent * mean_interval >> 16

        while len(shown.winners) < (c.n_output_spikes if plastic else c.n_readout_spikes):
            silent = clock + wait >= c.period
            step = c.period - clock if silent else wait
            clock += step
            phase += step
            trace_phase += step * c.trace_ratio >> 16
            potentials >>= min(phase >> TICK_BITS, 31)
            trace >>= min(trace_phase >> TICK_BITS, 31)
            phase, trace_phase = phase % OCTAVE, trace_phase % OCTAVE
            if silent and not plastic:  # nobody to push: raise the input rates instead
                shown.n_raises += 1
                if shown.n_raises > c.most_raises:
                    break
                mean_interval = mean_interval * c.slower >> 16
                wait = (wait - step) * c.slower >> 16
                clock = 0
                continue
            if silent:  # the dopaminergic neuron fires, and reaches the least used
                winner = shown.imprinted = int(np.argmin(self.usage))
            else:
                growth = self._growth[phase >> 16]
                potentials += self.weights[source] * np.uint32(growth)
                trace[source] += self._growth[trace_phase >> 16] >> c.growth_bits - TRACE_BITS
                shown.n_input_spikes += 1
                source, exponent = next(spikes)
                wait = exponent * mean_interval >> 16
                winner = int(np.argmax(potentials))
                if potentials[winner] < c.threshold * growth >> 8:
                    continue
            shown.winners.append(winner)
            if plastic:
                self._update(winner, trace, trace_phase, number, shown)
            if silent:
                break
            potentials[:] = 0
            clock = phase = 0
        return shown

    def _update(
        self, j: int, trace: np.ndarray, phase: int, number: int, shown: IntegerPresentation
    ) -> None:
        """w ← w + rate (trace/τ_pre − w), made of length one again and whole; usage rises."""
        c, forced = self.constants, shown.imprinted >= 0
        n = 1 if forced else min(int(self.spikes_since_imprint[j]) + 1, 65535)
        rate = c.imprint_rate if forced else c.lowest_rate
        if c.annealed and not forced:
            rate = max(rate, 65536 // n)
        self.spikes_since_imprint[j] = n
        self.usage[j] = min(self.usage[j] + (c.forced_usage if forced else 256), 2**32 - 1)
        if forced:
            self.labels[j] = 0

        drop = max(c.kept_bits - 8, 0)  # keeps the sum of squares within 64 bits
        growth = self._growth[phase >> 16] >> c.growth_bits - TRACE_BITS
        scale = rate * c.imprint_scale // growth
        moved = [
            ((65536 - rate) * int(w) >> drop) + (int(x) * scale >> 16 + drop)
            for w, x in zip(self.kept[:, j], trace, strict=True)
        ]
        length = isqrt(sum(y * y for y in moved))
        if length == 0:
            return
        unit = c.unit if c.kept_bits == c.bits else c.unit * 65535 // c.levels
        inverse = (unit << 24) // length
        chances = self._chances(number, len(shown.winners))
        for i, y in enumerate(moved):
            offset = next(chances) if c.rounding == "stochastic" else 1 << 31
            self.kept[i, j] = min(y * inverse + offset >> 32, (1 << c.kept_bits) - 1)
        if c.rounding == "shadow":
            self.weights[:, j] = self._coarse(self.kept[:, j])

    def _coarse(self, kept: np.ndarray) -> np.ndarray:
        """16 bits as the few that potentials see."""
        return (kept * np.uint32(self.constants.levels) + np.uint32(32767)) // np.uint32(65535)

    def _chances(self, number: int, spike: int) -> Iterator[int]:
        """Fractions of 16 random bits, in 2**32ths."""
        for index in count(spike << 16):
            words = two_words(seed=self.constants.seed, number=number, use=ROUNDING, index=index)
            for pair, shift in product(words, (48, 32, 16, 0)):
                yield (pair >> shift & 0xFFFF) << 16

    def teach(self, shown: IntegerPresentation, label: int) -> None:
        """Count this label for the neurons that fired."""
        for j in shown.winners:
            if self.labels[j, label] == 65535:
                self.labels[j] >>= 1
            self.labels[j, label] += 1

    def vote(self, shown: IntegerPresentation) -> int:
        """The class with most votes, each spike's split as its neuron's labels are; −1 without any."""
        votes = [0] * self.constants.n_classes
        for j in shown.winners:
            counts = self.labels[j].tolist()
            for label, n in enumerate(counts):
                votes[label] += (n << 16) // max(sum(counts), 1)
        return votes.index(max(votes)) if any(votes) else -1

    def novelty(self, sample: np.ndarray) -> int:
        """1 − the highest cosine between the sample and a neuron, in 32768ths; 32768 for a blank one."""
        values = sample.astype(np.int64)
        length = isqrt(int(values @ values) << 16) * self.constants.unit >> 16
        best = int((values @ self.weights.astype(np.int64)).max())
        return (1 << 15) - min((best << 15) // length, 1 << 15) if length else 1 << 15
