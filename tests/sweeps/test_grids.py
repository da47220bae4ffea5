"""Grids from Python and from TOML: what they hold, and what is wrong with them."""

import pytest

from lethenet.sweeps import Experiment, grid, read_grid


def test_every_combination_once():
    experiments = grid(
        neurons=[100, 400], threshold=[13, 13.0, 13.5], order=("sequential",), seeds=2
    )
    assert experiments == [
        Experiment.of(neurons=n, threshold=t, seed=s)
        for n in (100, 400)
        for t in (13.0, 13.5)
        for s in (0, 1)
    ]


def test_presets_and_class_orders_are_axes():
    experiments = grid(preset=["paper", "annealed"], classes=[(0, 1), (1, 0)], learning_rate=0.005)
    assert [experiment.config.classes for experiment in experiments] == [(0, 1), (1, 0)] * 2
    assert [experiment.config.parameters.annealed for experiment in experiments] == [
        False,
        False,
        True,
        True,
    ]
    assert {experiment.config.parameters.learning_rate for experiment in experiments} == {0.005}


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"nevrons": [1]}, "'nevrons' is not a setting. Did you mean neurons?"),
        ({"twin": [True, False]}, "twin is not a setting of a sweep"),
        ({"neurons": [100, 0]}, "neurons=0"),
        ({"threshold": []}, "threshold has no values"),
        ({"seeds": 0}, "seeds=0: expected how many"),
        ({"seeds": [1, 2]}, "expected how many"),
        ({"seeds": 2, "seed": [1]}, "both seed and seeds"),
        ({"classes": [[0, 0]]}, "each class once"),
    ],
)
def test_bad_grids(axes, said):
    with pytest.raises(ValueError, match=said.replace("[", r"\[").replace("?", r"\?")):
        grid(**axes)


def test_toml_blocks_come_on_top_of_what_all_share(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        """
        [fixed]
        dataset = "digits"
        tau-mem = 16
        [grid]
        seeds = 2
        [[block]]
        grid = {neurons = [50, 100]}
        [[block]]
        fixed = {neurons = 100, seed = 1}
        [[block]]
        fixed = {neurons = 200, tau-mem = 14, classes = [1, 0]}
        """
    )
    experiments = read_grid(path)
    found = [(c.config.neurons, c.config.seed, c.config.parameters.tau_mem) for c in experiments]
    assert found == [
        (50, 0, 16),
        (50, 1, 16),
        (100, 0, 16),
        (100, 1, 16),
        (200, 0, 14),
        (200, 1, 14),
    ]
    assert experiments[-1].config.classes == (1, 0)
    assert {c.config.seed for c in read_grid(path, seed=[7], neurons=[5])} == {7}
    assert {c.config.neurons for c in read_grid(path, neurons=[5])} == {5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("neurons = 100", "'neurons' is not known here"),
        ("[girds]\nneurons = [1]", "'girds' is not known here"),
        ("[grid]\nneurons = 100", "expected a list of values"),
        ("[fixed]\nneurons = [100]", "a list of values goes into"),
        ("[fixed]\nseed = 1\n[grid]\nseed = [1]", "stands in both"),
        ("[fixed]\nneurons = 0", "neurons=0"),
        ("[grid]\npush = ['pull']", "push='pull' is unknown"),
        ("block = 3", "expected tables"),
        ("[grid", "is not valid TOML"),
    ],
)
def test_bad_files(tmp_path, text, said):
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=said) as error:
        read_grid(path)
    assert str(path) in str(error.value)
