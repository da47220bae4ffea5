"""Figures of the studies, from small results of the real thing."""

from dataclasses import asdict, replace
from importlib import import_module

import pytest
from lethenet_reproduction.figures import DRAWN_BY, draw, rules
from lethenet_reproduction.figures import readouts as readout_figures
from lethenet_reproduction.studies import changing_world, online_readout, readouts
from lethenet_reproduction.studies.remembering import remembered

from lethenet.data import load
from lethenet.model import preset_parameters
from lethenet.sweeps import grid, run_sweep

SMALL = {
    "dataset": "digits",
    "train_per_class": 15,
    "test_per_class": 5,
    "neurons": 30,
    "threshold": 15.0,
}


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(15, 5)


def texts(figure):
    from matplotlib.text import Text

    return " | ".join(text.get_text() for text in figure.findobj(Text))


def test_ablations(tmp_path):
    cells = grid(**SMALL, preset=["paper", "no-dopamine"], evaluate="each task", seeds=2)
    run_sweep(cells, tmp_path / "results.jsonl", jobs=1)
    figure = rules.draw_ablations(tmp_path)
    words = texts(figure)
    assert "paper (whole rule)" in words
    assert "no-dopamine" in words
    left, middle, right = figure.axes
    assert len(left.patches) == len(middle.patches) == 2
    assert len(right.patches) == 20  # ten classes each


def test_results_of_former_presets_are_not_drawn(tmp_path):
    path = tmp_path / "results.jsonl"
    for changes in ({}, {"push": "leftover"}):
        run_sweep(grid(**SMALL, **changes, preset="paper", evaluate="each task"), path, jobs=1)
    assert len(path.read_text().splitlines()) == 2
    left = rules.draw_ablations(tmp_path).axes[0]
    assert [len(line.get_xdata()) for line in left.lines] == [1]


def test_annealed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = {**SMALL, "threshold": [14.5, 15.0]}
    run_sweep(grid(**SMALL, preset=["annealed", "paper"]), tmp_path / "sizes.jsonl", jobs=1)
    run_sweep(grid(**small, preset="annealed"), tmp_path / "thresholds.jsonl", jobs=1)
    figure = rules.draw_annealed(tmp_path)
    left, right = figure.axes
    assert len(left.get_legend().get_texts()) == 4
    assert list(right.lines[0].get_xdata()) == [14.5, 15.0]


def test_changing_world(tmp_path, digits):
    parameters = replace(preset_parameters("annealed", 30), threshold=15.0)
    for world in changing_world.WORLDS:
        config = {"world": world, "rule": "frequency", "parameters": asdict(parameters)}
        remembered(
            tmp_path / "results.jsonl",
            config,
            lambda world=world: changing_world.live(world, digits, parameters, 30, 0),
        )
    figure = rules.draw_changing_world(tmp_path)
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(changing_world.WORLDS)
    assert len(figure.axes[0].lines[0].get_ydata()) == 20


def test_readouts_and_online_readout(tmp_path, digits):
    for module, make in (
        (readouts, readout_figures.draw_readouts),
        (online_readout, readout_figures.draw_online_readout),
    ):
        folder = tmp_path / module.__name__
        remembered(
            folder / "results.jsonl",
            {"neurons": 30, "preset": "paper"},
            lambda module=module: module.compare(digits, "paper", 30, 0),
        )
        figure = make(folder)
        assert "30 neurons" in texts(figure)
        figure.draw_without_rendering()  # which sets the labels of the ticks
        labels = [label.get_text() for axes in figure.axes for label in axes.get_xticklabels()]
        assert labels
        assert not any("$" in label for label in labels)  # formulas are not parsed


def test_a_folder_without_results_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="run `lethenet study changing-world` first"):
        draw("changing_world", tmp_path)


def test_every_study_has_its_figure():
    from lethenet_reproduction.cli.study import STUDIES

    assert {name.replace("-", "_") for name in STUDIES} == set(DRAWN_BY)
    for name, module in DRAWN_BY.items():
        assert hasattr(import_module(f"lethenet_reproduction.figures.{module}"), f"draw_{name}")
        assert hasattr(import_module(f"lethenet_reproduction.studies.{name}"), "run")
