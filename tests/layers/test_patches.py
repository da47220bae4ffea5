"""Patches: what is learned, when it stops, and the same features by plain numpy."""

import numpy as np
import pytest

from lethenet.data import load
from lethenet.layers import Patches
from lethenet.layers.base import blur_taps
from lethenet.layers.patches import CENTRE, SURROUND

X = load("digits").X_train


def plain_answers(layer, image):
    """Features of one image in plain numpy: cosines at each place, the strongest less the next."""
    from scipy.ndimage import correlate1d

    def blurred(sigma):
        taps = blur_taps(sigma).astype(float)
        return correlate1d(
            correlate1d(image.astype(float), taps, 0, mode="nearest"), taps, 1, mode="nearest"
        )

    difference, side = blurred(CENTRE) - blurred(SURROUND), layer.patch_side_
    cells = np.pad(
        np.stack([np.maximum(difference, 0), np.maximum(-difference, 0)]),
        ((0, 0), *[(side // 2,) * 2] * 2),
    )
    height, width = image.shape
    patches = np.array(
        [
            [cells[:, i : i + side, j : j + side].ravel() for j in range(width)]
            for i in range(height)
        ]
    )
    lengths = np.linalg.norm(patches, axis=2)
    maps = np.zeros((height, width, layer.n_neurons))
    for i, j in np.argwhere(lengths >= layer.faintest * lengths.max()):
        cosines = layer.network_.state.weights @ patches[i, j] / lengths[i, j]
        best = np.argsort(-cosines)[: layer.n_strongest + 1]
        maps[i, j, best[:-1]] = cosines[best[:-1]] - cosines[best[-1]]
    return np.sqrt(np.einsum("ai,ijd,bj->abd", layer._rows, maps, layer._columns)).ravel()


def test_the_plain_version_gives_the_same():
    layer = Patches((8, 8), n_neurons=8, infancy=200).fit(X)
    for image in X[300:310]:
        found = layer.transform(image[None])[0]
        np.testing.assert_allclose(found, plain_answers(layer, image.reshape(8, 8)), atol=2e-3)


def test_infancy_ends():
    layer = Patches((8, 8), n_neurons=8, infancy=100)
    layer.partial_fit(X[:60])
    assert layer.infancy_left_ == 40
    layer.partial_fit(X[60:200])
    grown = layer.network_.state.weights.copy()
    assert layer.n_images_ == 100
    assert layer.infancy_left_ == 0
    layer.partial_fit(X[200:300])
    assert np.array_equal(layer.network_.state.weights, grown)


def test_for_life_it_goes_on():
    layer = Patches((8, 8), n_neurons=8, infancy=None).fit(X[:100])
    before = layer.network_.state.weights.copy()
    layer.partial_fit(X[100:200])
    assert not np.array_equal(layer.network_.state.weights, before)
    assert layer.infancy_left_ == 0


def test_batches_and_images_beyond_the_infancy_make_no_difference():
    whole = Patches((8, 8), n_neurons=8, infancy=300).fit(X)
    pieces = Patches((8, 8), n_neurons=8, infancy=300).partial_fit(X[:200])
    pieces.partial_fit(X[200:300])
    assert np.array_equal(whole.network_.state.weights, pieces.network_.state.weights)
    other = Patches((8, 8), n_neurons=8, infancy=300, random_state=1).fit(X)
    assert not np.array_equal(whole.network_.state.weights, other.network_.state.weights)


def test_it_has_a_dopaminergic_neuron_of_its_own():
    layer = Patches((8, 8), n_neurons=8, infancy=200).fit(X)
    state = layer.network_.state
    assert state.imprint_counts.sum() >= 8
    assert layer.threshold_ == layer.network_.parameters.threshold


def test_blank_images_teach_nothing():
    layer = Patches((8, 8), n_neurons=4, infancy=None).fit(np.zeros((5, 64)))
    assert layer.threshold_ is None
    assert not layer.transform(np.zeros((2, 64))).any()
    assert layer.partial_fit(X[:50]).threshold_ is not None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"patch_side": 4}, "patch_side=4: expected an odd number"),
        ({"infancy": 0}, "infancy=0"),
        ({"n_neurons": 1}, "n_neurons=1"),
        ({"n_strongest": 4}, "n_strongest=4"),
        ({"faintest": 2.0}, "faintest=2.0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"patches_per_image": 0}, "patches_per_image=0"),
    ],
)
def test_errors_name_the_parameter(parameters, message):
    with pytest.raises(ValueError, match=message):
        Patches(**{"image_shape": (8, 8), "n_neurons": 4, **parameters}).fit(X[:20])
