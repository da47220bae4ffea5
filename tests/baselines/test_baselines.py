"""k-means in its three forms: against definitions, and read out as the networks are."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from lethenet.baselines import MiniBatchStream, OnlineKMeans, SphericalKMeans, unit_rows
from lethenet.data import disjoint, load
from lethenet.lifelong.evaluation import assess
from lethenet.lifelong.measures import accuracy as share_right


@pytest.fixture(scope="module")
def digits():
    return load("digits")


def accuracy(model, data):
    train, test = (data.X_train, data.y_train), (data.X_test, data.y_test)
    assessed = assess(lambda X: model.predict(X)[:, None], train, test, (model.n_clusters, 10))
    return share_right(assessed.confusion)


@pytest.mark.parametrize("make", [OnlineKMeans, MiniBatchStream, SphericalKMeans])
def test_prototypes_recognise_digits(make, digits):
    order = np.random.default_rng(0).permutation(len(digits.y_train))
    learner = make(100).fit(digits.X_train[order])
    # 500 test samples: a standard error of 1.3 points at 90 %; three of them are allowed
    assert accuracy(learner, digits) > 0.90 - 3 * 0.013


def test_online_prototypes_are_means_of_what_they_won(digits):
    """MacQueen's update, written as the mean of the samples each prototype ever won."""
    samples = unit_rows(digits.X_train[:300]).astype(float)
    won = [[sample] for sample in samples[:20]]
    for sample in samples[20:]:
        means = np.array([np.mean(group, axis=0) for group in won])
        won[np.argmin(((means - sample) ** 2).sum(axis=1))].append(sample)
    learner = OnlineKMeans(20).partial_fit(digits.X_train[:300])
    means = [np.mean(group, axis=0) for group in won]
    np.testing.assert_allclose(learner.cluster_centers_, means, atol=1e-6)  # single precision
    assert learner.counts_.tolist() == [len(group) for group in won]


def test_online_learning_does_not_see_where_the_stream_is_cut(digits):
    whole = OnlineKMeans(30).fit(digits.X_train[:200])
    parts = OnlineKMeans(30)
    for start in range(0, 200, 12):  # the first pieces hold fewer samples than prototypes
        parts.partial_fit(digits.X_train[start : min(start + 12, 200)])
    assert whole.cluster_centers_.tobytes() == parts.cluster_centers_.tobytes()


def test_small_batches_match_scikit_learn_and_start_with_few_samples(digits):
    from sklearn.cluster import MiniBatchKMeans

    X = unit_rows(digits.X_train)
    peer = MiniBatchKMeans(50, n_init=1, random_state=3)
    for start in range(0, len(X), 100):
        peer.partial_fit(X[start : start + 100])
    ours = MiniBatchStream(50, batch_size=100, random_state=3).partial_fit(digits.X_train)
    assert (ours.predict(digits.X_test) == peer.predict(unit_rows(digits.X_test))).all()
    few = MiniBatchStream(50).partial_fit(digits.X_train[:20])  # scikit-learn alone would refuse
    assert few.predict(digits.X_test).shape == (500,)


def test_spherical_finds_as_good_a_clustering_as_scikit_learn(digits):
    """On the sphere, k-means and its spherical form want nearly the same: compare mean cosines."""
    X = unit_rows(digits.X_train)
    peer = KMeans(30, n_init=1, init="random", random_state=0).fit(X)
    best_cosines = (X @ unit_rows(peer.cluster_centers_).T).max(axis=1)
    ours = SphericalKMeans(30).fit(digits.X_train)
    cosines = (X @ ours.cluster_centers_.T).max(axis=1)
    # Both end in some local optimum of nearly the same loss: a few percent lie between them
    assert 1 - cosines.mean() < 1.05 * (1 - best_cosines.mean())
    assert len(np.unique(ours.predict(X))) == 30


def test_spherical_prototype_without_samples_takes_the_worst_represented():
    X = np.array([[1.0, 0, 0]] * 5 + [[0, 1.0, 0]] * 5 + [[0, 0, 1.0]])
    # Some of these seeds start with several prototypes on equal samples, so that one loses all
    for seed in range(10):
        learner = SphericalKMeans(3, random_state=seed).fit(X)
        cosines = (X @ learner.cluster_centers_.T).max(axis=1)
        np.testing.assert_allclose(cosines, 1.0, atol=1e-6)


def test_spherical_wants_a_sample_per_prototype():
    with pytest.raises(ValueError, match="X has 3 samples: expected at least one per prototype, 4"):
        SphericalKMeans(4).fit(np.eye(3))


def test_classes_in_turn_cost_accuracy(digits):
    """The protocol has teeth: the same learner does worse when classes come in turn."""
    order = np.random.default_rng(0).permutation(len(digits.y_train))
    mixed = OnlineKMeans(60).fit(digits.X_train[order])
    in_turn = OnlineKMeans(60)
    for task in disjoint(digits.y_train):
        in_turn.partial_fit(digits.X_train[task.indices])
    assert accuracy(in_turn, digits) < accuracy(mixed, digits) - 0.05


@pytest.mark.parametrize("make", [OnlineKMeans, MiniBatchStream, SphericalKMeans])
def test_they_are_scikit_learn_estimators(make, digits):
    model = make(n_clusters=20).fit(digits.X_train)
    again = clone(model).fit(digits.X_train)
    assert model.cluster_centers_.shape == (20, 64)
    assert again.cluster_centers_.tobytes() == model.cluster_centers_.tobytes()
    assert (model.labels_ == model.predict(digits.X_train)).all()
    assert model.fit(digits.X_train).cluster_centers_.tobytes() == again.cluster_centers_.tobytes()
    with pytest.raises(NotFittedError):
        make().predict(digits.X_test)
    with pytest.raises(ValueError, match="X has 3 features, but"):
        model.predict(np.ones((2, 3)))
    with pytest.raises(ValueError, match="n_clusters=0: expected 1 or more"):
        make(n_clusters=0).fit(digits.X_train)
    assert hasattr(model, "partial_fit") == (make is not SphericalKMeans)
