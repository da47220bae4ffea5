"""Runs with a layer before the network: the same bits after a kill, a threshold by itself, the report."""

import json
import signal
import subprocess

import numpy as np
import pytest

import lethenet
from lethenet.data import Dataset, load
from lethenet.lifelong import Config, Result, evaluate, resume, run
from lethenet.lifelong.first_layer import with_layer
from lethenet.lifelong.protocol import Experiment, load_data
from lethenet.report import write_report

SMALL = {"dataset": "digits", "neurons": 40, "classes": (3, 1, 4), "n_jobs": 1}


@pytest.fixture(scope="module", params=["edges", "patches"])
def finished(request, tmp_path_factory):
    """A finished run with each layer."""
    config = Config.of(**SMALL, layer=request.param, checkpoint_samples=40)
    return run(config, tmp_path_factory.mktemp("layered") / "run")


def test_a_threshold_by_itself(finished):
    assert not finished.config.fit_threshold
    assert finished.config.parameters.threshold != Config(neurons=40).parameters.threshold
    assert finished.accuracy > 0.9
    assert f"--threshold {finished.config.parameters.threshold}" in " ".join(
        finished.document["command"]
    )


def test_the_model_is_layer_and_network(finished):
    digits = load("digits")
    model = lethenet.load(finished.folder)
    assert type(model[0]).__name__.lower() == finished.config.layer
    assert evaluate(model, digits)["accuracy"] == finished.accuracy
    known = np.isin(digits.y_test, (3, 1, 4))
    assert np.mean(model.predict(digits.X_test[known]) == digits.y_test[known]) == finished.accuracy


def test_a_killed_run_goes_on_to_the_same_bits(finished, tmp_path, same_bits, lethenet_command):
    folder = tmp_path / "run"
    options = ["--dataset", "digits", "--layer", finished.config.layer, "--neurons", "40"]
    options += ["--classes", "3,1,4", "--n-jobs", "1", "--checkpoint-samples", "40"]
    process = subprocess.Popen(
        [*lethenet_command, "run", *options, "--out", str(folder), "--json-logs", "--no-report"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stdout:
        if json.loads(line)["event"] == "checkpoint":
            break
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert resume(folder).status == "finished"
    same_bits(folder, finished.folder)


def test_the_report_shows_what_the_layer_sees(finished):
    page = write_report(finished.folder).read_text("utf-8")
    assert "The first layer" in page
    assert (finished.folder / "figures" / "first_layer.svg").exists()
    result = Result.load(finished.folder)
    pictures = result.as_samples(result.arrays["weights"][-1])
    assert pictures.shape == (40, 64)
    assert pictures.min() >= 0


def test_the_infancy_is_not_shown_to_the_network():
    digits = load("digits")
    config = Config(dataset="digits", layer="patches", classes=(3, 1, 4))
    layered = with_layer(config, digits)
    first = np.flatnonzero(digits.y_train == 3)
    infancy = len(first) // 2
    assert layered.layer.n_images_ == infancy
    assert np.array_equal(np.delete(digits.y_train, first[:infancy]), layered.y_train)


def test_other_bits_with_another_seed_only_where_something_is_learned():
    configs = [
        Config(dataset="digits", layer="patches", seed=seed, classes=(3,)) for seed in (0, 1)
    ]
    one, other = (load_data(config).X_test for config in configs)
    assert not np.array_equal(one, other)


def test_samples_that_are_no_images_are_refused():
    flat = Dataset.from_arrays("flat", np.eye(4), [0, 1, 0, 1], np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="the samples of flat are no images"):
        with_layer(Config(layer="edges"), flat)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="layer='deep': expected one of none, edges, patches"):
        Config(layer="deep")
    assert Config(layer="edges").fit_threshold
    assert not Config.of(layer="edges", threshold=14.0).fit_threshold
    assert Config().fit_threshold
    assert not Config(preset="paper").fit_threshold


def test_the_threshold_is_fitted_without_a_layer_too_but_not_the_papers():
    for preset, fitted in (("annealed", True), ("paper", False)):
        config = Config(dataset="digits", neurons=10, classes=(0, 1), preset=preset)
        data = load_data(config)
        found = Experiment(config.resolved(data), data).config
        assert (found.parameters != config.parameters) is fitted
        again = Config.of(**_settings(found.command()[2:]))
        assert again.parameters == found.parameters, "the command says what was found"


def _settings(words):
    named = dict(zip(words[::2], words[1::2], strict=True))
    settings = {name[2:].replace("-", "_"): value for name, value in named.items()}
    numbers = {
        "neurons": int,
        "threshold": float,
        "classes": lambda text: tuple(map(int, text.split(","))),
    }
    return {name: numbers.get(name, str)(value) for name, value in settings.items()}


def test_damaged_patches_in_a_run_are_an_error(finished, tmp_path):
    if finished.config.layer != "patches":
        pytest.skip("only patches are learned")
    from lethenet.lifelong.first_layer import layer_of_run

    document, arrays = finished.document, dict(finished.arrays)
    arrays["patches"] = np.zeros((3, 7), np.float32)
    with pytest.raises(ValueError, match="are damaged"):
        layer_of_run(document, arrays)
    with pytest.raises(ValueError, match="is unknown to this version"):
        layer_of_run({**document, "config": {**document["config"], "layer": "deep"}}, arrays)
