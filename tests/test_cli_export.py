"""``lethenet export``: from a saved model or a run to a folder that builds."""

import shutil
import subprocess

import numpy as np
import pytest

import lethenet
from lethenet.cli import main

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    network = lethenet.ControlledForgettingClassifier(n_neurons=6, threshold=15.5, random_state=0)
    X = np.repeat(np.eye(64)[:10] + 0.01, 2, axis=0)
    lethenet.save(network.partial_fit(X, np.repeat(np.arange(10), 2), classes=range(10)), path)
    return path


def export(model, out, *options):
    return main(["export", str(model), "--to", "c", "--out", str(out), *options])


def test_a_model_becomes_a_folder_that_builds(model, tmp_path, capsys):
    assert export(model, tmp_path / "device", "--dataset", "digits", "--samples", "3") == 0
    said = capsys.readouterr().out
    assert "6 neurons, 64 inputs, 10 classes, weights of 8 bits, learning" in said
    assert "| weights | 384 |" in said
    done = subprocess.run(
        ["make", "-s", "-C", str(tmp_path / "device")], capture_output=True, text=True, check=True
    )
    assert "sample 2: novelty" in done.stdout
    assert "of 3, checksum" in done.stdout


def test_without_data_the_example_sees_what_the_neurons_know(model, tmp_path):
    assert export(model, tmp_path, "--frozen", "--bits", "4") == 0
    assert "What some of the neurons have learned" in (tmp_path / "samples.h").read_text()
    assert "lethe_learn" not in (tmp_path / "network.h").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bits", "4"], "--bits 4: a device learns in 8 bits"),
        (["--bits", "9", "--frozen"], "bits=9 is out of range"),
        (["--samples", "0"], "--samples 0: expected 1 or more"),
    ],
)
def test_mistakes_are_explained(model, options, message, tmp_path, capsys):
    assert export(model, tmp_path, *options) == 2
    assert message in capsys.readouterr().err


def test_other_formats_are_named(model, tmp_path, capsys):
    assert main(["export", str(model), "--to", "fortran", "--out", str(tmp_path)]) == 2
    assert "--to fortran is unknown: expected one of c" in capsys.readouterr().err


def test_what_integers_cannot_do_is_said(tmp_path, capsys):
    path = tmp_path / "leftover.safetensors"
    network = lethenet.ControlledForgettingNetwork(n_neurons=3, push="leftover", random_state=0)
    lethenet.save(network.fit(np.eye(4)), path)
    assert export(path, tmp_path) == 2
    assert "push='leftover' cannot be had in integers: expected 'usage'" in capsys.readouterr().err


def test_behind_a_first_layer_a_sample_is_its_features(tmp_path, capsys):
    from lethenet.layers import Edges

    path = tmp_path / "edges.safetensors"
    X = np.random.default_rng(0).random((6, 64))
    network = lethenet.ControlledForgettingClassifier(n_neurons=4, random_state=0)
    pipeline = lethenet.make_pipeline(Edges(image_shape=(8, 8)), network)
    lethenet.save(pipeline.fit(X, [0, 1, 2, 0, 1, 2]), path)
    assert export(path, tmp_path / "device", "--dataset", "digits", "--samples", "2") == 0
    assert "a sample is that layer's features" in capsys.readouterr().out
    n = pipeline[-1].n_features_in_
    assert f"#define LETHE_FEATURES {n}\n" in (tmp_path / "device/network.h").read_text()
