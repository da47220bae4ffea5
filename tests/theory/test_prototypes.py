"""Spherical k-means."""

import numpy as np
import pytest

from lethenet.data import load
from lethenet.theory import nearest_prototypes, spherical_k_means


@pytest.fixture(scope="module")
def rows():
    X = load("digits").X_train.astype(np.float32)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_each_iteration_brings_prototypes_closer(rows):
    closeness = [
        nearest_prototypes(rows, spherical_k_means(rows, 30, n_iterations=n))[1].mean()
        for n in range(5)
    ]
    assert (np.diff(closeness) > 0).all()


def test_as_close_as_scikit_learns(rows):
    """Lloyd's iteration from another start: the same quality, to a hundredth of the spread."""
    from sklearn.cluster import KMeans

    theirs = KMeans(30, init="random", n_init=1, max_iter=30, random_state=0).fit(rows)
    theirs = theirs.cluster_centers_ / np.linalg.norm(theirs.cluster_centers_, axis=1)[:, None]
    ours = spherical_k_means(rows, 30, n_iterations=30)
    mine, other = (1 - nearest_prototypes(rows, found)[1].mean() for found in (ours, theirs))
    assert mine < 1.03 * other


def test_prototypes_have_length_one_and_follow_the_seed(rows):
    found = spherical_k_means(rows, 25, seed=3)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-5)
    assert (found == spherical_k_means(rows, 25, seed=3)).all()
    assert (found != spherical_k_means(rows, 25, seed=4)).any()


def test_as_many_prototypes_as_rows(rows):
    _, cosine = nearest_prototypes(rows[:40], spherical_k_means(rows[:40], 40))
    np.testing.assert_allclose(cosine, 1.0, rtol=1e-5)


def test_nearest_of_many_rows_in_parts(rows):
    many = np.tile(rows, (5, 1))  # more than one block
    nearest, cosine = nearest_prototypes(many, rows[:10])
    products = many @ rows[:10].T
    np.testing.assert_allclose(cosine, products.max(axis=1), rtol=1e-6)
    assert (nearest == products.argmax(axis=1)).mean() > 0.999  # but for ties in the last bit


def test_too_many(rows):
    with pytest.raises(ValueError, match="n_prototypes=41"):
        spherical_k_means(rows[:40], 41)
