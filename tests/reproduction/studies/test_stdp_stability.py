"""Where STDP leads: the paper's figure oja, with the model's own rules."""

import json

import numpy as np
import pytest
from lethenet_reproduction.figures.stability import stdp_stability as figure_of
from lethenet_reproduction.folders import RESULTS, folder_for
from lethenet_reproduction.studies import stdp_stability

from lethenet.cli import main
from lethenet.model import PAPER
from lethenet.model.constants import constants_of


def test_oja_rests_and_the_static_offset_goes_to_the_axes(monkeypatch):
    monkeypatch.setattr(stdp_stability, "STARTS", (0, 20, 40, 45, 50, 90))
    for record in stdp_stability.plane():
        start = record["start"]
        assert record["oja"]["settled"] == pytest.approx(start, abs=0.01)
        assert np.linalg.norm(record["oja"]["change"]) < 1e-6
        if start != 45:  # on the diagonal the offset has the target's own direction
            assert record["static"]["settled"] == pytest.approx(0 if start < 45 else 90, abs=0.01)


def test_the_static_offset_leads_away_in_the_example():
    example = stdp_stability.example_vectors()
    weights, target = np.array(example["weights"]), np.array(example["target"])

    def angle(vector):
        return np.degrees(np.arccos(vector @ target / np.linalg.norm(vector)))

    assert angle(weights + 0.5 * np.array(example["change"]["oja"])) < angle(weights)
    assert angle(weights + 0.5 * np.array(example["change"]["static"])) > angle(weights)


def test_images_settle_where_the_offset_leaves_something():
    """With a static offset: on max(target − offset, 0), scaled to length one."""
    rng = np.random.default_rng(0)
    target = rng.random(30) ** 2
    target /= np.linalg.norm(target)
    rest = np.maximum(target - constants_of(PAPER, 30).static_offset, 0)
    settled = stdp_stability.settle(target, "static", (0, 4000))
    np.testing.assert_allclose(settled[0], target, rtol=1e-6)
    np.testing.assert_allclose(settled[1], rest / np.linalg.norm(rest), atol=1e-3)
    assert ((settled[1] == 0) == (rest == 0)).all()


def test_the_command_writes_data_and_figure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stdp_stability, "SHOWN_UPDATES", (0, 5, 20))
    images = stdp_stability.images
    monkeypatch.setattr(stdp_stability, "images", lambda n: images(3))
    monkeypatch.setattr(stdp_stability, "STARTS", (0, 30, 60, 90))
    assert main(["study", "stdp-stability"]) == 2
    assert "results/theory is the folder of these results in a checkout" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
    assert main(["study", "stdp-stability", "--out", "here"]) == 0
    assert "Figure: here/stdp_stability.png" in capsys.readouterr().out
    assert (tmp_path / "here/stdp_stability.svg").stat().st_size > 10_000
    data = json.loads((tmp_path / "here/stdp_stability.json").read_text())
    assert data["images"]["oja"]["astray"]["high"][-1] < 0.1
    assert data["images"]["static"]["astray"]["low"][-1] > 1
    figure = figure_of(data)
    assert [ax.get_title(loc="left")[0] for ax in figure.axes] == list("AABBBC")


def test_a_checkout_has_a_default_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reproduction").mkdir()
    (tmp_path / "reproduction" / "pyproject.toml").touch()
    assert folder_for(None, RESULTS / "theory") == RESULTS / "theory"
    assert folder_for("x", RESULTS / "theory").name == "x"
