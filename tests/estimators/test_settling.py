"""``threshold="auto"`` in fit and in streams, and what is said when a threshold does not fit."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork
from lethenet.estimators.diagnosis import ThresholdWarning, diagnose
from lethenet.estimators.settling import SETTLING
from lethenet.theory import auto_threshold

SIZE = 100


@pytest.fixture(scope="module")
def digits():
    from lethenet.data import load

    data = load("digits")
    in_turn = np.argsort(data.y_train, kind="stable")
    return data.X_train[in_turn], data.y_train[in_turn]


def classifier(**parameters):
    return ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=SIZE, random_state=0, **parameters
    )


@pytest.fixture(scope="module")
def streamed(digits):
    X, y = digits
    return classifier().partial_fit(X[:1100], y[:1100])


def test_the_preset_settles_its_threshold(digits):
    X, y = digits
    model = classifier().fit(X, y)
    assert model.get_params()["threshold"] == "auto"
    found = auto_threshold(X, SIZE, complete=True)
    assert model.threshold_ == found == model.network_.parameters.threshold
    assert not diagnose(model.network_, model.label_counts_, model.class_counts_)


@pytest.mark.parametrize("cuts", [[1, 2, 999, 1000], [1050], [500, 1000, 1001]])
def test_a_stream_cut_anyhow_gives_the_same_bits(digits, streamed, cuts):
    X, y = digits
    model = classifier()
    for start, end in zip([0, *cuts], [*cuts, 1100], strict=True):
        model.partial_fit(X[start:end], y[start:end].tolist())
    np.testing.assert_array_equal(model.weights_, streamed.weights_)
    np.testing.assert_array_equal(model.label_counts_, streamed.label_counts_)
    assert model.threshold_ == streamed.threshold_ == auto_threshold(X[:SETTLING], SIZE)


def test_samples_that_wait(digits):
    X, y = digits
    model, buffer = classifier(), X[:150].copy()
    model.partial_fit(buffer, y[:150])
    buffer[:] = 7  # a caller may use its memory again
    with pytest.raises(NotFittedError, match=r"150 samples wait .* first 1000.*settle\(\)"):
        model.predict(X[:2])
    model.settle()
    assert model.n_presentations_ == 150
    assert model.threshold_ == auto_threshold(X[:150], SIZE)
    assert model.settle().n_presentations_ == 150
    assert model.predict(X[:2]).tolist() == [0, 0]
    before = model.threshold_
    assert model.partial_fit(X[150:300], y[150:300]).threshold_ == before, "it stays"


def test_too_few_samples(digits):
    X, y = digits
    with pytest.raises(ValueError, match="99 rows of X that are not blank: expected at least 100"):
        classifier().fit(X[:99], y[:99])
    with pytest.raises(ValueError, match="at least 100"):
        ControlledForgettingNetwork(threshold="auto").partial_fit(X[:9]).settle()


def test_fit_starts_anew_while_samples_wait(digits):
    X, y = digits
    model = classifier(threshold="auto").partial_fit(X[:150], y[:150])
    assert model.fit(X, y).n_presentations_ == len(X)


@pytest.mark.parametrize(
    ("threshold", "message"),
    [(12.0, r"threshold 12 is too low: .* of 100 neurons .*higher"), (18.0, "too high: .*lower")],
)
def test_a_threshold_that_does_not_fit_is_told(digits, threshold, message):
    X, y = digits
    with pytest.warns(ThresholdWarning, match=message):
        classifier(threshold=threshold).fit(X, y)


def test_one_class_that_owns_the_layer(streamed):
    counts = np.zeros((SIZE, 10), int)
    counts[:, 3] = 5
    assert "owns 100 %" in diagnose(streamed.network_, counts, np.full(10, 100))[0]
    rare = np.array([1, 1, 1, 97, 0, 0, 0, 0, 0, 0])
    assert diagnose(streamed.network_, counts, rare) == [], "so are nearly all samples"


def test_no_alarm_where_thresholds_are_good(digits):
    X, y = digits
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresholdWarning)
        for threshold in (14.75, 15.25, 15.75):
            classifier(threshold=threshold).fit(X, y)
