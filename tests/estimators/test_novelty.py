"""What is new, in scikit-learn's words."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

import lethenet
from lethenet import ControlledForgettingNetwork, NoveltyDetector, make_pipeline
from lethenet.layers import Edges

X, Y = load_digits(return_X_y=True)
KNOWN, NEW = X[Y < 5], X[Y >= 5]


def detector(**parameters):
    settings = {"n_neurons": 50, "threshold": 15.5, "random_state": 0, **parameters}
    return NoveltyDetector(**settings)


def test_new_digits_score_lower_than_known_ones():
    known, held_out = KNOWN[:600], KNOWN[600:]
    for model in (detector(), detector(signed=False)):
        model.fit(known)
        scores = model.score_samples(np.vstack([held_out, NEW]))
        assert roc_auc_score(np.arange(len(scores)) < len(held_out), scores) > 0.9


def test_the_share_that_is_called_new():
    model = detector(contamination=0.1).fit(KNOWN)
    assert abs((model.predict(KNOWN) == -1).mean() - 0.1) < 0.01
    assert (model.decision_function(NEW) == model.score_samples(NEW) - model.offset_).all()
    assert ((model.decision_function(NEW) < 0) == (model.predict(NEW) == -1)).all()
    assert (detector(contamination=0.1).fit_predict(KNOWN) == model.predict(KNOWN)).all()
    for share in (0.0, 0.6, "auto"):
        with pytest.raises(ValueError, match="contamination="):
            detector(contamination=share).fit(KNOWN)


def test_a_stream_is_measured_before_it_is_learned():
    rng = np.random.default_rng(0)
    stream = KNOWN[rng.permutation(len(KNOWN))]
    batches, single = detector(window=300), detector(window=300)
    alarms = []
    for x in stream:
        alarms.append(len(alarms) > 300 and single.predict_one(x) == -1)
        single.learn_one(x)
    for part in np.array_split(stream, 7):
        batches.partial_fit(part)
    assert (single.recent_scores_ == batches.recent_scores_).all()
    assert single.offset_ == batches.offset_
    assert len(single.recent_scores_) == 300
    assert 0.01 < np.mean(alarms[300:]) < 0.1, "about contamination in a stream that is the same"
    new = np.mean([single.predict_one(x) == -1 for x in NEW])
    assert new > 3 * np.mean(alarms[300:])
    assert [single.predict_one(x) for x in NEW[:20]] == single.predict(NEW[:20]).tolist()


def test_signed_data_have_inputs_for_both_signs():
    centred = X - X.mean(axis=0)
    model = detector(threshold=13.0).fit(centred[Y < 5])
    assert model.weights_.shape == (50, 128)
    scores = model.score_samples(centred)
    assert roc_auc_score(Y < 5, scores) > 0.9
    assert [model.score_one(x) for x in centred[:10]] == scores[:10].tolist()
    with pytest.raises(ValueError, match="Negative values"):
        detector(signed=False).fit(centred)
    with pytest.raises(
        ValueError, match="signed=False, but the network has learned with signed=True"
    ):
        model.set_params(signed=False).learn_one(X[0])
    assert (model.score_samples(centred) == scores).all(), "what is asked for later changes nothing"
    with pytest.raises(ValueError, match=r"x has shape \(3,\)"):
        model.score_one([1, 2, 3])


def test_it_can_be_saved(tmp_path):
    model = detector(record_novelties=10).partial_fit(KNOWN[:200])
    lethenet.save(model, tmp_path / "detector")
    loaded = lethenet.load(tmp_path / "detector")
    assert loaded.offset_ == model.offset_
    assert loaded.n_features_in_ == 64
    for one in (model, loaded):
        one.partial_fit(KNOWN[200:300])
    assert (loaded.predict(NEW) == model.predict(NEW)).all()
    assert (loaded.weights_ == model.weights_).all()


def test_those_who_cluster_find_their_words():
    network = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=1)
    labels = network.fit_predict(X[:100])
    assert (labels == network.labels_).all()
    assert (labels == network.predict(X[:100])).all()
    assert (network.cluster_centers_ == network.weights_).all()


def test_a_pipeline_takes_one_sample_too():
    def learner():
        network = ControlledForgettingNetwork(n_neurons=20, threshold=14.0, random_state=0)
        return make_pipeline(Edges(image_shape=(8, 8)), network)

    together, single = learner().partial_fit(X[:60]), learner()
    learned = [single.learn_one(x) for x in X[:60]]
    assert learned[0].surprise == 1.0
    assert (single[-1].weights_ == together[-1].weights_).all()
    assert [single.predict_one(x) for x in X[:9]] == together.predict(X[:9]).tolist()
    assert [single.score_one(x) for x in X[:9]] == together.score_samples(X[:9]).tolist()
    with pytest.raises(ValueError, match="dim 3"):
        single.learn_one(X[:2])
