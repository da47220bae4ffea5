"""The samples of an experiment: loaded once per process, cut as the experiment says."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import Dataset, load
from ..data.registry import BUILT_IN, REMOTE
from ..lifelong.config import Config
from ..lifelong.first_layer import with_layer
from ..lifelong.machine import fingerprint

if TYPE_CHECKING:
    from .experiment import Experiment


@lru_cache(maxsize=2)
def dataset(name: str) -> Dataset:
    """A whole data set, as :func:`lethenet.data.load` gives it."""
    return load(name)


@lru_cache(maxsize=2)
def data_identity(name: str) -> str:
    """What a data set counts as in a key: its name if that pins its content, else its content."""
    if name in (*BUILT_IN, *REMOTE):
        return name
    return fingerprint(dataset(name))


def forget() -> None:
    """Read data again from now on: a file of one's own may have changed between two sweeps."""
    from .fingerprint import key_of

    for cached in (dataset, data_identity, _samples, _layered, _sizes, key_of):
        cached.cache_clear()


def samples_of(experiment: Experiment) -> Dataset:
    """The training and test samples of an experiment."""
    c = experiment.config
    classes, seed = c.classes if c.layer != "none" else None, c.seed if c.layer == "patches" else 0
    layer = Config(dataset=c.dataset, layer=c.layer, classes=classes, seed=seed)
    return _layered(layer, *_cut_of(experiment))


def sizes_of(experiment: Experiment) -> tuple[dict[int, int], dict[int, int]]:
    """How many training and test samples of each class an experiment has."""
    train, test = _sizes(*_cut_of(experiment))
    classes = experiment.config.classes or tuple(train)
    return {c: train[c] for c in classes}, {c: test.get(c, 0) for c in classes}


def _cut_of(experiment: Experiment) -> tuple[str, int, int | None, int | None]:
    """Which part of a data set an experiment takes: the same for many experiments of a grid."""
    c = experiment.config
    return c.dataset, experiment.validation, c.train_per_class, c.test_per_class


@lru_cache(maxsize=2)
def _samples(name: str, validation: int, n_train: int | None, n_test: int | None) -> Dataset:
    data = dataset(name)
    if validation:
        data = hold_out(data, validation)
    if n_train is None and n_test is None:
        return data  # limited() would copy it
    return data.limited(n_train, n_test)


@lru_cache(maxsize=2)
def _layered(layer: Config, *cut: Any) -> Dataset:
    return with_layer(layer, _samples(*cut))


@lru_cache(maxsize=1000)
def _sizes(*cut: Any) -> tuple[dict[int, int], dict[int, int]]:
    data = _samples(*cut)
    return _count(data.y_train), _count(data.y_test)


def _count(y: np.ndarray) -> dict[int, int]:
    classes, counts = np.unique(y, return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def hold_out(data: Dataset, per_class: int) -> Dataset:
    """Take the last training samples of each class for testing, and drop the test samples.

    >>> hold_out(load("digits"), 20)
    Dataset('digits', train=1097, test=200, features=64, classes=10)
    """
    counts = _count(data.y_train)
    smallest = min(counts, key=counts.__getitem__)
    if counts[smallest] <= per_class:
        raise ValueError(
            f"validation={per_class}: class {smallest} of {data.name} has {counts[smallest]} training "
            f"samples, so at most {counts[smallest] - 1} can be held out."
        )
    held = np.zeros(len(data.y_train), bool)
    for label in data.classes:
        held[np.flatnonzero(data.y_train == label)[-per_class:]] = True
    return replace(
        data,
        X_train=data.X_train[~held],
        y_train=data.y_train[~held],
        X_test=data.X_train[held],
        y_test=data.y_train[held],
    )
