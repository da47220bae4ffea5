"""Layers in model files: a wrong or hostile description gets one clear error."""

import json

import numpy as np
import pytest

import lethenet
from lethenet import ControlledForgettingNetwork, make_pipeline
from lethenet.data import load
from lethenet.interchange.files import read_arrays, write_arrays
from lethenet.layers import Edges, Patches

X = load("digits").X_train[:150]
SMALL = {"n_neurons": 10, "threshold": 14.0, "random_state": 0}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Arrays and metadata of saved pipelines, by their layer."""
    found = {}
    for layer in (Edges((8, 8)), Patches((8, 8), n_neurons=6, infancy=50)):
        path = tmp_path_factory.mktemp("models") / "m.safetensors"
        lethenet.save(make_pipeline(layer, ControlledForgettingNetwork(**SMALL)).fit(X), path)
        found[type(layer).__name__] = read_arrays(path)
    return found


def changed(metadata, *path_and_value):
    """A deep copy with one value changed; None as the last step of the path removes it."""
    copy = json.loads(json.dumps(metadata))
    *path, last, value = path_and_value
    target = copy
    for step in path:
        target = target[step]
    if value is KeyError:
        del target[last]
    else:
        target[last] = value
    return copy


L = ("layers", 0)
HOSTILE = [
    (
        "Edges",
        (*L, "kind", "os.system"),
        "layers[0].kind is 'os.system', expected one of OnOff, Edges, Patches",
    ),
    ("Edges", (*L, "kind", ["Edges"]), "layers[0].kind is ['Edges']"),
    ("Edges", ("layers", []), "expected a list of 1 to 16 layers"),
    ("Edges", ("layers", "Edges"), "expected a list of 1 to 16 layers"),
    ("Edges", (*L, "parameters", "blur", -1), "blur=-1"),
    ("Edges", (*L, "parameters", "blur", "wide"), "blur='wide'"),
    ("Edges", (*L, "parameters", "n_directions", 10**9), "n_directions=1000000000"),
    ("Edges", (*L, "parameters", "colour", True), "colour"),
    ("Edges", (*L, "parameters", KeyError), "layers[0].parameters is missing"),
    ("Edges", (*L, "parameters", "image_shape", [8, 9]), "image_shape"),
    ("Edges", (*L, "parameters", "image_shape", {"a": 1}), "image_shape"),
    ("Edges", (*L, "n_features", 10**12), "n_features is 1000000000000"),
    ("Edges", (*L, "n_features", 63), "image_shape"),
    ("Edges", (*L, "parameters", "pool_step", 2), "gives 128 features, what follows takes 512"),
    ("Patches", (*L, "learned", KeyError), "learned is None"),
    ("Patches", (*L, "learned", "n_images", -1), "n_images is -1"),
    ("Patches", (*L, "learned", "n_images", 1.5), "n_images is 1.5"),
    ("Patches", (*L, "learned", "threshold", 3.0), "is not its network's"),
    ("Patches", (*L, "learned", "parameters", "annealed", False), "other parameters"),
    ("Patches", (*L, "learned", "seed", "-1"), "seed is '-1', expected 0 to 2**64 - 1"),
    ("Patches", (*L, "parameters", "n_neurons", 7), "weights of shape"),
    ("Patches", (*L, "parameters", "n_strongest", 600), "n_strongest=600"),
]


@pytest.mark.parametrize(("kind", "change", "message"), HOSTILE)
def test_a_wrong_description_is_refused(files, tmp_path, kind, change, message):
    arrays, metadata = files[kind]
    path = tmp_path / "m"
    write_arrays(path, arrays, changed(metadata, *change))
    with pytest.raises(ValueError, match=r"m is damaged: .* Use a copy") as caught:
        lethenet.load(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [-1.0, 5.0])
def test_weights_of_a_layer_are_checked(files, tmp_path, value):
    arrays, metadata = files["Patches"]
    weights = arrays["layer0.state.weights"].copy()
    weights[0, 0] = value
    write_arrays(tmp_path / "m", {**arrays, "layer0.state.weights": weights}, metadata)
    with pytest.raises(ValueError, match=r"holds -1, expected 0 to|not of length one"):
        lethenet.load(tmp_path / "m")


def test_what_was_not_touched_loads(files, tmp_path):
    for arrays, metadata in files.values():
        write_arrays(tmp_path / "m", arrays, metadata)
        assert np.isfinite(lethenet.load(tmp_path / "m").transform(X[:3])).all()
