"""What users of scikit-learn expect, and what bad input says."""

import inspect
import pickle
from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from lethenet.estimators import (
    BlankInputWarning,
    ControlledForgettingClassifier,
    ControlledForgettingNetwork,
)
from lethenet.model import ANNEALED, PAPER, Parameters

BOTH = pytest.mark.parametrize(
    "estimator",
    [
        ControlledForgettingNetwork(n_neurons=20, threshold=15.5, random_state=0),
        ControlledForgettingClassifier(n_neurons=20, threshold=15.5, random_state=0),
    ],
    ids=["network", "classifier"],
)


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def fitted(digits):
    X, y = digits
    model = ControlledForgettingClassifier(n_neurons=60, threshold=15.5, random_state=0)
    return model.fit(X[:400], y[:400])


# Learning ---------------------------------------------------------------------------------------


def test_labels_touch_only_the_readout(digits):
    X, y = digits
    model = ControlledForgettingClassifier(n_neurons=30, threshold=15.5, random_state=0)
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0)
    model.fit(X[:100], y[:100])
    network.fit(X[:100])
    assert model.weights_.tobytes() == network.weights_.tobytes()
    other = clone(model).fit(X[:100], y[:100][::-1])
    assert other.weights_.tobytes() == model.weights_.tobytes()
    assert (other.label_counts_ != model.label_counts_).any()


def test_fit_starts_anew_and_partial_fit_goes_on(digits):
    X, _ = digits
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0)
    first = network.fit(X[:60]).weights_.tobytes()
    assert network.fit(X[:60]).weights_.tobytes() == first
    parts = clone(network)
    for part in np.split(X[:60], [10, 11, 30]):
        parts.partial_fit(part)
    assert parts.weights_.tobytes() == first
    assert parts.n_presentations_ == 60
    assert network.partial_fit(X[60:70]).weights_.tobytes() != first


def test_parameters_may_change_between_partial_fits(digits):
    X, _ = digits
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0)
    frozen = network.partial_fit(X[:50]).weights_.copy()
    network.set_params(learning_rate=0.0, imprint_rate=0.0).partial_fit(X[50:80])
    np.testing.assert_allclose(network.weights_, frozen, rtol=1e-5)
    assert network.n_presentations_ == 80


def test_candidates_may_change_and_are_checked(digits):
    X, _ = digits
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0)
    network.partial_fit(X[:20]).set_params(candidates="all").partial_fit(X[20:40])
    assert network.network_.candidates == "all"
    with pytest.raises(ValueError, match="candidates='few' is unknown"):
        network.set_params(candidates="few").partial_fit(X[40:50])


def test_online_readout_needs_to_know_what_came_before_an_imprint(digits):
    model = ControlledForgettingClassifier(n_neurons=10, stop_after_imprint=False)
    with pytest.raises(ValueError, match="needs stop_after_imprint=True"):
        model.partial_fit(digits[0][:5], digits[1][:5], classes=range(10))


def test_it_learns_digits_in_turn(digits):
    X, y = digits
    order = y[:1200].argsort(kind="stable")
    model = ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=150, threshold=15.5, random_state=0
    )
    score = model.fit(X[order], y[order]).score(X[1200:], y[1200:])
    shuffled_labels = clone(model).fit(X[order], y[:1200]).score(X[1200:], y[1200:])
    assert score > 0.85
    assert shuffled_labels < 0.3, "the score must come from the labels' relation to the data"


def test_online_readout_comes_close_to_reassignment(digits):
    X, y = digits
    order = y[:1200].argsort(kind="stable")
    model = ControlledForgettingClassifier(
        n_neurons=150, threshold=15.5, random_state=0, readout="histogram"
    )
    for part in np.array_split(order, 7):
        model.partial_fit(X[part], y[part], classes=np.arange(10))
    online = model.score(X[1200:], y[1200:])
    assigned = model.assign(X[order], y[order]).score(X[1200:], y[1200:])
    assert online > assigned - 0.08


# Recognition ------------------------------------------------------------------------------------


def test_predictions_do_not_depend_on_order_slices_or_threads(digits, fitted):
    X = digits[0][400:520]
    answers = fitted.predict(X)
    order = np.random.default_rng(0).permutation(len(X))
    assert (fitted.predict(X[order]) == answers[order]).all()
    assert (fitted.predict(X[30:31]) == answers[30:31]).all()
    parallel = clone(fitted).set_params(n_jobs=2)
    parallel.__dict__.update({k: v for k, v in vars(fitted).items() if k.endswith("_")})
    assert (parallel.predict(X) == answers).all()


def test_probabilities_are_votes(digits, fitted):
    probabilities = fitted.predict_proba(digits[0][400:450])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    # five spikes, of which those of unlabelled neurons do not vote: shares are k/1 … k/5
    shares = {round(k / n, 9) for n in range(1, 6) for k in range(n + 1)}
    assert {round(float(p), 9) for p in probabilities.ravel()} <= shares
    assert (fitted.classes_[probabilities.argmax(1)] == fitted.predict(digits[0][400:450])).all()


def test_transform_counts_spikes_and_predict_names_the_winner(digits):
    X = digits[0]
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0).fit(X[:100])
    counts = network.transform(X[:20])
    assert counts.shape == (20, 30)
    assert (counts.sum(axis=1) == 5).all()
    winners = network.predict(X[:20])
    assert (counts[np.arange(20), winners] == counts.max(axis=1)).all()
    assert network.get_feature_names_out()[1] == "controlledforgettingnetwork1"


def test_dopaminergic_weights_follow_usage(fitted):
    weights = fitted.dopaminergic_weights_
    assert weights.sum() == pytest.approx(1.0)
    used = fitted.spike_counts_ + fitted.forced_depression * fitted.imprint_counts_
    assert used[np.argmax(weights)] == pytest.approx(used.min())


# Conventions ------------------------------------------------------------------------------------


@BOTH
def test_constructor_defaults_are_the_papers(estimator):
    defaults = type(estimator)().get_params()
    for field in fields(Parameters):
        assert defaults[field.name] == getattr(PAPER, field.name), field.name
    kinds = {p.kind for p in inspect.signature(type(estimator).__init__).parameters.values()}
    assert inspect.Parameter.KEYWORD_ONLY in kinds


@BOTH
def test_presets(estimator):
    made = type(estimator).from_preset("annealed", n_neurons=7, threshold=14.0)
    assert (made.annealed, made.n_neurons, made.threshold) == (True, 7, 14.0)
    assert made.learning_rate == ANNEALED.learning_rate
    with pytest.raises(
        ValueError, match="preset='best' is unknown: expected one of paper, annealed"
    ):
        type(estimator).from_preset("best")


def test_pipeline_grid_search_and_pickle(digits):
    X, y = digits
    pipeline = make_pipeline(
        MinMaxScaler(clip=True), ControlledForgettingClassifier(n_neurons=30, random_state=0)
    )
    search = GridSearchCV(
        pipeline, {"controlledforgettingclassifier__threshold": [15.0, 15.5]}, cv=2
    )
    search.fit(X[:150], y[:150])
    copied = pickle.loads(pickle.dumps(search.best_estimator_))
    assert (copied.predict(X[:20]) == search.predict(X[:20])).all()


def test_frames(digits):
    X, y = digits
    names = [f"pixel_{i}" for i in range(64)]
    frame = pd.DataFrame(X[:80], columns=names)
    model = ControlledForgettingClassifier(n_neurons=20, random_state=0).fit(
        frame, pd.Series(y[:80])
    )
    assert model.feature_names_in_.tolist() == names
    expected = model.predict(frame)
    assert (model.predict(pl.DataFrame(X[:80], schema=names)) == expected).all()
    network = ControlledForgettingNetwork(n_neurons=20, random_state=0)
    out = network.set_output(transform="pandas").fit(frame).transform(frame)
    assert isinstance(out, pd.DataFrame)


def test_text_labels(digits):
    X, y = digits
    words = np.array([f"digit {label}" for label in y[:100]])
    model = ControlledForgettingClassifier(n_neurons=30, threshold=15.5, random_state=0)
    assert set(model.fit(X[:100], words).predict(X[:10])) <= set(words)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64, np.int64])
def test_number_types_give_the_same_answers(dtype, digits, fitted):
    X = digits[0][:30]
    assert (fitted.predict(X.astype(dtype)) == fitted.predict(X)).all()


def test_weights_cannot_be_changed_by_accident(fitted):
    with pytest.raises(ValueError, match="read-only"):
        fitted.weights_[0, 0] = 1.0


# Bad input --------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: X * np.nan, "Input X contains NaN"),
        (lambda X: X + np.inf, "Input X contains infinity"),
        (lambda X: X - 1.0, "Negative values in data passed to X"),
        (lambda X: X[:0], "Found array with 0 sample"),
        (lambda X: X[:, :0], "0 feature"),
        (lambda X: X[0], "Expected 2D array, got 1D array"),
        (lambda X: X[None], "Found array with dim 3"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict"])
def test_bad_samples(estimator, spoil, message, method, digits):
    X, y = digits[0][:20], digits[1][:20]
    estimator = clone(estimator).fit(X, y)
    bad = spoil(X)
    args = () if method == "predict" else (y[: len(bad)],)
    before = estimator.weights_.copy()
    with pytest.raises(ValueError, match=message):
        getattr(estimator, method)(bad, *args)
    assert (estimator.weights_ == before).all(), "a refused call must not change the network"


@BOTH
@pytest.mark.parametrize("method", ["partial_fit", "predict"])
def test_wrong_width(estimator, method, digits):
    X, y = digits[0][:20], digits[1][:20]
    estimator = clone(estimator).fit(X, y)
    args = () if method == "predict" else (y,)
    with pytest.raises(ValueError, match=r"X has 63 features, but .* is expecting 64 features"):
        getattr(estimator, method)(X[:, 1:], *args)


def test_wrong_labels(digits):
    X, y = digits[0][:20], digits[1][:20]
    model = ControlledForgettingClassifier(n_neurons=5)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match=r"requires y to be passed.*ControlledForgettingNetwork"):
        model.fit(X, None)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model.fit(X, y + 0.5)
    model.partial_fit(X, y, classes=np.arange(10))
    with pytest.raises(ValueError, match=r"label 'cat' does not go with the classes so far"):
        model.partial_fit(X, np.full(20, "cat"))


@BOTH
@pytest.mark.parametrize(
    "use",
    ["predict", "transform", "predict_proba", "weights_", "dopaminergic_weights_", "spike_counts_"],
)
def test_unfitted_use(estimator, use, digits):
    if not hasattr(type(estimator), use):
        pytest.skip("the other estimator's")

    def attempt():
        result = getattr(clone(estimator), use)
        result(digits[0])

    with pytest.raises(NotFittedError, match="is not fitted yet"):
        attempt()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neurons": 0}, "n_neurons=0: expected a whole number of at least 1"),
        ({"n_neurons": 2.5}, "n_neurons=2.5"),
        ({"threshold": -1}, "threshold=-1.0 is out of range"),
        ({"stdp": "none"}, "stdp='none' is unknown: expected one of oja, static"),
        ({"readout": "loud"}, "readout='loud' is unknown: expected 'dominant' or 'histogram'"),
        ({"candidates": "few"}, "candidates='few' is unknown"),
        ({"random_state": -1}, "random_state=-1: expected 0 to"),
    ],
)
def test_bad_parameters_are_named(parameters, message, digits):
    with pytest.raises(ValueError, match=message):
        ControlledForgettingClassifier(**parameters).fit(digits[0][:5], digits[1][:5])


@BOTH
def test_blank_samples_are_skipped_with_a_warning(estimator, digits):
    X, y = digits[0][:30].copy(), digits[1][:30]
    X[[3, 7]] = 0.0
    estimator = clone(estimator)
    with pytest.warns(BlankInputWarning, match="2 of 30 samples are all zero.*sends no spikes"):
        estimator.fit(X, y)
    kept = np.delete(np.arange(30), [3, 7])
    assert estimator.n_presentations_ == 30
    with pytest.warns(BlankInputWarning):
        answers = estimator.predict(np.zeros((1, 64)))
    if isinstance(estimator, ControlledForgettingNetwork):
        assert answers[0] == -1
    else:
        assert answers[0] == np.bincount(y).argmax()
    assert (estimator.predict(X[kept]) >= 0).all()
