"""k-means in its three forms: against definitions, and in the common face."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from lethenet.baselines import MiniBatches, OnlineKMeans, SphericalKMeans, unit_rows
from lethenet.data import disjoint, load


@pytest.fixture(scope="module")
def digits():
    return load("digits")


def accuracy(learner, data):
    learner.assign(data.X_train, data.y_train)
    return np.mean(learner.predict(data.X_test) == data.y_test)


@pytest.mark.parametrize("make", [OnlineKMeans, MiniBatches, SphericalKMeans])
def test_prototypes_recognise_digits(make, digits):
    order = np.random.default_rng(0).permutation(len(digits.y_train))
    learner = make(100).learn(digits.X_train[order])
    # 500 test samples: a standard error of 1.3 points at 90 %; three of them are allowed
    assert accuracy(learner, digits) > 0.90 - 3 * 0.013


def test_online_prototypes_are_means_of_what_they_won(digits):
    """MacQueen's update, written as the mean of the samples each prototype ever won."""
    samples = unit_rows(digits.X_train[:300]).astype(float)
    won = [[sample] for sample in samples[:20]]
    for sample in samples[20:]:
        means = np.array([np.mean(group, axis=0) for group in won])
        won[np.argmin(((means - sample) ** 2).sum(axis=1))].append(sample)
    learner = OnlineKMeans(20).learn(digits.X_train[:300])
    means = [np.mean(group, axis=0) for group in won]
    np.testing.assert_allclose(learner.prototypes, means, atol=1e-6)  # single precision
    assert learner.counts.tolist() == [len(group) for group in won]


def test_online_learning_does_not_see_where_the_stream_is_cut(digits):
    whole = OnlineKMeans(30).learn(digits.X_train[:200])
    parts = OnlineKMeans(30)
    for start in range(0, 200, 12):  # the first pieces hold fewer samples than prototypes
        parts.learn(digits.X_train[start : min(start + 12, 200)])
    assert whole.prototypes.tobytes() == parts.prototypes.tobytes()


def test_small_batches_match_scikit_learn_and_start_with_few_samples(digits):
    from sklearn.cluster import MiniBatchKMeans

    X = unit_rows(digits.X_train)
    peer = MiniBatchKMeans(50, n_init=1, random_state=3)
    for start in range(0, len(X), 100):
        peer.partial_fit(X[start : start + 100])
    ours = MiniBatches(50, batch_size=100, seed=3).learn(digits.X_train)
    assert (ours.winners(digits.X_test)[:, 0] == peer.predict(unit_rows(digits.X_test))).all()
    few = MiniBatches(50).learn(digits.X_train[:20])  # scikit-learn alone would refuse
    assert few.winners(digits.X_test).shape == (500, 1)


def test_spherical_finds_as_good_a_clustering_as_scikit_learn(digits):
    """On the sphere, k-means and its spherical form want nearly the same: compare mean cosines."""
    X = unit_rows(digits.X_train)
    peer = KMeans(30, n_init=1, init="random", random_state=0).fit(X)
    best_cosines = (X @ unit_rows(peer.cluster_centers_).T).max(axis=1)
    ours = SphericalKMeans(30).learn(digits.X_train)
    cosines = (X @ ours.prototypes.T).max(axis=1)
    # Both end in some local optimum of nearly the same loss: a few percent lie between them
    assert 1 - cosines.mean() < 1.05 * (1 - best_cosines.mean())
    assert len(np.unique(ours.winners(X))) == 30


def test_spherical_prototype_without_samples_takes_the_worst_represented():
    X = np.array([[1.0, 0, 0]] * 5 + [[0, 1.0, 0]] * 5 + [[0, 0, 1.0]])
    # Some of these seeds start with several prototypes on equal samples, so that one loses all
    for seed in range(10):
        learner = SphericalKMeans(3, seed=seed).learn(X)
        cosines = (X @ learner.prototypes.T).max(axis=1)
        np.testing.assert_allclose(cosines, 1.0, atol=1e-6)


def test_spherical_wants_a_sample_per_prototype():
    with pytest.raises(ValueError, match="X has 3 samples: expected at least one per prototype, 4"):
        SphericalKMeans(4).learn(np.eye(3))


def test_classes_in_turn_cost_accuracy(digits):
    """The protocol has teeth: the same learner does worse when classes come in turn."""
    order = np.random.default_rng(0).permutation(len(digits.y_train))
    mixed = OnlineKMeans(60).learn(digits.X_train[order])
    in_turn = OnlineKMeans(60)
    for task in disjoint(digits.y_train):
        in_turn.learn(digits.X_train[task.indices])
    assert accuracy(in_turn, digits) < accuracy(mixed, digits) - 0.05


def test_unlabelled_prototypes_fall_back_to_the_frequent_class():
    learner = OnlineKMeans(3).learn(np.eye(3))
    learner.assign(np.eye(3)[[0, 1, 1]], np.array([0, 1, 1]), n_classes=2)
    assert learner.predict(np.eye(3)).tolist() == [0, 1, 1]
