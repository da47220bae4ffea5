"""The study of few labels on the built-in digits: what it measures must be right, not high."""

import json

import numpy as np
import pytest
from lethenet_reproduction.figures.labels import draw_labels
from lethenet_reproduction.studies import labels, labels_baselines

from lethenet.data import load


@pytest.fixture(scope="module")
def digits():
    data = load("digits")
    return data.X_train, data.y_train, data.X_test, data.y_test


@pytest.fixture(autouse=True)
def two_draws(monkeypatch):
    monkeypatch.setattr(labels, "DRAWS", 2)


@pytest.fixture(scope="module")
def case():
    class Sharper(labels.Case):
        @property
        def parameters(self):
            return labels.replace(super().parameters, threshold=15.5)

    return Sharper("digits", "pixels", 60, 1)


@pytest.fixture(scope="module")
def learned(case, digits):
    return labels.Learned(case, {("digits", "pixels"): digits})


@pytest.fixture
def found(learned):
    return labels.compare(learned)


def test_labels_are_drawn_alike_every_time_and_wrong_ones_are_wrong(digits):
    y = digits[1]
    first, again = list(labels.draws(y, 3)), list(labels.draws(y, 3))
    for (one, its), (other, others) in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(its, others)
        np.testing.assert_array_equal(its, y[one])
    assert not np.array_equal(first[0][0], first[1][0])
    for chosen, given in labels.draws(y, 50, wrong=0.2):
        assert 0.12 < np.mean(given != y[chosen]) < 0.28


def test_more_labels_tell_more(found):
    assert np.mean(found["random, 100"]) > np.mean(found["random, 1"])
    assert np.mean(found["random, 3"]) > np.mean(found["borrowed, 3"])
    assert found["all"] == pytest.approx(found["all, no links"], abs=0.03)
    for n in labels.PER_CLASS:
        assert len(found[f"frozen links, {n}"]) == labels.DRAWS


def test_constants_are_chosen_on_training_samples_alone():
    assert all(case.held_out for case in labels.CHOICES)
    assert not any(case.held_out for case in labels.CASES)


def test_tables_and_figure(found, learned, case, digits, tmp_path, monkeypatch):
    config = {**case.config, "dataset": "mnist", "layer": "edges", "neurons": 400}
    record = {"config": config, "results": found}
    text = labels.tables([record])
    assert "| mnist | edges | 400 | 1 |" in text
    assert "**Asked" in text
    choice = {"config": config, "results": labels.choose(learned)}
    assert "| 16 | power 1.5 | α 0.97 |" in labels.choice_table([choice])
    beside = labels_baselines.compare(digits, labels.draws, per_class=(1, 3), n_clusters=20)
    there = {"dataset": "mnist", "layer": "edges", "per_class": [1, 3]}
    baselines = {"config": there, "results": beside}
    assert "supervised network" in labels_baselines.table([baselines])
    for name, line in (("results", record), ("baselines", baselines)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"key": "k", "cost": {}, "behaviour": None, **line}) + "\n")
    assert len(draw_labels(tmp_path).axes) == 2
