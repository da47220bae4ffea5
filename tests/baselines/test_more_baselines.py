"""The map, fuzzy ART and the class means, each against its definition written in another way."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid

from lethenet.baselines import (
    FuzzyART,
    NearestClassMean,
    OnlineKMeans,
    SelfOrganisingMap,
    StreamingLDA,
    unit_rows,
)
from lethenet.data import load


@pytest.fixture(scope="module")
def digits():
    return load("digits")


@pytest.mark.parametrize("make", [SelfOrganisingMap, FuzzyART, OnlineKMeans])
def test_where_the_stream_is_cut_changes_nothing(make, digits):
    X = digits.X_train[:150]
    whole, parts = make(16).partial_fit(X), make(16)
    for piece in np.split(X, [7, 60, 61]):
        parts.partial_fit(piece)
    assert whole.cluster_centers_.tobytes() == parts.cluster_centers_.tobytes()


def test_the_map_follows_kohonens_rule(digits):
    """All prototypes moved by the whole Gaussian: those left out would have moved by next to nothing."""
    X = unit_rows(digits.X_train[:80]).astype(float)
    settings = {"learning_rate": 0.3, "final_rate": 0.1, "final_radius": 0.6, "decay": 30.0}
    ours = SelfOrganisingMap(12, random_state=3, **settings).fit(digits.X_train[:80])
    prototypes = X[0] + 0.01 * np.random.default_rng(3).random((12, 64), np.float32)
    places = np.array([(place // 4, place % 4) for place in range(12)])
    for t, x in enumerate(X):
        left = 1 / (1 + t / 30)
        rate, sigma = 0.1 + 0.2 * left, 0.6 + (2 - 0.6) * left
        winner = np.argmin(((prototypes - x) ** 2).sum(axis=1))
        distance = ((places - places[winner]) ** 2).sum(axis=1)
        prototypes += rate * np.exp(-distance / (2 * sigma**2))[:, None] * (x - prototypes)
    np.testing.assert_allclose(ours.cluster_centers_, prototypes, atol=5e-3)


def test_neighbours_on_the_map_are_alike(digits):
    order = np.random.default_rng(0).permutation(len(digits.y_train))
    model = SelfOrganisingMap(100, final_radius=1.0, decay=300.0).fit(digits.X_train[order])
    grid = model.cluster_centers_.reshape(10, 10, -1)
    beside = np.linalg.norm(np.diff(grid, axis=1), axis=2).mean()
    apart = np.linalg.norm(grid[:, :5] - grid[::-1, 5:], axis=2).mean()
    assert beside < 0.5 * apart


def test_fuzzy_art_by_hand():
    """Boxes: a sample inside one changes nothing, one that would make it too large starts another."""
    X = np.array([[1.0, 0.2, 0.0], [1.0, 0.4, 0.0], [1.0, 0.3, 0.0], [1.0, 1.0, 1.0]])
    model = FuzzyART(vigilance=0.9, learning_rate=1.0).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    # the corners of the first box, as (smallest, 1 − largest)
    np.testing.assert_allclose(model.weights_[0], [1, 0.2, 0, 0, 0.6, 1], atol=1e-6)
    assert model.predict(X).tolist() == [0, 0, 0, 1]


def test_vigilance_makes_categories_and_they_are_bounded(digits):
    counts = [len(FuzzyART(500, vigilance=v).fit(digits.X_train).weights_) for v in (0.6, 0.7, 0.8)]
    assert counts == sorted(counts)
    assert 10 < counts[0] < counts[-1] < 500
    assert len(FuzzyART(20, vigilance=0.9).fit(digits.X_train).weights_) == 20


def test_class_means_are_those_of_scikit_learn(digits):
    X, X_test = unit_rows(digits.X_train), unit_rows(digits.X_test)
    peer = NearestCentroid().fit(X, digits.y_train)
    ours = NearestClassMean()
    for piece in np.array_split(np.argsort(digits.y_train, kind="stable"), 9):  # classes in turn
        ours.partial_fit(digits.X_train[piece], digits.y_train[piece])
    np.testing.assert_allclose(ours.means_, peer.centroids_, atol=1e-6)
    assert (ours.predict(digits.X_test) == peer.predict(X_test)).all()


def test_streaming_lda_does_not_depend_on_the_order_and_is_lda(digits):
    rng = np.random.default_rng(0)
    whole = StreamingLDA(0.01).fit(digits.X_train, digits.y_train)
    parts = StreamingLDA(0.01)
    for piece in np.array_split(rng.permutation(len(digits.y_train)), 40):
        parts.partial_fit(digits.X_train[piece], digits.y_train[piece])
    np.testing.assert_allclose(parts.scatter_, whole.scatter_, atol=1e-9)
    assert (parts.predict(digits.X_test) == whole.predict(digits.X_test)).all()
    # scikit-learn's shrinks towards the mean variance, and weighs classes by their priors
    X, X_test = unit_rows(digits.X_train).astype(float), unit_rows(digits.X_test).astype(float)
    variance = whole.scatter_.trace() / len(X) / 64
    shrinkage = 0.01 / (0.01 + 0.99 * variance)
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage, priors=np.full(10, 0.1))
    agreeing = peer.fit(X, digits.y_train).predict(X_test) == whole.predict(digits.X_test)
    assert agreeing.mean() > 0.97  # it scales each feature before it shrinks
    assert StreamingLDA(1.0).fit(digits.X_train, digits.y_train).predict(X_test).tolist() == (
        NearestClassMean().fit(digits.X_train, digits.y_train).predict(X_test).tolist()
    )


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (FuzzyART(vigilance=2), "vigilance=2: expected a number from 0 to 1"),
        (SelfOrganisingMap(decay=0), "decay=0: expected a number above 0"),
        (StreamingLDA(0.0), r"shrinkage=0.0: expected above 0"),
    ],
)
def test_wrong_settings_are_named(model, why, digits):
    with pytest.raises(ValueError, match=why):
        model.fit(digits.X_train, digits.y_train)


def test_distances_to_prototypes(digits):
    model = OnlineKMeans(7).fit(digits.X_train)
    distances = model.transform(digits.X_test)
    assert distances.shape == (500, 7)
    assert (distances.argmin(axis=1) == model.predict(digits.X_test)).mean() > 0.99
