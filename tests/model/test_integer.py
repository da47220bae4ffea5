"""The network in integers: the laws of its parts, and that it learns what the other one learns."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.data import load
from lethenet.model import ANNEALED, PAPER, Network, as_bytes, initial_state, quantise
from lethenet.model.integer import OCTAVE, alias_table, exponential
from lethenet.model.quantising import FIXED


def test_intervals_have_the_law_of_a_poisson_process():
    words = np.random.default_rng(0).integers(0, 2**32, 50_000)
    values = np.array([exponential(int(word)) for word in words]) / 65536 * math.log(2)
    assert values.mean() == pytest.approx(1.0, abs=0.015)
    assert values.std() == pytest.approx(1.0, abs=0.02)
    assert np.mean(values > 3) == pytest.approx(math.exp(-3), rel=0.06)
    assert np.mean(values > 7) == pytest.approx(math.exp(-7), rel=0.5)


@given(st.integers(2**12, 2**32 - 1))
def test_every_interval_is_close_to_the_logarithm(word):
    exact = -65536 * math.log2((word + 0.5) / 2**32)
    assert exponential(word) == pytest.approx(exact, abs=0.1 * 65536)


@given(st.lists(st.integers(1, 255), min_size=1, max_size=40))
def test_the_alias_table_gives_every_input_its_share(shares):
    total, n = sum(shares), len(shares)
    cut, alias = alias_table(shares, total)
    shown = [min(own, total) for own in cut]  # of total, in its own slot
    for own, other in zip(cut, alias, strict=True):
        shown[other] += total - min(own, total)
    assert shown == [share * n for share in shares]


def test_a_potential_decays_as_it_should():
    c = quantise(Network(PAPER, initial_state(2, 9, 0))).constants
    assert c.period / OCTAVE == pytest.approx(200 / 15 / math.log(2))
    assert c.growth[0] == pytest.approx(2**c.growth_bits, rel=0.002)
    assert c.growth[-1] == pytest.approx(2 * 2**c.growth_bits, rel=0.002)


def test_weights_come_near_and_have_length_one():
    network = Network(PAPER, initial_state(4, 784, 0))
    integers = quantise(network)
    steps = integers.weights / (integers.constants.unit / 256)
    np.testing.assert_allclose(steps.T, network.state.weights, atol=0.32 / 255)
    integers.learn(as_bytes(np.random.default_rng(0).random((1, 784)))[0])
    lengths = np.linalg.norm(integers.weights, axis=0) / (integers.constants.unit / 256)
    np.testing.assert_allclose(lengths, 1.0, atol=0.01)


def test_it_learns_and_recognises_like_the_network_in_floating_point():
    data = load("digits")
    X = as_bytes(data.X_train[np.argsort(data.y_train, kind="stable")][::20])
    network = Network(replace(ANNEALED, threshold=15.5), initial_state(30, 64, 0))
    integers = quantise(network)
    learned = network.learn(X)
    shown = [integers.learn(x) for x in X]
    spikes = np.mean([s.n_input_spikes for s in shown])
    assert spikes == pytest.approx(learned.input_spikes.mean(), rel=0.1)
    imprints = np.mean([s.imprinted >= 0 for s in shown])
    assert imprints == pytest.approx(np.mean(learned.imprints >= 0), abs=0.15)
    goes_on = quantise(network)  # from here both know the same
    agree = 0
    for x, row in zip(X, network.recognise(X).winners, strict=True):
        agree += bool(set(goes_on.recognise(x).winners) & set(row.tolist()))
    assert agree >= 0.9 * len(X)


def test_labels_and_votes():
    integers = quantise(Network(PAPER, initial_state(2, 4, 0)))
    integers.labels = np.zeros((2, 3), np.int64)
    integers.constants = replace(integers.constants, n_classes=3)
    shown = integers.recognise(np.array([9, 0, 0, 1], np.uint8))
    assert integers.vote(shown) == -1
    integers.teach(shown, 2)
    assert integers.vote(shown) == 2
    integers.labels[:] = [65535, 0, 0]
    integers.teach(shown, 0)
    assert integers.labels[shown.winners].max() < 65535  # halved instead of overflowing


def test_a_blank_sample_is_nothing_new_to_learn_but_all_new():
    integers = quantise(Network(PAPER, initial_state(2, 4, 0)))
    blank = np.zeros(4, np.uint8)
    assert integers.learn(blank).winners == []
    assert integers.recognise(blank).n_input_spikes == 0
    assert integers.novelty(blank) == 32768


@pytest.mark.parametrize("name", FIXED)
def test_parameters_that_integers_lack_are_named(name):
    other = {
        "stdp": "static", "normalise_weights": False, "inhibition": 0.5, "dopamine": False,
        "dopaminergic_target": "random", "push": "leftover", "age_weight": 0.5, "habituation": 0.1,
        "dopaminergic_floor": 0.1, "stop_after_imprint": False, "carry_trace": True,
    }  # fmt: skip
    network = Network(replace(PAPER, **{name: other[name]}), initial_state(2, 4, 0))
    with pytest.raises(ValueError, match=f"{name}=.* cannot be had in integers"):
        quantise(network)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 12}, "bits=12 is out of range"),
        ({"rounding": "up"}, "rounding='up' is unknown"),
        ({"bits": 16, "largest_weight": 0.01}, "would overflow"),
    ],
)
def test_other_mistakes(options, message):
    with pytest.raises(ValueError, match=message):
        quantise(Network(PAPER, initial_state(2, 4, 0)), **options)
