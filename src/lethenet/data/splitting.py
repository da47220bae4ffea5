"""One fixed, seeded, stratified split for data that come without a test part."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .dataset import Dataset
from .validation import Labels, as_features, as_labels, named_labels


def split_dataset(path: Path, X: Any, y: Any) -> Dataset:
    """The data set of a file that has no test part: a stratified fifth becomes that, at least one each."""
    features, image_shape = as_features(X, source=f"{path}: X", signed=True)
    (numbers,), names = named_labels(y)
    labels = as_labels(numbers, source=f"{path}: y", n_samples=len(features))
    n_classes = len(np.unique(labels))
    n_test = min(max(round(len(labels) / 5), n_classes), len(labels) - n_classes)
    train, test = stratified_split(labels, n_test=n_test, source=f"{path}: y")
    parts = features[train], labels[train], features[test], labels[test]
    return Dataset(path.stem, *parts, image_shape, names)


def stratified_split(
    y: Labels, *, n_test: int, seed: int = 0, source: str = "y"
) -> tuple[Labels, Labels]:
    """Choose test samples so that every class gives its share; the rest is for training.

    Shares are n_test · (class size) / (all), rounded by largest remainders so that they add up
    to `n_test`; a class that has none takes one from the class with the most. Within a class the
    test samples are drawn with `seed`. Both parts keep the order of the data:
    returned are the rising indices of the training and of the test samples.

    >>> train, test = stratified_split(np.array([0, 0, 0, 0, 1, 1]), n_test=2)
    >>> len(train), len(test)
    (4, 2)
    """
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        lonely = classes[counts < 2].tolist()
        raise ValueError(
            f"{source}: classes {lonely} have a single sample, which cannot be split; add samples, "
            "drop these classes, or give X_train, y_train, X_test, y_test yourself"
        )
    shares = _shares(counts.tolist(), n_test)
    rng = np.random.default_rng(seed)
    chosen = [
        rng.permutation(np.flatnonzero(y == label))[:share]
        for label, share in zip(classes, shares, strict=True)
    ]
    is_test = np.zeros(len(y), dtype=bool)
    is_test[np.concatenate(chosen)] = True
    return np.flatnonzero(~is_test).astype(np.int64), np.flatnonzero(is_test).astype(np.int64)


def _shares(counts: list[int], n_test: int) -> list[int]:
    if not len(counts) <= n_test <= sum(counts) - len(counts):
        raise ValueError(
            f"n_test is {n_test}; with {len(counts)} classes and {sum(counts)} samples it must be "
            f"from {len(counts)} to {sum(counts) - len(counts)}"
        )
    exact = [Fraction(n_test * count, sum(counts)) for count in counts]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda c: shares[c] - exact[c])
    for c in by_remainder[: n_test - sum(shares)]:
        shares[c] += 1
    # Every class needs at least one sample on either side; the ones with most to spare give way.
    for c, count in enumerate(counts):
        while shares[c] < 1:
            shares[max(range(len(counts)), key=shares.__getitem__)] -= 1
            shares[c] += 1
        while shares[c] > count - 1:
            shares[max(range(len(counts)), key=lambda k: counts[k] - shares[k])] += 1
            shares[c] -= 1
    return shares
