"""Layers and a network as one learner: going on, infancy, clones; a threshold that fits by itself."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline as sklearns_make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import lethenet
from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork, make_pipeline
from lethenet.data import load
from lethenet.layers import Edges, OnOff, Patches

digits = load("digits")
in_turn = digits.y_train.argsort(kind="stable")
X, y = digits.X_train[in_turn], digits.y_train[in_turn]
SMALL = {"n_neurons": 50, "threshold": 14.0, "random_state": 0}


def test_a_pipeline_learns_in_batches_what_it_learns_at_once():
    whole = make_pipeline(Edges((8, 8)), ControlledForgettingNetwork(**SMALL)).fit(X[:300])
    parts = make_pipeline(Edges((8, 8)), ControlledForgettingNetwork(**SMALL))
    for start in range(0, 300, 100):
        parts.partial_fit(X[start : start + 100])
    assert np.array_equal(whole[-1].weights_, parts[-1].weights_)
    assert np.array_equal(whole.transform(X[:20]), parts.transform(X[:20]))


def test_samples_of_the_infancy_stay_with_the_layer():
    layer = Patches((8, 8), n_neurons=8, infancy=150)
    learner = make_pipeline(layer, ControlledForgettingClassifier(**SMALL))
    learner.partial_fit(X[:100], y[:100], classes=range(10))
    assert not hasattr(learner[-1], "network_")
    learner.partial_fit(X[100:200], y[100:200], classes=range(10))
    assert learner[0].n_images_ == 150
    assert learner[-1].n_presentations_ == 50
    learner.partial_fit(X[200:260], y[200:260])
    assert learner[-1].n_presentations_ == 110
    assert set(learner.predict(X[:5])) <= set(range(10))


def test_a_step_without_partial_fit_is_fitted_once():
    learner = make_pipeline(MaxAbsScaler(), OnOff(), ControlledForgettingNetwork(**SMALL))
    learner.partial_fit(X[:50]).partial_fit(X[50:80])
    assert (
        learner[0].n_samples_seen_ == 80
    )  # MaxAbsScaler goes on learning, as its partial_fit says
    assert learner[-1].n_presentations_ == 80
    assert clone(learner).get_params()["onoff"] is not learner[1]


def test_pipelines_that_cannot_go_on_say_so():
    assert not hasattr(make_pipeline(OnOff(), Edges()), "transform_one")
    from sklearn.linear_model import LogisticRegression

    assert not hasattr(make_pipeline(OnOff(), LogisticRegression()), "partial_fit")


def test_the_threshold_fits_by_itself():
    learner = make_pipeline(
        Edges((8, 8)),
        ControlledForgettingClassifier.from_preset(
            "annealed", n_neurons=150, threshold="auto", random_state=0
        ),
    )
    learner.fit(X, y)
    assert 13 < learner[-1].threshold_ < 16
    assert learner[-1].network_.parameters.threshold == learner[-1].threshold_
    assert learner.score(digits.X_test, digits.y_test) > 0.95


def test_a_threshold_is_a_number_or_auto():
    with pytest.raises(TypeError, match="threshold='high'"):
        ControlledForgettingNetwork(threshold="high").fit(X[:10])


@pytest.mark.parametrize("make", [make_pipeline, sklearns_make_pipeline])
def test_a_pipeline_is_one_file_and_goes_on_to_the_same_bits(tmp_path, make):
    classifier = ControlledForgettingClassifier(**SMALL, readout="evidence")
    learner = make(OnOff(), Patches((8, 16), n_neurons=8, infancy=100), classifier).fit(X, y)
    lethenet.save(learner, tmp_path / "both.safetensors")
    loaded = lethenet.load(tmp_path / "both.safetensors")
    assert [type(step).__name__ for step in loaded] == [type(step).__name__ for step in learner]
    assert np.array_equal(loaded.predict_proba(digits.X_test), learner.predict_proba(digits.X_test))
    again = make_pipeline(*(step for _, step in learner.steps))
    again.partial_fit(X[:50], y[:50])
    loaded.partial_fit(X[:50], y[:50])
    assert np.array_equal(loaded[-1].weights_, again[-1].weights_)
    assert np.array_equal(loaded[-1].label_counts_, again[-1].label_counts_)


def test_a_layer_that_learns_for_life_goes_on_after_loading(tmp_path):
    learner = make_pipeline(
        Patches((8, 8), n_neurons=8, infancy=None), ControlledForgettingNetwork(**SMALL)
    ).partial_fit(X[:100])
    lethenet.save(learner, tmp_path / "m")
    loaded = lethenet.load(tmp_path / "m")
    for one in (learner, loaded):
        one.partial_fit(X[100:200])
    assert np.array_equal(loaded[0].network_.state.weights, learner[0].network_.state.weights)
    assert np.array_equal(loaded[-1].weights_, learner[-1].weights_)


def test_what_cannot_be_saved_is_named(tmp_path):
    learner = make_pipeline(MaxAbsScaler(), ControlledForgettingNetwork(**SMALL)).fit(X[:50])
    with pytest.raises(TypeError, match="a MaxAbsScaler cannot be saved"):
        lethenet.save(learner, tmp_path / "m")
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(TypeError, match="a LogisticRegression cannot be saved"):
        lethenet.save(make_pipeline(OnOff(), LogisticRegression()), tmp_path / "m")
    assert not list(tmp_path.iterdir())
