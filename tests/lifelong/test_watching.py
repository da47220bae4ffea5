"""A watcher in this process: bits that depend on the lines alone, exact counts, states that go on."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_digits

import lethenet
from lethenet import ControlledForgettingClassifier
from lethenet.interchange import read_arrays, write_arrays
from lethenet.lifelong import Watcher

X, Y = load_digits(return_X_y=True)
X = X.astype(int)
GIVEN = {"neurons": 40, "threshold": 15.0, "layer": "none"}
AUTO = {"neurons": 40, "settle": 120}


def as_json(x, **more) -> bytes:
    return json.dumps({"x": x.tolist(), **more}).encode()


LINES = [as_json(x, y=int(y), id=k) for k, (x, y) in enumerate(zip(X[:400], Y[:400], strict=True))]


def take(watcher, *lines):
    return [answer for line in lines for answer in watcher.take(line)]


@pytest.fixture(scope="module")
def auto():
    """The answers of a watcher that settled its threshold by itself, and the watcher."""
    watcher = Watcher(**AUTO)
    return take(watcher, *LINES), watcher


def same(one: Watcher, other: Watcher, folder) -> None:
    for name, watcher in (("one", one), ("other", other)):
        watcher.save(folder / name)
    assert (folder / "one").read_bytes() == (folder / "other").read_bytes()


def test_it_learns_as_partial_fit_does():
    watcher = Watcher(**GIVEN)
    answers = take(watcher, *LINES)
    model = ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=40, threshold=15.0, random_state=0
    )
    model.partial_fit(X[:400], Y[:400].astype(str))
    for name in ("weights_", "label_counts_", "class_counts_", "imprint_counts_"):
        np.testing.assert_array_equal(getattr(watcher.model, name), getattr(model, name))
    assert watcher.model.classes_.tolist() == model.classes_.tolist()
    assert [a["line"] for a in answers] == list(range(1, 401))
    assert [a["id"] for a in answers] == list(range(400))
    assert sum(a["novel"] for a in answers) == model.imprint_counts_.sum() == watcher.progress.novel
    assert np.mean([a["answer"] == a["label"] for a in answers[200:]]) > 0.7
    assert np.mean([a["surprise"] for a in answers if a["novel"]]) > 1.5 * np.mean(
        [a["surprise"] for a in answers if not a["novel"]]
    )
    overwritten = [a["overwritten"] for a in answers if a["overwritten"]]
    assert {"answer", "spikes"} == set(overwritten[-1])
    assert len(overwritten) == watcher.progress.novel - 40  # each neuron was new once


@pytest.mark.parametrize(
    "settings", [GIVEN, {**GIVEN, "label": "no"}, AUTO], ids=["given", "unlabelled", "auto"]
)
def test_bits_and_answers_do_not_depend_on_how_lines_arrive(settings, tmp_path, auto):
    at_once, whole = auto if settings is AUTO else (None, Watcher(**settings))
    at_once = at_once or take(whole, *LINES)
    assert (settings.get("label") == "no") == (at_once[-1]["answer"] is None)
    rng, watcher, answers, start = np.random.default_rng(0), Watcher(**settings), [], 0
    while start < len(LINES):
        stop = start + int(rng.integers(1, 40))
        answers += take(watcher, *LINES[start:stop])
        if rng.random() < 0.3:  # a new process
            watcher.save(tmp_path / "state")
            watcher = Watcher.open(tmp_path / "state", **settings)
        start = stop
    assert answers == at_once
    same(watcher, whole, tmp_path)


def test_the_state_is_a_model(auto, tmp_path):
    answers, watcher = auto
    watcher.save(tmp_path / "state.safetensors")
    model = lethenet.load(tmp_path / "state.safetensors")
    assert model.score(X[400:800], Y[400:800].astype(str)) > 0.7
    assert 14 < model.threshold_ < 16
    assert len(answers) == 400


def test_garbage_is_counted_to_the_line_and_changes_nothing(tmp_path, auto):
    bad = {
        b"{": "json", b"[1, NaN" + b", 1" * 62 + b"]": "range", b"[1, 2]": "width", b"\xff": "utf-8",
        as_json(-X[0]): "negative", as_json(0 * X[0]): "blank", as_json(X[0], y=[1]): "label",
        b'["a"]': "number",
    }  # fmt: skip
    rng, kinds, expected, lines, heard = np.random.default_rng(1), list(bad), {}, [], []
    lines.append(b"[1, 2]")  # also as the very first
    expected["width"] = 1
    for line in LINES:
        while rng.random() < 0.2:
            lines.append(kinds[rng.integers(len(kinds))])
            expected[bad[lines[-1]]] = expected.get(bad[lines[-1]], 0) + 1
        lines.append(line)
        if rng.random() < 0.05:
            lines.append(b"  ")  # empty: neither bad nor a sample
    watcher = Watcher(**AUTO, on_bad=lambda number, error: heard.append((number, error.reason)))
    answers = take(watcher, *lines)
    assert watcher.progress.bad == expected
    assert watcher.progress.lines == len(lines)
    assert watcher.progress.bytes == sum(map(len, lines)) + len(lines)
    assert [lines[a["line"] - 1] for a in answers] == LINES
    assert sorted(n for n, _ in heard) == [
        n for n, line in enumerate(lines, 1) if line in bad or n == 1
    ]


def test_signed_numbers_become_on_and_off_inputs_and_it_says_so():
    said = []
    watcher = Watcher(**AUTO, say=said.append)
    signed = X - X.mean(axis=0).round()
    answers = take(watcher, *(as_json(x) for x in signed[:150]))
    assert len(answers) == 150
    assert watcher.classifier.n_features_in_ == 128
    assert len(said) == 1
    assert "64 numbers a sample, signed" in said[0]
    few = Watcher(**AUTO)
    take(few, *(as_json(x) for x in (-X[0], *X[:150])))
    assert few.progress.bad == {"negative": 1}


def test_frozen_it_answers_and_nothing_changes(auto, tmp_path):
    _, watcher = auto
    watcher.save(tmp_path / "state")
    frozen = Watcher.open(tmp_path / "state", frozen=True)
    seen = take(frozen, *LINES[:200])
    assert np.mean([a["answer"] == a["label"] for a in seen]) > 0.8
    assert frozen.progress.answers == 600
    np.testing.assert_array_equal(frozen.model.weights_, watcher.model.weights_)
    noise = np.random.default_rng(0).integers(0, 16, (50, 64))
    strange = take(frozen, *(as_json(x) for x in noise))
    assert np.mean([a["surprise"] for a in strange]) > 2 * np.mean([a["surprise"] for a in seen])
    assert np.mean([a["novel"] for a in strange]) > 0.9 > 3 * np.mean([a["novel"] for a in seen])


def test_a_model_of_ones_own_goes_on():
    model = ControlledForgettingClassifier(n_neurons=40, threshold=15.0, random_state=0)
    model.fit(X[:200], Y[:200] + 5)  # "10" stands before "9" as text
    watcher = Watcher(model=model)
    answers = take(watcher, *LINES[:200])
    right = [a["answer"] == str(int(a["label"]) + 5) for a in answers if a["answer"]]
    assert np.mean(right) > 0.7
    with pytest.raises(ValueError, match="expected a classifier"):
        Watcher(model=lethenet.ControlledForgettingNetwork(n_neurons=4).fit(X[:10]))


def test_more_classes_than_can_be_meant(monkeypatch):
    monkeypatch.setattr("lethenet.lifelong.watching.MOST_CLASSES", 3)
    watcher = Watcher(**GIVEN)
    take(watcher, *(as_json(x, y=k % 5) for k, x in enumerate(X[:50])))
    assert watcher.progress.bad == {"label": 20}
    assert watcher.model.classes_.tolist() == ["0", "1", "2"]
    wide = Watcher(neurons=10**6, threshold=15.0, layer="none")
    assert wide.take(as_json(np.ones(1000))) == []
    assert wide.progress.bad == {"width": 1}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"neurons": 0}, "neurons=0"), ({"settle": 119}, "settle=119"), ({"seed": -1}, "seed=-1"),
        ({"threshold": "high"}, "threshold='high'"), ({"threshold": -1}, "threshold"),
        ({"layer": "edges"}, "layer='edges'"), ({"format": "xml"}, "format='xml'"),
        ({"preset": "papers"}, "preset='papers'"), ({"frozen": True}, "nothing was learned"),
    ],
)  # fmt: skip
def test_wrong_settings_are_named(settings, text):
    with pytest.raises(ValueError, match=text):
        Watcher(**settings)


def test_a_state_that_cannot_be_used(auto, tmp_path):
    _, watcher = auto
    watcher.save(tmp_path / "state")
    with pytest.raises(ValueError, match="begun with neurons=40, not 50"):
        Watcher.open(tmp_path / "state", neurons=50)
    lethenet.save(watcher.model, tmp_path / "model")
    with pytest.raises(ValueError, match="is no state"):
        Watcher.open(tmp_path / "model")
    content = (tmp_path / "state").read_bytes()
    arrays, notes = read_arrays(tmp_path / "state")
    (tmp_path / "half").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="truncated"):
        Watcher.open(tmp_path / "half")
    notes["watch"]["progress"]["lines"] = -99
    write_arrays(tmp_path / "wrong", arrays, notes)
    with pytest.raises(ValueError, match="not possible"):
        Watcher.open(tmp_path / "wrong")
