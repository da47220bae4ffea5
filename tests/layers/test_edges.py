"""Edges against a plain numpy version that anyone can read, and what a user relies on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import correlate1d

from lethenet.data import load
from lethenet.layers import Edges
from lethenet.layers.base import blur_taps, pooling


def plain_edges(images, n_directions=8, sharpness=6, blur=0.5, step=4, roots=1, inhibition=0.5):
    """The layer in plain numpy, double precision: images (n, height, width)."""
    taps = blur_taps(blur).astype(float)
    images = correlate1d(
        correlate1d(images.astype(float), taps, 1, mode="nearest"), taps, 2, mode="nearest"
    )
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)), mode="edge")
    down = (padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]) / 2
    across = (padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]) / 2
    length = np.hypot(across, down)
    rows, columns = (pooling(n, step, step / 2).astype(float) for n in images.shape[1:])
    maps = []
    for angle in 2 * np.pi * np.arange(n_directions) / n_directions:
        along = across * np.cos(angle) + down * np.sin(angle)
        cosine = np.divide(along, length, out=np.zeros_like(along), where=length > 0)
        answers = length * np.maximum(cosine, 0) ** sharpness
        maps.append(np.einsum("ai,nij,bj->nab", rows, answers, columns))
    pooled = np.stack(maps, axis=-1) ** 0.5**roots
    left = np.maximum(pooled - inhibition * pooled.mean(axis=-1, keepdims=True), 0)
    return left.reshape(len(images), -1)


@settings(max_examples=25, deadline=None)
@given(
    height=st.integers(3, 20),
    width=st.integers(3, 20),
    n_directions=st.integers(1, 12),
    sharpness=st.integers(1, 8),
    blur=st.sampled_from([0.0, 0.5, 0.7, 1.5]),
    step=st.integers(1, 6),
    roots=st.integers(0, 2),
    inhibition=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 1000),
)
def test_the_plain_version_gives_the_same(height, width, step, roots, seed, **more):
    images = np.random.default_rng(seed).random((2, height, width))
    layer = Edges((height, width), pool_step=step, n_roots=roots, **more)
    found = layer.fit_transform(images.reshape(2, -1))
    expected = plain_edges(images, step=step, roots=roots, **more)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=2e-3 if roots else 1e-4)


def test_features_of_a_sample_do_not_depend_on_its_batch():
    X = load("digits").X_train[:300]
    layer = Edges((8, 8)).fit(X)
    whole = layer.transform(X)
    assert np.array_equal(whole[100:101], layer.transform(X[100:101]))
    assert np.array_equal(whole, layer.transform(X.astype(np.float64)))


def test_a_brighter_image_has_the_same_direction():
    X = load("digits").X_train[:5].astype(np.float32)
    features = Edges((8, 8)).fit(X).transform(X)
    brighter = Edges((8, 8)).fit(X).transform(4 * X)
    np.testing.assert_allclose(brighter, 2 * features, rtol=1e-5)


def test_colour_counts_where_its_edge_is_strongest():
    images = np.zeros((1, 12, 12, 3))
    images[0, :, 6:, 1] = 1.0  # an edge that only green has
    grey = images[..., 1].reshape(1, -1)
    coloured = Edges((12, 12, 3)).fit_transform(images.reshape(1, -1))
    assert np.array_equal(coloured, Edges((12, 12)).fit_transform(grey))


def test_a_blank_image_has_no_features():
    assert not Edges((9, 9)).fit_transform(np.full((1, 81), 3.0)).any()


def test_an_edge_is_seen_by_its_direction_and_drawn_again():
    image = np.zeros((28, 28))
    image[14:, :] = 1.0  # dark above, bright below: a gradient downwards, a quarter turn
    layer = Edges((28, 28))
    features = layer.fit_transform(image.reshape(1, -1))
    assert features.reshape(layer.grid_shape_).sum(axis=(0, 1)).argmax() == 2
    again = layer.inverse_transform(features).reshape(28, 28)
    assert again[20:26, 5:23].mean() > 2 * again[2:8, 5:23].mean()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"image_shape": (5, 5)}, r"image_shape=\(5, 5\) is for 25 features"),
        ({"image_shape": (8,)}, "expected \\(height, width\\)"),
        ({"image_shape": (8, -8)}, "expected \\(height, width\\)"),
        ({"n_directions": 0}, "n_directions=0: expected a whole number from 1"),
        ({"sharpness": 2.5}, "sharpness=2.5: expected a whole number"),
        ({"blur": float("nan")}, "blur=nan: expected a number"),
        ({"pool_step": 0}, "pool_step=0"),
        ({"pool_width": -1.0}, "pool_width=-1.0"),
        ({"inhibition": -1}, "inhibition=-1"),
        ({"n_roots": True}, "n_roots=True"),
    ],
)
def test_errors_name_the_parameter(parameters, message):
    with pytest.raises(ValueError, match=message):
        Edges(**{"image_shape": (8, 8), **parameters}).fit(np.ones((2, 64)))
