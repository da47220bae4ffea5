"""Two layers coupled by real spikes: the parts of the first layer, the second as in the reference."""

from dataclasses import replace

import numpy as np
import pytest
from lethenet_reproduction.coupling import present_spikes
from lethenet_reproduction.spiking_edges import SpikingEdges
from lethenet_reproduction.studies import angles, coupling

from lethenet.data import load
from lethenet.layers import Edges
from lethenet.model import ANNEALED, PAPER, initial_state
from lethenet.model.numbers import LEARNING
from lethenet.model.reference import encode, input_spikes, present


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(20, 3)


@pytest.fixture(scope="module")
def first(digits):
    layer = SpikingEdges(Edges((8, 8)).fit(digits.X_train))
    layer.calibrate(digits.X_train[::10].astype(float), np.random.default_rng(0))
    return layer


def test_the_wires_are_the_linear_part_of_the_layer(digits):
    """A detector's input from an image is the gradient of the blurred image along its direction."""
    layer = Edges((8, 8), sharpness=1, pool_step=1, pool_width=0.1, n_roots=0, inhibition=0.0)
    image = digits.X_train[0].astype(float)
    expected = layer.fit_transform(image[None]).reshape(64, 8)
    wiring = SpikingEdges(layer).wiring
    drive = np.zeros((64, 8))
    for pixel, value in enumerate(image):
        wires = slice(wiring.first[pixel], wiring.first[pixel + 1])
        np.add.at(drive, wiring.targets[wires], value * wiring.weights[wires])
    np.testing.assert_allclose(np.maximum(drive, 0), expected, atol=1e-4)


def test_lines_send_about_what_the_features_say(digits, first):
    rng = np.random.default_rng(1)
    X = digits.X_test[::5].astype(float)
    counts = np.array([first.counts(x, 400.0, rng) for x in X])
    features = first.layer.transform(X)
    for sent, wanted in zip(counts, features, strict=True):
        assert np.corrcoef(sent, wanted)[0, 1] > 0.9
    wanted = features / np.linalg.norm(features, axis=1, keepdims=True)
    length = (counts * wanted).sum(axis=1) / 400.0
    assert 0.9 < length.mean() < 1.1


def test_a_brighter_image_sends_the_same(digits, first):
    x = digits.X_test[0].astype(float)
    sent = [first.counts(x * scale, 200.0, np.random.default_rng(2)) for scale in (1.0, 4.0)]
    assert (sent[0] == sent[1]).all()


def test_the_rate_is_the_root_of_the_drive_and_gains_raise_it(digits, first):
    x, rng = digits.X_test[0].astype(float), np.random.default_rng(3)
    usual, raised = (
        len(first.spikes(x, first.rest(rng), 0.0, 400.0, gain, rng)[0]) for gain in (1.0, 1.1)
    )
    assert 1.03 < raised / usual < 1.2


def test_windows_do_not_matter(digits, first):
    """The first layer holds its state from window to window: rates are those of one long window."""
    x, rng = digits.X_test[0].astype(float), np.random.default_rng(4)
    cells, pieces = first.rest(rng), 0
    for start in np.arange(0.0, 400.0, 10.0):
        when, _ = first.spikes(x, cells, start, start + 10.0, 1.0, rng)
        assert ((start <= when) & (when <= start + 10.0)).all()
        assert (np.diff(when) >= 0).all()
        pieces += len(when)
    assert pieces == pytest.approx(first.counts(x, 400.0, rng).sum(), rel=0.1)


class SameTrain:
    """In the place of a first layer: the input spikes that the reference draws from the features."""

    def __init__(self, features, *, seed, number):
        active, rates, self.total = encode(features)
        self.train = input_spikes(active, rates, self.total, seed=seed, number=number, use=LEARNING)
        self.next, self.time = None, 0.0

    def rest(self, rng):
        return None

    def spikes(self, sample, cells, start, end, raised, rng):
        sent = []
        while True:
            if self.next is None:
                line, interval = next(self.train)
                self.time += interval / self.total
                self.next = line
            if self.time >= end:
                return [t for t, _ in sent], [line for _, line in sent]
            sent.append((self.time, self.next))
            self.next = None


def test_the_second_layer_is_that_of_the_reference(digits):
    """Given the same spikes, it has the same winners at the same times, and learns the same weights."""
    features = Edges((8, 8)).fit_transform(digits.X_train)
    p = replace(ANNEALED, threshold=14.5)
    ours, theirs = initial_state(10, 512, 0), initial_state(10, 512, 0)
    n_imprints = 0
    for number, x in enumerate(features[::8]):
        expected = present(x, theirs, p, plastic=True)
        same = SameTrain(x, seed=0, number=number)
        shown = present_spikes(x, same, ours, p, plastic=True, rng=None)
        assert shown.winners == expected.winners
        assert shown.times == pytest.approx(expected.times)
        assert shown.imprinted == expected.imprinted
        n_imprints += shown.imprinted >= 0
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-5)
    assert 0 < n_imprints < len(features[::8])


def test_silence_imprints_the_least_used_neuron(digits, first):
    state, p = initial_state(5, 512, 0), replace(PAPER, threshold=15.0)
    state.usage[:] = [2.0, 1.0, 0.5, 1.0, 2.0]
    x, rng = digits.X_train[0].astype(float), np.random.default_rng(0)
    shown = present_spikes(x, first, state, p, plastic=True, rng=rng)
    assert (shown.winners, shown.imprinted, shown.times) == ([2], 2, [200.0])
    features = first.layer.transform(x[None])[0]
    assert state.weights[2] @ features / np.linalg.norm(features) > 0.85
    # ... which recognises the sample from now on
    frozen = present_spikes(x, first, state, p, plastic=False, rng=rng)
    assert frozen.winners == [2] * p.n_readout_spikes
    assert state.imprint_counts.sum() == 1


def test_a_frozen_layer_raises_the_rates_until_somebody_fires(digits, first):
    state, p = initial_state(5, 512, 0), replace(PAPER, threshold=20.0, n_readout_spikes=1)
    rng = np.random.default_rng(0)
    shown = present_spikes(digits.X_test[0].astype(float), first, state, p, plastic=False, rng=rng)
    assert shown.n_raises > 0
    assert len(shown.winners) == 1
    blank = present_spikes(np.zeros(64), first, state, p, plastic=False, rng=rng)
    assert blank.winners == []


def test_the_study_on_a_small_scale(digits):
    found = coupling.frozen(digits, 30, coupling.USUAL, seed=0)
    assert found["first winner, rates"] == found["class, rates"] == 1.0
    assert found["accuracy, spikes"] > 0.4
    assert found["correlation"] < found["correlation, Poisson"]
    record = {"config": {"pixel_rate": 100.0}, "results": found}
    assert "| rates again |" in coupling.frozen_table([record])
    assert "| 100 |" in coupling.line_table([record])


def test_inhibition_opens_the_angles(digits):
    none, some = (angles.angles(load("digits"), i, 40, 600, 300) for i in (0.0, 0.5))
    assert some["different classes"] < none["different classes"]
    assert some["gap"] > none["gap"]
    assert "| edges, inhibition 0 |" in angles.table(
        [{"config": {"inhibition": 0.0}, "results": none}]
    )
