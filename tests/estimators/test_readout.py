"""Votes and histograms, by hand."""

import numpy as np
import pytest

from lethenet.estimators.readout import count_labels, count_labels_online, dominant_classes, vote


def test_online_counts_equal_a_plain_loop():
    rng = np.random.default_rng(0)
    winners = rng.integers(-1, 6, (200, 5))
    imprints = np.where(rng.random(200) < 0.3, rng.integers(0, 6, 200), -1)
    winners[imprints >= 0] = -1
    winners[imprints >= 0, 0] = imprints[imprints >= 0]
    labels = rng.integers(0, 3, 200)
    start = rng.integers(0, 9, (6, 3))
    plain = start.copy()
    for row, imprint, label in zip(winners, imprints, labels, strict=True):
        if imprint >= 0:
            plain[imprint] = 0
        for neuron in row[row >= 0]:
            plain[neuron, label] += 1
    fast = start.copy()
    count_labels_online(fast, winners, imprints, labels)
    assert (fast == plain).all()


def test_ties_go_to_the_first_class():
    assert dominant_classes(np.array([[2, 2, 1]])).tolist() == [0]
    votes = vote(np.array([[0, 1]]), np.array([[0, 3], [3, 0]]))
    assert votes.argmax(axis=1).tolist() == [0]


def test_unlabelled_and_silent_do_not_vote():
    histograms = np.array([[0, 0], [1, 3]])
    for readout in ("dominant", "histogram"):
        assert vote(np.array([[0, -1]]), histograms, readout).tolist() == [[0, 0]]
    assert vote(np.array([[1, 0]]), histograms).tolist() == [[0, 1]]


def test_counts():
    counts = count_labels(np.array([[2, 2, -1]]), np.array([1]), 3, 2)
    assert counts.tolist() == [[0, 0], [0, 0], [0, 2]]


def test_unknown_readout():
    with pytest.raises(ValueError, match="readout='x' is unknown"):
        vote(np.array([[0]]), np.array([[1]]), "x")
