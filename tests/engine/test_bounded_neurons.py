"""Bounded neurons: bounds hold at every spike; whoever fires is found as the exact simulation does."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.engine import membrane
from lethenet.engine.candidates import certificate
from lethenet.engine.candidates.bounded_neurons import (
    HIGHEST_LEVEL,
    MOST_RAISES,
    gather_levels,
    join_reached,
    new_bounded,
    raise_bounds,
    stop_bounding,
)
from lethenet.engine.gathering import gather, groups_for, new_gathering
from lethenet.engine.input_spikes import move_to_front
from lethenet.engine.layouts import Candidates, Sample
from lethenet.engine.llvm.neuron_steps import GROUP, SPIKES_PER_STEP
from lethenet.engine.llvm.vectors import WIDE
from lethenet.engine.scratch import new_input_spikes
from lethenet.model import PAPER, Network, initial_state
from lethenet.model.constants import constants_of

TAU = PAPER.tau_mem


def layer_of(seed, n_neurons, n_features):
    rng = np.random.default_rng(seed)
    weights = rng.random((n_neurons, n_features)).astype(np.float32) ** 4
    weights[rng.random(weights.shape) < 0.3] = 0.0
    return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-6)


def spikes_of(seed, n_spikes, n_active, threshold):
    rng = np.random.default_rng(seed + 1)
    inputs = rng.integers(0, n_active, n_spikes).astype(np.int32)
    times = np.cumsum(rng.exponential(rng.choice([0.02, 0.2, 3.0]), n_spikes + WIDE))
    growth, thresholds = np.empty((2, n_spikes + WIDE), np.float32)
    constants = constants_of(PAPER, n_active)._replace(threshold=threshold)
    membrane.grow(constants, times, 0, n_spikes, 0.0, growth, thresholds)
    return inputs, times, growth, thresholds


def bound_all(weights, active, threshold=10.0):
    """All neurons bounded, and their units."""
    made = certificate.make_certificate(weights, threshold=threshold, tau_mem=TAU, theta=1.0)
    bounded = new_bounded(len(weights), weights.shape[1], 512)
    bounded.neurons[: len(weights)] = np.arange(len(weights))
    gather_levels(made.levels, made.alarms, active, active.size, bounded, len(weights))
    bounded.bounds[:] = 0
    return bounded, np.maximum(weights.max(axis=1), 1e-30) / (HIGHEST_LEVEL - 1)


def spikes_with(inputs, growth, thresholds):
    """Input spikes as a replay reads them."""
    return new_input_spikes(1, 1)._replace(inputs=inputs, growth=growth, thresholds=thresholds)


class Race:
    """All neurons bounded, from a reset on; windows of spikes as a presentation takes them."""

    def __init__(self, weights, active, threshold, inputs, growth, thresholds):
        n_neurons, n_active = len(weights), active.size
        self.weights, self.bounded = weights, bound_all(weights, active, threshold)[0]
        self.spikes = spikes_with(inputs, growth, thresholds)
        self.sample = Sample(
            active, np.ones(n_active), n_active, float(n_active), *[np.uint64(0)] * 3
        )
        room = groups_for(n_neurons) * GROUP
        columns, potentials = gather(
            weights, active, n_active, np.zeros(0, np.int64), 0, n_neurons,
            new_gathering(weights.shape[1], room),
        )  # fmt: skip
        potentials[:] = 0.0
        columns[:] = 7.0  # what was there before must not matter
        self.chosen = Candidates(
            np.zeros(room, np.int64), columns, potentials, np.full(n_neurons, -1), np.zeros(0), potentials,
            0, n_neurons, 0,
        )  # fmt: skip
        self.n_simulated = 0

    def window(self, first, last, grown, n_raised=0):
        """The first to cross its threshold: spike, neuron (or -1), potential."""
        bounded, chosen, spikes, count = self.bounded, self.chosen, self.spikes, len(self.weights)
        common = chosen.neurons, chosen.columns, chosen.potentials
        best = membrane.integrate(
            groups_for(self.n_simulated), *common, spikes.inputs, spikes.growth, spikes.thresholds,
            first, last, 0,
        )  # fmt: skip
        end = min(best[0] + 1, last)
        raise_bounds(
            bounded, count, self.sample.n_active, spikes.inputs, spikes.growth, first, end, grown
        )
        before = self.n_simulated
        self.n_simulated = join_reached(self.weights, self.sample, chosen, bounded, count, before)
        if self.n_simulated > before:
            groups = before // GROUP, groups_for(self.n_simulated)
            best = membrane.catch_up(
                best, groups, *common, spikes, 0, last, bounded.raised_at, bounded.fades, n_raised
            )
        crossing, c, highest = best
        return crossing, chosen.neurons[c] if c >= 0 else -1, highest

    def fade(self, fade):
        """As rates are raised."""
        self.chosen.potentials[:, 0] *= fade


@given(st.integers(0, 10**6), st.integers(1, 150), st.integers(1, 90), st.integers(1, 89))
def test_bounds_are_above_the_potentials_at_every_spike(seed, n_neurons, n_spikes, cut):
    weights = layer_of(seed, n_neurons, 25)
    active = np.sort(np.random.default_rng(seed).choice(25, 11, replace=False)).astype(np.int32)
    inputs, times, growth, _ = spikes_of(seed, n_spikes, active.size, 10.0)
    bounded, unit = bound_all(weights, active)
    cut = min(cut, n_spikes)
    v, before = np.zeros(n_neurons), 0.0
    loose, since = np.zeros(n_neurons), 0.0
    grown = np.float32(1.0)
    for first, last in ((0, cut), (cut, n_spikes)):  # two windows
        if first == last:
            continue
        raise_bounds(bounded, n_neurons, active.size, inputs, growth, first, last, grown)
        grown = growth[last - 1]
        peaks = np.zeros(n_neurons)
        for k in range(first, last):
            v = v * np.exp(-(times[k] - before) / TAU) + weights[:, active[inputs[k]]]
            before = times[k]
            peaks = np.maximum(peaks, v)
        # potentials here are exact in double precision, up to 1e-6 of single-precision growth factors
        assert (bounded.tops[:n_neurons] >= peaks / unit * (1 - 1e-5)).all()
        assert (bounded.bounds[:n_neurons] >= v / unit * (1 - 1e-5)).all()
        # and not by more than what decays within a step, a unit a spike, and two a step
        for k in range(first, last, SPIKES_PER_STEP):
            step = range(k, min(k + SPIKES_PER_STEP, last))
            loose = loose * np.exp(-(times[step[-1]] - since) / TAU)
            loose += weights[:, active[inputs[step]]].sum(axis=1) + (len(step) + 2) * unit
            since = times[step[-1]]
        assert (bounded.bounds[:n_neurons] <= loose / unit * (1 + 1e-4)).all()


@given(
    st.integers(0, 10**6),
    st.integers(1, 200),
    st.integers(1, 90),
    st.integers(1, 90),
    st.floats(0.3, 6.0),
)
def test_the_first_to_fire_is_found(seed, n_neurons, n_spikes, cut, threshold):
    weights = layer_of(seed, n_neurons, 20)
    weights[n_neurons // 2] = weights[0]  # equals
    active = np.arange(20, dtype=np.int32)
    inputs, _, growth, thresholds = spikes_of(seed, n_spikes, 20, threshold)
    race = Race(weights, active, threshold, inputs, growth, thresholds)
    found = race.window(0, cut := min(cut, n_spikes), np.float32(1.0))
    if found[1] < 0 and cut < n_spikes:
        found = race.window(cut, n_spikes, growth[cut - 1])
    plain = np.zeros(n_neurons, np.float32)
    for k in range(n_spikes):
        plain = plain + weights[:, inputs[k]] * growth[k]
        if plain.max() >= thresholds[k]:
            winner = int(np.argmax(plain))
            assert found == (k, winner, plain[winner])
            break
    else:
        assert found[:2] == (n_spikes, -1)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 90), max_size=3), st.floats(0.3, 6.0))
def test_the_first_to_fire_is_found_over_raises_of_the_rates(seed, raised_at, threshold):
    """Where rates are raised a new time base begins, and everybody goes on with what is left."""
    n_neurons, n_spikes, raised_at = 130, 90, sorted(raised_at)
    weights = layer_of(seed, n_neurons, 20)
    active = np.arange(20, dtype=np.int32)
    inputs, times, growth, thresholds = spikes_of(seed, n_spikes, 20, threshold)
    constants = constants_of(PAPER, 20)._replace(threshold=threshold)
    race = Race(weights, active, threshold, inputs, growth, thresholds)
    bounded = race.bounded
    grown, base, first = np.float32(1.0), 0.0, 0
    plain, expected, found = np.zeros(n_neurons, np.float32), (n_spikes, -1), (n_spikes, -1)
    for number, last in enumerate([*raised_at, n_spikes]):
        membrane.grow(constants, times, first, n_spikes, base, growth, thresholds)
        if first < last:
            found = race.window(first, last, grown, number)
            grown = growth[last - 1]
        for k in range(first, last):
            plain = plain + weights[:, inputs[k]] * growth[k]
            if plain.max() >= thresholds[k]:
                expected = (k, int(np.argmax(plain)))
                break
        if expected[1] >= 0 or found[1] >= 0:
            break
        if number < len(raised_at):
            now = (
                times[last - 1] if last else 0.0
            ) + 0.01  # before the next spike, or a little after
            fade = np.float32(np.exp((base - now) / TAU))
            bounded.raised_at[number], bounded.fades[number] = last, fade
            plain = plain * fade
            race.fade(fade)
            grown *= fade
            base, first = now, last
    else:
        found = (n_spikes, -1)  # nobody in any part
    assert found[:2] == expected


def test_a_neuron_that_is_not_bounded_any_more_stays_silent():
    weights = layer_of(3, 70, 20)
    active = np.arange(20, dtype=np.int32)
    inputs, _, growth, _ = spikes_of(3, 40, 20, 5.0)
    bounded, _ = bound_all(weights, active)
    stop_bounding(bounded, 20, 66)
    raise_bounds(bounded, 70, 20, inputs, growth, 0, 40, np.float32(1.0))
    assert bounded.tops[66] < 10 < bounded.tops[65]


def test_who_is_simulated_already_does_not_join_again():
    """An imprint that does not end the presentation gives a column to a neuron that may be bounded."""
    weights = layer_of(3, 70, 20)
    inputs, _, growth, thresholds = spikes_of(3, 60, 20, 0.3)
    active = np.arange(20, dtype=np.int32)
    free, imprinted = (Race(weights, active, 0.3, inputs, growth, thresholds) for _ in range(2))
    imprinted.chosen.column_of[7] = 40
    for race in (free, imprinted):
        race.window(0, 60, np.float32(1.0))
    assert 7 in free.chosen.neurons[: free.n_simulated]
    assert 7 not in imprinted.chosen.neurons[: imprinted.n_simulated]
    assert imprinted.n_simulated == free.n_simulated - 1


def test_the_largest_number_is_not_passed():
    """What is more than 65535 units stays there instead of beginning at 0 again."""
    weights = np.ones((1, 1), np.float32)
    inputs = np.zeros(512, np.int32)
    growth = np.ones(512, np.float32)
    bounded, _ = bound_all(weights, np.zeros(1, np.int32), threshold=1e6)
    for _ in range(3):
        raise_bounds(bounded, 1, 1, inputs, growth, 0, 512, np.float32(1.0))
    assert bounded.tops[0] == 65535
    assert bounded.reached[0]


def test_spikes_that_make_room_keep_all_that_is_read_again():
    spikes = new_input_spikes(100, 10)
    rng = np.random.default_rng(0)
    moved = ("times", "inputs", "growth", "thresholds")
    for name in moved:
        array = getattr(spikes, name)
        array[:] = rng.integers(0, 1000, array.size)
    before = {name: getattr(spikes, name)[30:70].copy() for name in moved}
    assert move_to_front(spikes, 30, 70) == 40
    for name in moved:
        assert (getattr(spikes, name)[:40] == before[name]).all(), name


@contextmanager
def nearest_simulated(near):
    """Certificates made inside simulate candidates with a bound above e^near, and bound the others."""
    made = certificate.make_certificate
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "lethenet.model.network.make_certificate",
            lambda *args, **kwargs: made(*args, **kwargs)._replace(near=near),
        )
        yield


@pytest.mark.parametrize(
    ("tau_mem", "threshold", "n_samples", "n_output_spikes"),
    [(15.0, 13.5, 150, 5), (300.0, 275.0, 150, 5), (15.0, 13.5, 150, 30)],
)
def test_bounding_changes_no_bit(tau_mem, threshold, n_samples, n_output_spikes):
    """Nobody simulated who can be bounded, everybody simulated, and all neurons without a certificate.

    Potentials of the second case are beyond what the bounds can hold. Presentations of the third are so
    long that spikes have to be moved to make room for more.
    """
    long = n_output_spikes == 30
    parameters = replace(
        PAPER,
        tau_mem=tau_mem,
        threshold=threshold,
        n_output_spikes=n_output_spikes,
        stop_after_imprint=not long,
    )
    rng = np.random.default_rng(4)
    X = rng.random((n_samples, 30)) ** 2 if long else rng.random((n_samples, 60)) ** 5
    outcomes = []
    for near, candidates in (
        (-1e9, "certified"),
        (22.0, "certified"),
        (1e9, "certified"),
        (0.0, "all"),
    ):
        network = Network(parameters, initial_state(90, X.shape[1], 2), candidates=candidates)
        with nearest_simulated(near):
            learned = network.learn(X)
        if long:
            assert (learned.input_spikes > network._capacity()).any(), "nothing had to be moved"
        outcomes.append(
            (
                learned.winners.tobytes(),
                learned.durations.tobytes(),
                network.state.weights.tobytes(),
            )
        )
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("n_readout_spikes", [5, 40])
def test_bounding_changes_no_bit_of_what_is_recognised(n_readout_spikes):
    """From samples that are known to those that need more raises than are bounded over.

    With 40 output spikes, spikes have to be moved to make room for more.
    """
    parameters = replace(PAPER, n_readout_spikes=n_readout_spikes)
    rng = np.random.default_rng(4)
    X = rng.random((90, 60)) ** 5
    strange = rng.random((200, 60)) ** rng.uniform(1, 12, (200, 1))
    shown = np.concatenate([X, 0.5 * X + 0.5 * X[::-1], strange])
    outcomes = []
    for near, candidates in (
        (-1e9, "certified"),
        (22.0, "certified"),
        (1e9, "certified"),
        (0.0, "all"),
    ):
        network = Network(parameters, initial_state(90, 60, 2), candidates=candidates)
        network.learn(X)
        network.forget_derived()
        with nearest_simulated(near):
            seen = network.recognise(shown)
        assert set(range(MOST_RAISES + 2)) <= set(seen.raises.tolist())
        room = network._capacity(network._bounded_raises())
        assert (seen.input_spikes > room).any() or n_readout_spikes == 5, "nothing was moved"
        outcomes.append((seen.winners.tobytes(), seen.durations.tobytes(), seen.raises.tolist()))
    assert all(outcome == outcomes[0] for outcome in outcomes)
