"""The real thing: MNIST through whatever source works here, kept in the user's cache."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lethenet.data
from lethenet.data import DataUnavailableError, load

TRAIN_COUNTS = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]


def load_or_skip(name):
    try:
        return load(name)
    except DataUnavailableError as error:
        pytest.skip(f"no source of {name} works here: {error}")


def check_shape(data):
    assert data.X_train.shape == (60_000, 784)
    assert data.X_test.shape == (10_000, 784)
    assert data.X_train.dtype == np.uint8
    assert data.X_train.flags.c_contiguous
    assert data.image_shape == (28, 28)
    assert data.classes == tuple(range(10))
    assert data.X_train.min() == 0
    assert data.X_train.max() == 255


@pytest.mark.usefixtures("default_cache")
def test_mnist():
    data = load_or_skip("mnist")
    check_shape(data)
    assert np.bincount(data.y_train).tolist() == TRAIN_COUNTS
    assert data.y_train[:5].tolist() == [5, 0, 4, 1, 9]
    assert data.y_test[:5].tolist() == [7, 2, 1, 0, 4]
    # The first training image is the five everybody knows: about a seventh of it is ink.
    assert np.count_nonzero(data.X_train[0]) == 166


@pytest.mark.slow
@pytest.mark.usefixtures("default_cache")
def test_fashion_mnist():
    data = load_or_skip("fashion-mnist")
    check_shape(data)
    assert np.bincount(data.y_train).tolist() == [6000] * 10
    assert data.y_train[:5].tolist() == [9, 0, 0, 3, 0]


def test_import_stays_light():
    """What is needed only for a download, or only for digits, is not imported with the room."""
    code = (
        "import sys, lethenet.data; "
        "print(*{'sklearn', 'pooch', 'requests', 'rich', 'subprocess', 'scipy'} & set(sys.modules))"
    )
    source_folder = Path(lethenet.data.__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(source_folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == ""
