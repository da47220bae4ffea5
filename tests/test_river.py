"""lethenet.river: River's own checks, names that come and go, the bits of the estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork

river_checks = pytest.importorskip("river.checks")
adapters = pytest.importorskip("lethenet.river")

X, Y = load_digits(return_X_y=True)
SETTINGS = {"n_neurons": 30, "threshold": 15.5, "random_state": 1}


def as_dictionaries(rows):
    return [{f"pixel {k}": float(value) for k, value in enumerate(row)} for row in rows]


def digits_with_anomalies():
    """Zeros to fours, with a few other digits: River's own anomalies have to be downloaded."""
    normal, odd = as_dictionaries(X[Y < 5][:280]), as_dictionaries(X[Y >= 5][:20])
    order = np.r_[:150, 150 + np.random.default_rng(0).permutation(150)]
    samples = [(x, 0) for x in normal] + [(x, 1) for x in odd]
    return [samples[number] for number in order]


def model(kind, **parameters):
    classifying = kind is adapters.Classifier
    own = ControlledForgettingClassifier if classifying else ControlledForgettingNetwork
    return kind(own(**{**SETTINGS, **parameters}), seed=1)


KINDS = (adapters.Clusterer, adapters.AnomalyDetector, adapters.Classifier)


@pytest.mark.parametrize("kind", KINDS)
def test_rivers_own_checks(kind, monkeypatch):
    rivers = river_checks._yield_datasets

    def datasets(estimator, scale=1):
        if kind is adapters.AnomalyDetector:
            return iter([digits_with_anomalies()])
        return rivers(estimator, scale)

    monkeypatch.setattr(river_checks, "_yield_datasets", datasets)
    one = model(kind, n_neurons=20, threshold=13.5)
    assert one._unit_test_skips() == set()
    checks = list(river_checks.yield_checks(one))
    assert len(checks) > 10
    for check in checks:
        check(one.clone())


def test_the_bits_of_the_estimator():
    adapter = model(adapters.Classifier)
    estimator = ControlledForgettingClassifier(**SETTINGS)
    for x, label in zip(as_dictionaries(X[:60]), Y[:60].tolist(), strict=True):
        adapter.learn_one(x, label)
    # names are placed alphabetically: "pixel 10" stands before "pixel 2"
    places = np.argsort(np.argsort([f"pixel {k}" for k in range(64)]))
    rows = np.zeros((60, 128))
    rows[:, places] = X[:60]
    estimator.partial_fit(rows, Y[:60])
    assert (adapter._model.weights_ == estimator.weights_).all()
    for x, row in zip(as_dictionaries(X[:20]), rows, strict=False):
        likely = dict(
            zip(estimator.classes_.tolist(), estimator.predict_proba([row])[0], strict=True)
        )
        assert adapter.predict_proba_one(x) == likely
        assert adapter.predict_one(x) == estimator.predict([row])[0]


def test_names_come_and_go():
    adapter = adapters.AnomalyDetector(ControlledForgettingNetwork(**SETTINGS), n_names=3)
    assert adapter.score_one({"a": 1}) == 1.0
    adapter.learn_one({"b": 1, "a": 2})
    assert adapter._places == {"a": 0, "b": 1}
    known = adapter.score_one({"a": 2, "b": 1})
    assert known < 0.2
    assert adapter.score_one({"b": 1, "a": 2, "never learned": 5}) == known
    assert adapter.score_one({"b": 1, "a": 2, "missing": None}) == known
    assert adapter._places == {"a": 0, "b": 1}, "asking changes nothing"
    adapter.learn_one({"c": 1, "d": 1, "e": float("nan")})
    assert len(adapter._places) == 5
    assert set(adapter._places.values()) == {0, 1, 2}, "a full table is shared"
    assert adapter.score_one({"a": -2, "b": -1}) > 0.8, "signs are told apart"
    with pytest.raises(ValueError, match="the feature 'a' is 'red': expected a number"):
        adapter.learn_one({"a": "red"})


def test_before_anything_is_known():
    assert model(adapters.Clusterer).predict_one({"a": 1}) == -1
    classifier = model(adapters.Classifier)
    assert classifier.predict_one({"a": 1}) is None
    classifier.learn_one({"a": 1}, None)
    assert classifier.predict_proba_one({"a": 1}) == {}
    classifier.learn_one({"a": 1}, "first")
    assert classifier.predict_proba_one({"a": 1}) == {"first": 1.0}


def test_in_a_pipeline_of_rivers():
    from river import compose, evaluate, metrics, preprocessing, stream

    learner = compose.Pipeline(preprocessing.MinMaxScaler(), model(adapters.Classifier))
    found = evaluate.progressive_val_score(
        stream.iter_array(X[:300], Y[:300]), learner, metrics.Accuracy()
    )
    assert found.get() > 0.6
