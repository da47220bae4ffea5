"""The network in plain numpy, written to be read.

One loop over input spikes, no shortcuts: every neuron is updated at every input spike. The kernels in
:mod:`lethenet.engine` must give the same spikes at the same times and the same weights, bit for bit; the
tests compare them. The paper's terms: v_mem is ``potentials``, pre is ``trace``, v_th ``threshold``.

Two conventions make bitwise agreement possible, and neither changes the model:

* decaying quantities are kept as their value at time ``base`` (the last output spike): instead of letting
  a potential decay, what is added to it, and the threshold, grow by e^((t − base)/τ);
* exp, log and the random numbers are the package's own (:mod:`.numbers`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .constants import constants_of
from .dopamine import NEVER, SMALLEST_GAP
from .links import link_winners
from .numbers import LEARNING, RANDOM_TARGET, RECOGNITION, content_hash, exp, log, two_words
from .parameters import Parameters
from .rule import Rule, check_weight
from .state import State


@dataclass
class Presentation:
    """What happened while a sample was shown, in order: spikes with their times, raises of the rates.

    ``learned`` has the winner's weights before and after each output spike, if they could change.
    """

    inputs: list[int] = field(default_factory=list)
    input_times: list[float] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    forced: list[bool] = field(default_factory=list)
    learned: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    raises: list[float] = field(default_factory=list)
    imprinted: int = -1
    duration: float = 0.0

    @property
    def n_input_spikes(self) -> int:
        """Number of input spikes."""
        return len(self.inputs)

    @property
    def n_raises(self) -> int:
        """How often the rates were raised."""
        return len(self.raises)


def encode(sample: np.ndarray) -> tuple[list[int], list[float], float]:
    """Active inputs, their rates λ = x/‖x‖₂, and the total rate Λ."""
    active = [int(i) for i in np.flatnonzero(sample > 0)]
    if not active:
        return [], [], 0.0
    largest = float(sample.max())
    scaled = [float(sample[i]) / largest for i in active]
    norm = math.sqrt(in_order(x * x for x in scaled))
    rates = [x / norm for x in scaled]
    return active, rates, in_order(rates)


def in_order(values: Iterator[float] | list[float]) -> float:
    """A sum from left to right (Python's own sum compensates for rounding from 3.12 on)."""
    total = 0.0
    for value in values:
        total += value
    return total


def alias_table(rates: list[float], total: float) -> tuple[list[int], list[int]]:
    """Vose's table: slot s means input s for fractions below cutoff[s], and alias[s] otherwise."""
    n = len(rates)
    shares = [rate * n / total for rate in rates]
    cutoff, alias = [2**64 - 1] * n, list(range(n))
    small = [k for k in range(n) if shares[k] < 1.0]
    large = [k for k in range(n) if shares[k] >= 1.0]
    while small and large:
        taker, giver = small.pop(), large[-1]
        cutoff[taker], alias[taker] = int(shares[taker] * 2.0**64), giver
        shares[giver] = (shares[giver] + shares[taker]) - 1.0
        if shares[giver] < 1.0:
            small.append(large.pop())
    return cutoff, alias


def input_spikes(
    active: list[int], rates: list[float], total: float, *, seed: int, number: int, use: int
) -> Iterator[tuple[int, float]]:
    """The Poisson train: which input spikes next, and after how many mean intervals."""
    cutoff, alias = alias_table(rates, total)
    index = 0
    while True:
        time_word, pick_word = two_words(seed=seed, number=number, use=use, index=index)
        interval = -log(1.0 - (time_word >> 12) * 2.0**-52)
        slot, fraction = divmod(pick_word * len(rates), 2**64)
        yield active[slot if fraction < cutoff[slot] else alias[slot]], interval
        index += 1


def normalise(weights: np.ndarray) -> np.ndarray:
    """Weights of length one; the squares are summed in eight lanes, then the rest."""
    squares = weights.astype(np.float64) ** 2
    whole = len(squares) - len(squares) % 8
    lanes = np.zeros(8)
    for row in squares[:whole].reshape(-1, 8):
        lanes += row
    a, b, c, d, e, f, g, h = lanes.tolist()
    total = in_order([((a + b) + (c + d)) + ((e + f) + (g + h)), *squares[whole:].tolist()])
    return weights * np.float32(1.0 / math.sqrt(total)) if total > 0 else weights


def move_weights(
    weights: np.ndarray, pre: np.ndarray, rate: float, offset: float, rule: Rule
) -> np.ndarray:
    """The weights of a neuron after one step of the rule; ``pre`` is the trace as a rate."""
    number = np.float32 if rule.single else float
    pairs = zip(weights.tolist(), pre.tolist(), strict=True)
    moved = [rule.step(number(w), number(x), number(rate), number(offset)) for w, x in pairs]
    new = np.array(moved, np.float32)
    for weight in new[~(new >= 0) | np.isinf(new)][:1]:
        check_weight(weight)
    return new


def learn_spike(state: State, p: Parameters, trace: np.ndarray, neuron: int, forced: bool) -> None:
    """One-sided STDP, weight normalisation, and depression of the dopaminergic weight."""
    rule, constants = p.rule, constants_of(p, state.n_features)
    n_spikes = 1 if forced else int(state.spikes_since_imprint[neuron]) + 1
    if forced:
        rate, amount = p.imprint_rate, p.forced_depression
    else:
        rate, amount = rule.rate(p.learning_rate, n_spikes, p.annealed), 1.0
    pre = trace * constants.inverse_tau_pre
    weights = move_weights(state.weights[neuron], pre, rate, constants.static_offset, rule)
    state.weights[neuron] = normalise(weights) if p.normalise_weights else weights
    state.spikes_since_imprint[neuron] = n_spikes
    (state.imprint_counts if forced else state.spike_counts)[neuron] += 1

    usage, mean = float(state.usage[neuron]), float(state.total_usage[0]) / state.n_neurons
    if usage < NEVER:
        state.usage[neuron] = rule.usage(usage, amount, p.age_weight, mean)
        state.total_usage[0] += amount
        if state.usage[neuron] - state.usage.min() > constants.usage_limit:
            state.usage[neuron] = NEVER


def dopaminergic_target(
    state: State, p: Parameters, potentials: np.ndarray, number: int, spike: int
) -> int:
    """The neuron that the repeated dopaminergic push makes fire."""
    if p.dopaminergic_target == "random":
        word, _ = two_words(seed=state.seed, number=number, use=RANDOM_TARGET, index=spike)
        return word * state.n_neurons >> 64
    if p.push == "usage":
        return int(np.argmin(state.usage))
    scores = [
        log(max(p.threshold - float(v), SMALLEST_GAP)) + p.depression * float(usage)
        for v, usage in zip(potentials, state.usage, strict=True)
    ]
    return int(np.argmin(scores))


def present(sample: np.ndarray, state: State, p: Parameters, *, plastic: bool) -> Presentation:
    """Show one sample; learn from it if ``plastic``, changing ``state`` in place."""
    shown = Presentation()
    active, rates, total = encode(sample)
    number = state.n_presentations if plastic else content_hash(active, rates)
    if plastic:
        state.n_presentations += 1
        state.make_room_for_links(p.links)
    if not active:
        return shown  # a blank sample sends no spikes
    if plastic and p.habituation > 0:
        state.usage *= 1.0 - p.habituation
        state.total_usage *= 1.0 - p.habituation

    constants = constants_of(p, state.n_features, frozen=not plastic)
    use = LEARNING if plastic else RECOGNITION
    spikes = input_spikes(active, rates, total, seed=state.seed, number=number, use=use)
    potentials = np.zeros(state.n_neurons, np.float32)
    trace = state.trace if plastic and p.carry_trace else np.zeros(state.n_features)
    gain, mean_interval = 1.0, 1.0 / total
    base = 0.0
    source, interval = next(spikes)
    time = interval * mean_interval

    while len(shown.winners) < constants.n_output_spikes:
        fires_at = base + constants.dopaminergic_period
        forced = False
        if fires_at <= time:  # silence: the dopaminergic neuron is due before the next input spike
            now = fires_at
            decay = exp((base - now) * constants.inverse_tau_mem)
            forced = plastic and p.dopamine
            if not forced:  # nobody to push: raise the input rates instead
                gain *= p.rate_gain
                shown.raises.append(now)
                trace *= exp((base - now) * constants.inverse_tau_pre)
                if gain > p.max_rate_gain:
                    shown.duration = now
                    break
                mean_interval = 1.0 / (total * gain)
                time = now + (time - now) / p.rate_gain
                potentials *= np.float32(decay)
                base = now
                continue
            leftover = potentials.astype(np.float64) * decay
            winner = dopaminergic_target(state, p, leftover, number, len(shown.winners))
        else:  # an input spike
            now = time
            growth = exp((now - base) * constants.inverse_tau_mem)
            potentials += state.weights[:, source] * np.float32(growth)
            trace[source] += exp((now - base) * constants.inverse_tau_pre)
            shown.inputs.append(source)
            shown.input_times.append(now)
            source, interval = next(spikes)
            time = now + interval * mean_interval
            winner = int(np.argmax(potentials))
            if potentials[winner] < np.float32(p.threshold * growth):
                continue
            decay = exp((base - now) * constants.inverse_tau_mem)

        # An output spike: learn, inhibit the others and the dopaminergic neuron.
        shown.winners.append(winner)
        shown.times.append(now)
        shown.forced.append(forced)
        shown.duration = now
        trace *= exp((base - now) * constants.inverse_tau_pre)
        if plastic:
            before = state.weights[winner].copy()
            learn_spike(state, p, trace, winner, forced)
            shown.learned.append((before, state.weights[winner].copy()))
        if forced:
            shown.imprinted = winner
            if p.stop_after_imprint:
                break
        if p.inhibition == 1.0:
            potentials[:] = 0.0
        else:
            potentials *= np.float32((1.0 - p.inhibition) * decay)
            potentials[winner] = 0.0
        base = now

    if plastic:
        state.trace = trace
    if plastic and p.links > 0:
        n_spikes = len(shown.winners)
        link_winners(
            state.link_partners, state.link_counts, shown.winners, n_spikes, shown.imprinted
        )
    return shown
