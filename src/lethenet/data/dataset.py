"""`Dataset`: samples and labels for training and testing, ready for the network."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .validation import Features, Labels, as_features, as_labels, named_labels


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples and labels of one data set, in a training and a test part.

    Use `lethenet.data.load` for files and known names, and `Dataset.from_arrays` for arrays at
    hand, which checks and converts them; the constructor itself takes its arrays as they are.

    Attributes
    ----------
    name
        What the data set is called.
    X_train, X_test
        Samples, (n_samples, n_features), uint8 or float32, C-contiguous, finite, not negative
        unless they are ``signed``.
    y_train, y_test
        Labels, int64, one per sample.
    image_shape
        (height, width), with a third number for colours, if a sample is an image, else None.
    class_names
        What the classes 0, 1, … are called if labels came as strings, else None.

    Examples
    --------
    >>> from lethenet.data import load
    >>> digits = load("digits")
    >>> digits
    Dataset('digits', train=1297, test=500, features=64, classes=10)
    >>> digits.limited(train_per_class=20, test_per_class=5)
    Dataset('digits', train=200, test=50, features=64, classes=10)
    """

    name: str
    X_train: Features
    y_train: Labels
    X_test: Features
    y_test: Labels
    image_shape: tuple[int, ...] | None = None
    class_names: tuple[str, ...] | None = None

    @classmethod
    def from_arrays(
        cls,
        name: str,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        *,
        source: str = "",
        signed: bool = False,
    ) -> Self:
        """Check and convert arrays, and make a data set of them.

        Samples are (n_samples, n_features), (n_samples, height, width) or (n_samples, height, width, 3),
        without negative features unless they are ``signed``. Labels are whole numbers or strings, one per
        sample; every test label must occur in training. ``source`` is what error messages name, for
        instance a file; the data set's name if empty.

        >>> Dataset.from_arrays("two points", [[0, 9], [9, 0]], [0, 1], [[1, 8]], [0])
        Dataset('two points', train=2, test=1, features=2, classes=2)
        """
        source = source or name
        train, image_shape = as_features(X_train, source=f"{source}: X_train", signed=signed)
        test, test_image_shape = as_features(X_test, source=f"{source}: X_test", signed=signed)
        (y_train, y_test), names = named_labels(y_train, y_test)
        if train.shape[1] != test.shape[1] or image_shape != test_image_shape:
            raise ValueError(
                f"{source}: samples of X_train have shape {np.shape(X_train)[1:]}, those of X_test "
                f"{np.shape(X_test)[1:]}; they must be alike"
            )
        if train.dtype != test.dtype:  # one dtype for both, so that nothing compiles twice
            train, test = train.astype(np.float32), test.astype(np.float32)
        train_labels = as_labels(y_train, source=f"{source}: y_train", n_samples=len(train))
        test_labels = as_labels(y_test, source=f"{source}: y_test", n_samples=len(test))
        unseen = np.setdiff1d(test_labels, train_labels)
        if unseen.size:
            lacking = [names[label] for label in unseen] if names else unseen.tolist()
            raise ValueError(
                f"{source}: y_test has classes {lacking} that y_train lacks; "
                "drop those samples or add some of them to the training part"
            )
        return cls(name, train, train_labels, test, test_labels, image_shape, names)

    @property
    def signed(self) -> bool:
        """Whether some training feature is negative: a layer has to stand before the network."""
        return self.X_train.dtype.kind == "f" and bool(self.X_train.min() < 0)

    def name_of(self, label: int) -> int | str:
        """What a class is called.

        >>> Dataset.from_arrays("two", [[1], [2]], ["cat", "dog"], [[1]], ["dog"]).name_of(1)
        'dog'
        """
        return label if self.class_names is None else self.class_names[label]

    @property
    def n_features(self) -> int:
        """How many features a sample has."""
        return int(self.X_train.shape[1])

    @property
    def classes(self) -> tuple[int, ...]:
        """The labels that occur in training, sorted."""
        return tuple(np.unique(self.y_train).tolist())

    def limited(
        self, train_per_class: int | None = None, test_per_class: int | None = None
    ) -> Self:
        """Keep the first so many samples of each class, in their order, or all for None: for quick runs."""
        train = _first_of_each_class(self.y_train, train_per_class, "train_per_class")
        test = _first_of_each_class(self.y_test, test_per_class, "test_per_class")
        return self.rows(train, test)

    def rows(self, train: Any, test: Any) -> Self:
        """Only these training and test samples: indices, or a mask."""
        samples = {"X_train": self.X_train[train], "X_test": self.X_test[test]}
        return replace(self, **samples, y_train=self.y_train[train], y_test=self.y_test[test])

    def __repr__(self) -> str:
        """Say the sizes; the arrays themselves would fill the screen."""
        return (
            f"{type(self).__name__}({self.name!r}, train={len(self.y_train)}, "
            f"test={len(self.y_test)}, features={self.n_features}, classes={len(self.classes)})"
        )


def _first_of_each_class(y: Labels, limit: int | None, parameter: str) -> Labels:
    if limit is None:
        return np.arange(len(y), dtype=np.int64)
    if limit < 1:
        raise ValueError(f"{parameter} is {limit}; keep at least 1 sample, or None to keep all")
    firsts = [np.flatnonzero(y == label)[:limit] for label in np.unique(y)]
    return np.sort(np.concatenate(firsts)).astype(np.int64)
