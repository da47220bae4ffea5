"""Configurations: what is checked, and that every way to give one comes to the same."""

import shlex
from dataclasses import replace

import pytest

from lethenet.cli.options import parse_classes
from lethenet.data import load
from lethenet.lifelong import Config
from lethenet.model import PRESETS, Parameters, annealed_threshold


def test_the_default_is_the_annealed_rule_on_mnist():
    config = Config()
    assert (config.dataset, config.neurons, config.epochs) == ("mnist", 400, 1)
    assert config.parameters == PRESETS["annealed"]


def test_the_papers_rule_is_the_papers_at_any_size():
    assert Config(preset="paper", neurons=6400).parameters == PRESETS["paper"]
    assert PRESETS["paper"].threshold == 13.5


def test_the_threshold_of_the_annealed_rule_follows_the_size():
    small, large = Config(neurons=400), Config(neurons=6400)
    assert large.parameters.threshold == annealed_threshold(6400) > small.parameters.threshold
    assert replace(large.parameters, threshold=0.5) == replace(small.parameters, threshold=0.5)
    assert Config.of(neurons=6400, threshold=13.5).parameters.threshold == 13.5
    assert "--threshold" not in large.command()
    assert "--threshold" in Config.of(neurons=6400, threshold=13.5).command()


@pytest.mark.parametrize(
    "settings",
    [
        {"neurons": 0}, {"neurons": 2.5}, {"neurons": True}, {"neurons": "many"}, {"epochs": 0},
        {"order": "random"}, {"readout": "loud"}, {"preset": "nobody"}, {"seed": -1},
        {"seed": 2**64}, {"classes": ()}, {"classes": (1, 1)}, {"classes": (0.5,)},
        {"train_per_class": 0}, {"test_per_class": -3}, {"checkpoint_seconds": 0},
        {"checkpoint_samples": 0}, {"n_jobs": 0}, {"n_jobs": -2}, {"twin": "yes"},
        {"twin": True, "order": "interleaved"}, {"dataset": ""}, {"dataset": 3},
        {"threshold": -1}, {"push": "pull"}, {"no_such_setting": 1},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_settings_are_named(settings):
    with pytest.raises((ValueError, TypeError)) as caught:
        Config.of(**settings)
    assert next(iter(settings)) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_constants_start_from_the_preset():
    config = Config.of(preset="annealed", threshold=14.0)
    assert config.parameters.annealed
    assert config.parameters.threshold == 14.0


def test_parameters_as_an_object():
    assert Config(parameters=Parameters(threshold=14)).parameters.threshold == 14
    with pytest.raises(TypeError, match=r"Config\.of"):
        Config(parameters={"threshold": 14})


def test_toml(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(
        'dataset = "digits"\nclasses = [3, 1]\n[model]\nthreshold = 15\ntau-mem = 16.0\n'
        "[experiment]\nepochs = 2\n"
    )
    config = Config.from_toml(path, epochs=3)
    assert (config.classes, config.epochs) == ((3, 1), 3)
    assert (config.parameters.threshold, config.parameters.tau_mem) == (15.0, 16.0)


@pytest.mark.parametrize("text", ["neurons = ", "neurons = 0", 'neurons = "a"', "neuron = 4"])
def test_bad_toml_names_the_file(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"run\.toml"):
        Config.from_toml(path)


def test_json_and_back():
    config = Config.of(classes=(2, 0), preset="annealed", tau_mem=14.0, train_per_class=7)
    assert Config.from_json(config.to_json()) == config


def test_the_command_gives_the_same_configuration():
    config = Config.of(
        dataset="my data.npz", neurons=7, classes=(2, 0), preset="annealed", annealed=False,
        dopamine=False, carry_trace=True, twin=True, test_per_class=3, readout="histogram",
    )  # fmt: skip
    words = shlex.split(shlex.join(config.command("out")))
    seen = {}

    import typer

    from lethenet.cli.options import with_settings

    app = typer.Typer()

    def command(*, out: str = "", **settings: object) -> None:
        seen.update(settings, out=out)

    app.command()(with_settings(command))
    app(words[2:], standalone_mode=False)
    assert seen.pop("out") == "out"
    seen["classes"] = parse_classes(seen["classes"])
    assert Config.of(**seen) == config


def test_classes_come_from_the_data():
    digits = load("digits")
    assert Config(dataset="digits").resolved(digits).classes == tuple(range(10))
    with pytest.raises(ValueError, match="digits has no class 10"):
        Config(dataset="digits", classes=(1, 10)).resolved(digits)


def test_a_file_of_ones_own_is_found_from_everywhere(tmp_path, monkeypatch):
    import numpy as np

    np.savez(tmp_path / "mine.npz", X=np.eye(10), y=np.repeat([0, 1], 5))
    monkeypatch.chdir(tmp_path)
    config = Config.of(dataset="mine.npz", threshold=13.0)
    assert config.resolved(load("mine.npz")).dataset == str(tmp_path / "mine.npz")
