"""Recording through the estimators and through a pipeline: the bits of partial_fit."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from lethenet import (
    ControlledForgettingClassifier,
    ControlledForgettingNetwork,
    NoveltyDetector,
    make_pipeline,
)
from lethenet.layers import Edges

X, y = load_digits(return_X_y=True)


def classifier():
    return ControlledForgettingClassifier(n_neurons=12, threshold=15.5, random_state=0)


def with_edges():
    return make_pipeline(Edges(image_shape=(8, 8)), classifier().set_params(threshold=14.0))


@pytest.mark.parametrize("make", [classifier, with_edges])
def test_learning_while_recording_is_partial_fit(make):
    recorded, silent = (make().partial_fit(X[:60], y[:60]) for _ in range(2))
    one, other = (getattr(model, "steps", [(0, model)])[-1][1] for model in (recorded, silent))
    before = one.imprint_counts_.sum()
    recordings = recorded.record(X[60:70], y[60:70], learn=True)
    silent.partial_fit(X[60:70], y[60:70])
    assert one.n_presentations_ == other.n_presentations_ == 70
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.label_counts_, other.label_counts_)
    assert sum(r.imprinted >= 0 for r in recordings) == one.imprint_counts_.sum() - before > 0


def test_what_fires_is_what_the_estimator_says():
    network = ControlledForgettingNetwork(n_neurons=12, threshold=15.5, random_state=0).fit(X[:60])
    weights = network.weights_.copy()
    for row, recording in zip(X[60:64], network.record(X[60:64]), strict=True):
        counts = np.bincount(recording.winners, minlength=12)
        np.testing.assert_array_equal(network.transform(row[None])[0], counts)
        assert not recording.learned
    np.testing.assert_array_equal(network.weights_, weights)


def test_nothing_is_recorded_before_anything_is_learned():
    for model in (with_edges(), classifier()):
        with pytest.raises(NotFittedError):
            model.record(X[50], y[50], learn=True)


def test_a_detector_of_signed_data_records_what_its_network_sees():
    detector = NoveltyDetector(n_neurons=12, threshold=15.5, random_state=0).fit(X[:60])
    recording = detector.record(-X[60])
    np.testing.assert_array_equal(recording.sample, np.concatenate([np.zeros(64), X[60]]))
