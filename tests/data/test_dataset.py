import dataclasses
import hashlib

import numpy as np
import pytest

from lethenet.data import Dataset, load
from lethenet.data.splitting import stratified_split

GOOD = {
    "X_train": np.arange(12, dtype=np.uint8).reshape(4, 3),
    "y_train": np.array([5, 2, 5, 2]),
    "X_test": np.arange(6, dtype=np.uint8).reshape(2, 3),
    "y_test": np.array([2, 5]),
}


def make(**changes):
    return Dataset.from_arrays("d", **{**GOOD, **changes})


def with_value(value, dtype=float):
    X = GOOD["X_train"].astype(dtype)
    X[1, 2] = value
    return X


def test_arrays_come_out_clean():
    data = make()
    assert (data.n_features, data.classes, data.image_shape) == (3, (2, 5), None)
    for X in (data.X_train, data.X_test):
        assert X.dtype == np.uint8
        assert X.flags.c_contiguous
    assert data.y_train.dtype == data.y_test.dtype == np.int64
    np.testing.assert_array_equal(data.X_train, GOOD["X_train"])


def test_is_frozen_and_prints_sizes():
    data = make()
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"
    assert repr(data) == "Dataset('d', train=4, test=2, features=3, classes=2)"


def test_images_are_flattened():
    data = make(X_train=np.ones((4, 2, 5)), X_test=np.ones((2, 2, 5)))
    assert data.image_shape == (2, 5)
    assert data.X_train.shape == (4, 10)


@pytest.mark.parametrize(
    ("dtype", "largest", "expected"),
    [
        ("bool", 1, "uint8"),
        ("int64", 255, "uint8"),
        ("int64", 256, "float32"),
        ("uint16", 65535, "float32"),
        ("float64", 1.0, "float32"),
        ("float16", 1.0, "float32"),
    ],
)
def test_types(dtype, largest, expected):
    X = np.zeros((4, 3), dtype)
    X[0, 0] = largest
    data = make(X_train=X)
    assert data.X_train.dtype == data.X_test.dtype == np.dtype(expected)
    assert data.X_train.max() == largest


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"X_train": with_value(np.nan)}, "X_train holds nan at sample 1, feature 2"),
        ({"X_train": with_value(np.inf)}, "X_train holds inf"),
        ({"X_train": with_value(-0.5)}, "X_train holds -0.5"),
        ({"X_train": with_value(-3, int)}, "X_train holds -3"),
        ({"X_train": with_value(1e39)}, r"X_train holds 1e\+39, too large"),
        ({"X_train": GOOD["X_train"].astype(object)}, "X_train holds object"),
        ({"X_train": GOOD["X_train"].astype(str)}, "X_train holds <U"),
        ({"X_train": GOOD["X_train"].astype(complex)}, "X_train holds complex"),
        ({"X_train": np.ones(4)}, r"X_train has shape \(4,\)"),
        ({"X_train": np.ones((4, 2, 2, 2))}, "X_train has shape"),
        ({"X_train": np.ones((0, 3)), "y_train": np.array([], int)}, "X_train is empty"),
        ({"X_train": np.ones((4, 0))}, "X_train is empty"),
        ({"X_test": np.ones((2, 4))}, "must be alike"),
        ({"X_train": np.ones((4, 3, 1))}, "must be alike"),
        ({"y_train": np.array([1, 2, 3])}, "y_train has 3 labels for 4 samples"),
        ({"y_train": np.array([[5, 2, 5, 2]])}, r"y_train has shape \(1, 4\)"),
        ({"y_train": np.array([5.5, 2, 5, 2])}, "y_train holds float64 values such as 5.5"),
        ({"y_train": np.array(list("abab"))}, "y_train holds <U1 values such as a"),
        ({"y_train": np.array([5, 2, 5, 2], object)}, "y_train holds object"),
        ({"y_train": np.array([5, 2, 5, 2**63], np.uint64)}, "too large for int64"),
        ({"y_test": np.array([2, 7])}, r"y_test has classes \[7\] that y_train lacks"),
    ],
)
def test_bad_arrays(changes, says):
    with pytest.raises(ValueError, match=says):
        make(**changes)


def test_limited_keeps_the_first_of_each_class_in_order():
    X = np.arange(8, dtype=np.uint8)[:, None]
    data = make(X_train=X, y_train=np.array([1, 1, 0, 1, 0, 0, 2, 1]), X_test=X, y_test=[1] * 8)
    few = data.limited(train_per_class=2, test_per_class=3)
    assert few.X_train.ravel().tolist() == [0, 1, 2, 4, 6]
    assert few.y_train.tolist() == [1, 1, 0, 0, 2]
    assert few.X_test.ravel().tolist() == [0, 1, 2]
    assert len(data.limited(train_per_class=2).y_test) == 8
    assert len(data.limited(train_per_class=100).y_train) == 8
    assert len(data.y_train) == 8
    with pytest.raises(ValueError, match="test_per_class is 0"):
        data.limited(test_per_class=0)


def test_digits_are_scikit_learns_in_a_fixed_split():
    from sklearn import datasets

    data = load("digits")
    assert data.X_train.shape == (1297, 64)
    assert data.X_test.shape == (500, 64)
    assert data.X_train.dtype == np.uint8
    assert (data.image_shape, data.classes) == ((8, 8), tuple(range(10)))
    original = datasets.load_digits()
    rows = sorted(map(tuple, np.column_stack([original.data, original.target]).tolist()))
    ours = np.vstack(
        [
            np.column_stack([data.X_train, data.y_train]),
            np.column_stack([data.X_test, data.y_test]),
        ]
    )
    assert sorted(map(tuple, ours.tolist())) == rows
    # The shares of the classes, and the split itself: results are compared across machines.
    assert np.bincount(data.y_test).tolist() == [50, 51, 49, 51, 50, 51, 50, 50, 48, 50]
    assert hashlib.sha256(data.X_test.tobytes()).hexdigest()[:16] == "1b07ace7641a5105"


@pytest.mark.parametrize("n_test", [3, 7, 20, 39])
def test_stratified_split(n_test):
    y = np.repeat([4, 7, 9], [2, 30, 10])
    np.random.default_rng(1).shuffle(y)
    train, test = stratified_split(y, n_test=n_test, seed=5)
    assert len(test) == n_test
    assert sorted([*train, *test]) == list(range(42))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    assert set(y[train]) == set(y[test]) == {4, 7, 9}
    shares = np.array([(y[test] == c).sum() for c in (4, 7, 9)])
    if n_test == 20:
        assert shares.tolist() == [1, 14, 5]
    again = stratified_split(y, n_test=n_test, seed=5)
    other = stratified_split(y, n_test=n_test, seed=6)
    np.testing.assert_array_equal(again[1], test)
    assert n_test == 39 or not np.array_equal(other[1], test)


def test_stratified_split_says_what_cannot_be_split():
    with pytest.raises(ValueError, match=r"classes \[1\] have a single sample"):
        stratified_split(np.array([0, 0, 1]), n_test=2)
    with pytest.raises(ValueError, match="n_test is 1"):
        stratified_split(np.array([0, 0, 1, 1]), n_test=1)
