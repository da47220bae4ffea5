"""CIFAR-10's study on the built-in digits in place of the features: it is exercised, not measured."""

import numpy as np
import pytest
from lethenet_reproduction.studies import first_layer_cifar as study
from lethenet_reproduction.studies.remembering import flat_records

from lethenet.data import load


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(60, 20)


def test_classes_come_strictly_in_turn(digits):
    y = study.in_turn(digits).y_train
    assert (np.diff(y) >= 0).all()
    assert len(y) == len(digits.y_train)


def test_trials_see_no_test_sample(digits):
    part = study.held_out(digits, train_per_class=20, validation=10)
    known = {row.tobytes() for row in digits.X_train}
    assert {row.tobytes() for row in part.X_test} <= known
    learned = {row.tobytes() for row in part.X_train}
    assert len(part.y_train) == 200
    assert not learned & {row.tobytes() for row in part.X_test}


def test_everything_is_measured_once_and_tabled(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "cache"))  # without CIFAR-10's features
    monkeypatch.setattr(study, "TRIAL", {"train_per_class": 30, "validation": 10})
    path = tmp_path / "cifar.jsonl"
    study.measure(path, digits, sizes=(40, 60))
    records = flat_records(path)
    assert len(records) == 2 + 4 + 2 + 2 * len(study.CODES) + len(study.TRIED_TIMES)
    assert all(0.5 < r["test_accuracy"] <= 1 for r in records)
    written = path.read_bytes()
    study.measure(path, digits, sizes=(40, 60))
    assert path.read_bytes() == written
    table = study.cifar_table(tmp_path)
    assert table.count("\n| 40 | **") == table.count("\n| 60 | **") == 1
    assert "streaming LDA" in table
    assert all(code in table for code in study.CODES)


def test_without_features_or_results_the_table_is_empty(tmp_path, monkeypatch):
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path))
    assert "nearest class mean" not in study.cifar_table(tmp_path)
