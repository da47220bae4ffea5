"""Sparse, signed and slightly negative samples."""

import numpy as np
import pytest
from scipy import sparse

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork, make_pipeline
from lethenet.layers import OnOff
from lethenet.model.network import chunk_size

KINDS = [sparse.csr_matrix, sparse.csr_array, sparse.coo_array, sparse.csc_matrix]


@pytest.fixture(scope="module")
def texts():
    """Rows of a few words out of many, about one of three things."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    X = sparse.lil_matrix((240, 900))
    for row, about in enumerate(y):
        X[row, 300 * about + rng.choice(25, 8, replace=False)] = rng.random(8) + 0.5
    return X.tocsr(), y


@pytest.fixture(scope="module")
def dense_model(texts):
    X, y = texts
    return ControlledForgettingClassifier(n_neurons=20, threshold=5.0, random_state=0).fit(
        X.toarray(), y
    )


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_samples_give_the_bits_of_dense_ones(texts, dense_model, kind):
    X, y = kind(texts[0]), texts[1]
    model = ControlledForgettingClassifier(n_neurons=20, threshold=5.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.weights_, dense_model.weights_)
    np.testing.assert_array_equal(model.predict(X), dense_model.predict(texts[0].toarray()))
    np.testing.assert_array_equal(model.predict_proba(X), dense_model.predict_proba(X.toarray()))


def test_a_sparse_stream_settles_its_threshold(texts):
    X, y = texts
    kept = [
        ControlledForgettingClassifier(n_neurons=20, threshold="auto", random_state=0)
        .partial_fit(x[:100], y[:100])
        .partial_fit(x[100:], y[100:])
        .settle()
        for x in (X, X.toarray())
    ]
    assert kept[0].threshold_ == pytest.approx(kept[1].threshold_, abs=0.02)
    assert kept[0].n_presentations_ == 240


def test_wide_samples_come_fewer_at_a_time():
    assert chunk_size(784) == 256
    assert chunk_size(50_000) * 50_000 * 8 <= 2**25
    assert chunk_size(10**8) == 1


def test_signed_samples_are_refused_with_the_way_out():
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = ControlledForgettingNetwork(n_neurons=5, random_state=0)
    for given in (X, X.astype(np.float32), sparse.csr_matrix(X)):
        with pytest.raises(ValueError, match=r"Negative values .* in row 0.*layers\.OnOff.*clip"):
            model.fit(given)
    assert make_pipeline(OnOff(), model).fit(X)[-1].n_presentations_ == 30


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_rounding_errors_below_zero_are_zero(kind):
    X = np.random.default_rng(0).random((30, 4))
    X[:, 0] = 0
    slightly = X.copy()
    slightly[::2, 0] = -1e-8
    model = ControlledForgettingNetwork(n_neurons=5, random_state=0)
    weights = model.fit(X).weights_.copy()
    np.testing.assert_array_equal(model.fit(kind(slightly)).weights_, weights)
    slightly[3, 0] = -1e-3
    with pytest.raises(ValueError, match=r"-0\.001 in row 3"):
        model.fit(kind(slightly))
