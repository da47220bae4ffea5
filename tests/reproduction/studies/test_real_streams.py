"""The study of real streams on the built-in digits: what it measures must be right, not high."""

import warnings

import numpy as np
import pytest
from lethenet_reproduction.cli.study import study as study_command
from lethenet_reproduction.real_streams import Stream, measuring, methods
from lethenet_reproduction.studies import real_streams as study
from lethenet_reproduction.studies.remembering import remembered

from lethenet.data import load


@pytest.fixture(scope="module")
def stream():
    digits = load("digits").limited(50, 20)
    keep, test = digits.y_train < 4, digits.y_test < 4
    X, X_test = digits.X_train[keep] - 4.0, digits.X_test[test] - 4.0
    groups = np.arange(keep.sum()) // 3
    return Stream("digits", X, digits.y_train[keep], X_test, digits.y_test[test], groups)


def test_a_split_keeps_apart_what_must_be_apart(stream):
    split = measuring.Split(stream, seed=3)
    assert [set(stream.y_train[rows]) for rows in split.learned] == [{c} for c in split.order]
    assert set(stream.y_train[split.held_out]) == set(split.known)
    learned = np.concatenate(split.learned)
    assert not set(stream.groups[learned]) & set(stream.groups[split.held_out])
    assert not set(stream.y_train[split.before]) & set(split.new)


@pytest.mark.parametrize("name", methods.METHODS)
def test_every_method_learns_in_turn_and_says_what_is_new(stream, name):
    if name == "half-space trees":
        pytest.importorskip("river", reason="half-space trees are River's")
    settings = methods.METHODS[name].choices(is_text=False)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn's, on few samples
        found = measuring.measure(stream, name, settings, seed=0)
    assert 1 <= found["delay"] <= 51
    assert found["bytes"] > 0
    assert 0 <= found["auroc"] <= 1
    if name in (study.OURS, study.TRIAL, study.SUPERVISED):
        assert found["auroc"] > 0.8
        assert found["accuracy"] > 0.8
    detector = name in ("half-space trees", "isolation forest", "one-class svm")
    assert ("forgetting" in found) == (not detector)


def test_settings_are_chosen_on_training_samples_alone(stream):
    blind = Stream("digits", stream.X_train, stream.y_train, stream.X_test[:0], stream.y_test[:0],
                   stream.groups)  # fmt: skip
    found = measuring.tuned(blind, "streaming lda", (100,))
    best = max(found["tried"], key=lambda one: one["auroc"])
    assert found["best"] == best["settings"]
    assert len(found["tried"]) == 8


def record(name, seed, ours, theirs):
    rest = {"delay": 2.0, "false_alarms": 0.05, "accuracy": 0.5, "forgetting": 0.1}
    rest |= {"bytes": 9, "learning_us": 5.0, "scoring_us": 1.0}
    aurocs = {method: ours if method == study.OURS else theirs for method in methods.METHODS}
    results = {method: {"auroc": auroc, **rest} for method, auroc in aurocs.items()}
    settings = {method: {"code": "even"} for method in methods.METHODS}
    return {"config": {"stream": name, "seed": seed, "settings": settings}, "results": results}


def test_the_page_says_where_we_lose(tmp_path, capsys):
    found = [record("watch", 0, 0.9, 0.8), record("letters", 0, 0.7, 0.8)]
    assert study.verdict(found).startswith("ahead on 1 of 2 streams; not on: UCI letters (")
    assert "streaming LDA" not in study.verdict(found)
    assert "streaming LDA (labels) +0.100" in study.verdict(found, labels=True)
    study.write_page(tmp_path, found)
    page = (tmp_path / "README.md").read_text("utf-8")
    assert "| controlled forgetting (ours) | **0.900** | 0.700 |" in page
    assert page in capsys.readouterr().out


def test_the_figure_is_drawn_from_results(tmp_path):
    one = record("watch", 0, 0.9, 0.8)
    remembered(tmp_path / "results.jsonl", one["config"], lambda: one["results"])
    study_command("real-streams", tmp_path, figure_only=True)
    assert (tmp_path / "real_streams.png").stat().st_size > 10_000
