"""Recordings: the bits of learning without them, and the spikes and potentials of the reference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from lethenet.model import PAPER, Network, Parameters, initial_state, reference
from lethenet.model.numbers import exp
from lethenet.model.state import ARRAY_FIELDS

parameters = st.builds(
    Parameters,
    threshold=st.floats(2.0, 14.5),
    tau_mem=st.floats(8.0, 20.0),
    learning_rate=st.floats(0.0, 0.3),
    annealed=st.booleans(),
    imprint_rate=st.floats(0.2, 1.0),
    normalise_weights=st.booleans(),
    inhibition=st.sampled_from([1.0, 1.0, 0.7, 0.0]),
    n_output_spikes=st.integers(1, 6),
    n_readout_spikes=st.integers(1, 8),
    recognition_time=st.floats(30.0, 200.0),
    dopamine=st.sampled_from([True, True, False]),
    dopaminergic_target=st.sampled_from(["trained", "random"]),
    push=st.sampled_from(["leftover", "usage"]),
    habituation=st.sampled_from([0.0, 0.1]),
    stop_after_imprint=st.booleans(),
    carry_trace=st.booleans(),
    rate_gain=st.floats(1.05, 2.0),
    max_rate_gain=st.just(8.0),
)


class WatchedNumpy:
    """numpy for the reference, keeping a copy of the potentials of which it looks for the largest."""

    def __init__(self):
        self.seen = []

    def __getattr__(self, name):
        return getattr(np, name)

    def argmax(self, potentials):
        self.seen.append(potentials.copy())
        return np.argmax(potentials)


def reference_potentials(x, state, p, *, plastic):
    """What the reference says happened, and its potentials at each input spike, as it holds them."""
    watched = WatchedNumpy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "np", watched)
        shown = reference.present(x, state, p, plastic=plastic)
    return shown, np.array(watched.seen).reshape(-1, state.n_neurons)


def same_state(one, other):
    assert one.n_presentations == other.n_presentations
    for name in ARRAY_FIELDS:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def samples(seed, n, n_features, sparsity):
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features))
    X[rng.random(X.shape) < sparsity] = 0.0
    return X


def check(recording, presented, row, shown, stored, p):
    """One recording against the engine's row, and the reference's potentials bit for bit."""
    n = len(recording.winners)
    assert presented.winners[row, :n].tolist() == recording.winners.tolist() == shown.winners
    assert presented.times[row, :n].tolist() == recording.output_times.tolist()
    assert (presented.winners[row, n:] == -1).all()
    assert presented.imprints[row] == recording.imprinted
    assert presented.durations[row] == recording.duration
    assert presented.input_spikes[row] == len(recording.inputs) == len(recording.input_times)
    assert presented.raises[row] == len(recording.raise_times)
    assert recording.inputs.tolist() == shown.inputs
    assert (np.diff(recording.times) >= 0).all()
    assert len(recording.times) == len(recording.potentials) == len(recording.dopaminergic)
    bases = np.sort(np.concatenate([[0.0], recording.output_times, recording.raise_times]))
    for time, held in zip(recording.input_times, stored, strict=True):
        base = bases[np.searchsorted(bases, time) - 1]
        after = np.searchsorted(recording.times, time) + 1
        growth = exp((time - base) * (1.0 / p.tau_mem))
        np.testing.assert_array_equal(recording.potentials[after], held / np.float64(growth))
    ends = np.concatenate([recording.output_times, recording.raise_times])
    assert (recording.dopaminergic[np.searchsorted(recording.times, ends, "right") - 1] == 0).all()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    p=parameters,
    seed=st.integers(0, 2**64 - 1),
    n_neurons=st.integers(1, 20),
    n_features=st.integers(1, 30),
    n_samples=st.integers(1, 4),
    sparsity=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_recording_changes_no_bit_and_tells_what_the_reference_did(
    p, seed, n_neurons, n_features, n_samples, sparsity
):
    X = samples(seed % 2**32, n_samples, n_features, sparsity)
    states = [initial_state(n_neurons, n_features, seed) for _ in range(3)]
    recorded, silent = Network(p, states[0]), Network(p, states[1])
    recordings = recorded.record(X, learn=True, neurons="all")
    learned = silent.learn(X)
    same_state(states[0], states[1])
    for row, (x, recording) in enumerate(zip(X, recordings, strict=True)):
        shown, stored = reference_potentials(x, states[2], p, plastic=True)
        check(recording, learned, row, shown, stored, p)
    seen = silent.recognise(X)
    for row, (x, recording) in enumerate(zip(X, recorded.record(X, neurons="all"), strict=True)):
        shown, stored = reference_potentials(x, states[2], p, plastic=False)
        check(recording, seen, row, shown, stored, p)
    same_state(states[0], states[2])


@pytest.fixture(scope="module")
def trained():
    X = load_digits().data
    network = Network(replace(PAPER, threshold=15.5), initial_state(12, 64, 1))
    network.learn(X[:60])
    return network, X[60:]


def test_potentials_are_the_decayed_sum_of_weights(trained):
    """By the definition, in double precision and without the reference's conventions."""
    network, X = trained
    weights = network.state.weights.astype(float)
    recording = network.record(X[0], neurons=[3, 7])
    assert len(recording.winners) == 5
    resets = np.concatenate([[0.0], recording.output_times])
    for time in recording.input_times[::50]:
        since = (recording.input_times > resets[resets < time][-1]) & (
            recording.input_times <= time
        )
        decay = np.exp((recording.input_times[since] - time) / network.parameters.tau_mem)
        expected = weights[[3, 7]][:, recording.inputs[since]] @ decay
        after = np.searchsorted(recording.times, time) + 1
        np.testing.assert_allclose(recording.potentials[after], expected, rtol=1e-4)


def test_the_neurons_that_fire_come_first_and_then_the_nearest(trained):
    network, X = trained
    everyone = network.record(X[0], neurons="all")
    chosen = network.record(X[0], neurons=4)
    fired = list(dict.fromkeys(everyone.winners.tolist()))
    assert chosen.neurons[: len(fired)].tolist() == fired[:4]
    peaks = everyone.potentials.max(axis=0)
    others = [n for n in np.argsort(-peaks).tolist() if n not in fired]
    assert chosen.neurons.tolist() == [*fired, *others][:4]
    np.testing.assert_array_equal(chosen.potentials, everyone.potentials[:, chosen.neurons])
    assert len(network.record(X[0]).neurons) == 10


def test_an_imprint_as_it_happens(trained):
    network, X = trained
    copied = Network(network.parameters, network.state.copy())
    for x in X:
        before = copied.state.copy()
        recording = copied.record(x, learn=True)
        if recording.imprinted >= 0:
            break
    target = int(np.argmin(before.usage))
    assert recording.imprinted == target == recording.winners[-1]
    assert recording.forced[-1]
    np.testing.assert_array_equal(recording.weights_before[-1], before.weights[target])
    np.testing.assert_array_equal(recording.weights_after[-1], copied.state.weights[target])
    silence = recording.times > (recording.output_times[-2] if len(recording.winners) > 1 else 0)
    rising = recording.dopaminergic[silence][:-1]
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] == pytest.approx(copied.parameters.dopaminergic_threshold)
    frame = recording.to_frame()
    assert frame["event"].value_counts()["input"] == len(recording.inputs)
    assert frame.iloc[-1].tolist() == [recording.duration, "forced", target]


def test_a_blank_sample_is_an_empty_recording(trained):
    network, _ = trained
    blank = network.record(np.zeros(64))
    assert (blank.duration, len(blank.inputs), len(blank.winners)) == (0.0, 0, 0)
    assert blank.potentials.shape == (1, 10)
    assert len(blank.to_frame()) == 0


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.ones(63), {}, "64 features"),
        (np.ones((2, 2, 64)), {}, "64 features"),
        (-np.ones(64), {}, "negative"),
        (np.full(64, np.nan), {}, "not finite"),
        (np.ones(64), {"neurons": 0}, "neurons=0"),
        (np.ones(64), {"neurons": [12]}, "from 0 to 11"),
        (np.ones(64), {"neurons": "some"}, "neurons='some'"),
        (np.ones(64), {"neurons": [0.5]}, "a list of neurons"),
    ],
)
def test_what_cannot_be_recorded(trained, x, options, message):
    network, _ = trained
    n_before = network.state.n_presentations
    with pytest.raises(ValueError, match=message):
        network.record(x, learn=True, **options)
    assert network.state.n_presentations == n_before
