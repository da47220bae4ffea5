"""The nearest error of a k-means network, against a search over all pairs by hand."""

from dataclasses import replace

import numpy as np
import pytest
from lethenet_reproduction.paper import SCALES, kmeans

from lethenet.data import Dataset, load
from lethenet.theory.prototypes import spherical_k_means

TINY = replace(SCALES["smoke"], sizes=(10, 20), seeds=(1, 1), trials=(3, 2), k_means_iterations=3)


def by_hand(data, n, n_iterations, seed):
    """Largest dot products of wrong pairs, with plain loops over everything."""
    X = data.X_train / np.linalg.norm(data.X_train, axis=1, keepdims=True)
    prototypes = spherical_k_means(X.astype(np.float32), n, n_iterations=n_iterations, seed=seed)
    dots = X @ prototypes.T
    nearest = dots.argmax(axis=1)
    labels = {}
    for p in range(n):
        members = data.y_train[nearest == p].tolist()
        if members:
            labels[p] = max(sorted(set(members)), key=members.count)
    errors = [dots[i, p] for i, p in enumerate(nearest) if labels[p] != data.y_train[i]]
    pairs = [
        dots[i, p] for i in range(len(X)) for p, label in labels.items() if label != data.y_train[i]
    ]
    return max(errors), max(pairs), len(errors)


@pytest.mark.parametrize(("n", "seed"), [(10, 0), (30, 1)])
def test_nearest_error_and_nearest_pair(n, seed):
    data = load("digits").limited(20, 5)
    found = kmeans.nearest_error(data, n, n_iterations=3, seed=seed)
    error, pair, count = by_hand(data, n, 3, seed)
    # single precision: about 1e-7 per term, 64 terms
    assert found["nearest_error"] == pytest.approx(error, abs=1e-5)
    assert found["nearest_pair"] == pytest.approx(pair, abs=1e-5)
    assert found["errors"] == count
    assert found["train_accuracy"] == pytest.approx(1 - count / len(data.y_train))


def test_clusters_without_an_error_have_no_nearest_one():
    X = np.array([[9.0, 1.0], [9.0, 2.0], [1.0, 9.0], [2.0, 9.0]])
    data = Dataset.from_arrays("apart", X, [0, 0, 1, 1], X, [0, 0, 1, 1])
    found = kmeans.nearest_error(data, 2, n_iterations=5, seed=0)
    assert found["nearest_error"] is None
    assert found["errors"] == 0
    assert 0 < found["nearest_pair"] < 1


def test_trials_are_kept_and_read_back(tmp_path):
    events = []
    kmeans.run_k_means(TINY, tmp_path, events.append)
    assert [(event["done"], event["steps"]) for event in events] == [(n, 5) for n in range(1, 6)]
    assert events[-1]["seconds_left"] == 0
    before = (tmp_path / kmeans.FILE).read_text()
    found = kmeans.read_k_means(TINY, tmp_path)
    assert [(errors.neurons, len(errors.dots)) for errors in found] == [(10, 3), (20, 2)]
    for errors in found:
        assert errors.potential == pytest.approx(15.0 * np.mean(errors.dots))
        assert errors.deviation == pytest.approx(np.std(errors.dots, ddof=1))
    kmeans.run_k_means(TINY, tmp_path, events.append)
    assert len(events) == 5  # there was nothing to do
    assert (tmp_path / kmeans.FILE).read_text() == before
    # another number of iterations is another experiment
    assert kmeans.read_k_means(replace(TINY, k_means_iterations=4), tmp_path) == []
