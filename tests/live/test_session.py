"""What a session does, and that its log does it again."""

from __future__ import annotations

import base64
import dataclasses
import json

import numpy as np
import pytest

import lethenet
from lethenet.cli import main
from lethenet.data import load
from lethenet.live import Session, replay
from lethenet.live.presentation import familiarity
from lethenet.live.stream import Stream
from lethenet.model import Network

SETTINGS = {"neurons": 40, "threshold": 14.5}
SHAPE = np.zeros((8, 8), np.uint8)
SHAPE[0], SHAPE[7], SHAPE[:, 0] = 255, 255, 255
DRAWING = base64.b64encode(SHAPE.tobytes()).decode()


@pytest.fixture(scope="module")
def digits():
    return load("digits")


@pytest.fixture(scope="module")
def unchanged(digits):
    return Session(digits, [SETTINGS])


def written(session, path, **changes):
    end = {"at": session.n_streamed, "do": "end", "digest": session.digest(), **changes}
    path.write_bytes(b"".join(session.log.lines(end)))
    return path


def test_a_replayed_log_ends_with_the_same_bits(digits, tmp_path):
    session = Session(
        digits, [SETTINGS, {**SETTINGS, "preset": "paper", "threshold": 13.0}], seed=3
    )
    session.advance(50)
    session.do({"do": "choose", "name": "7"})
    session.advance(30)
    session.do({"do": "learn", "image": DRAWING})
    session.do({"do": "name", "name": "corner"})
    session.advance(1, watched=True)
    session.do({"do": "change", "settings": {"threshold": 15.0, "habituation": 0.001}})
    session.do({"do": "stream", "kind": "drifting", "turn": 100})
    session.advance(70)
    session.do({"do": "alone"})
    session.do({"do": "recognise", "image": DRAWING})
    session.do({"do": "name", "name": "corner again"})
    session.advance(33)
    again = replay(written(session, tmp_path / "session.jsonl"), digits)
    assert again.digest() == session.digest()
    assert again.classes == session.classes
    assert again.learners[0].network.parameters.habituation == 0.001
    with pytest.raises(ValueError, match="other bits"):
        replay(written(session, tmp_path / "wrong.jsonl", digest="0"), digits)
    with pytest.raises(ValueError, match="line 1: it is no session with mine"):
        replay(tmp_path / "session.jsonl", dataclasses.replace(digits, name="mine"))


def test_watching_changes_no_bit(digits):
    watched, not_watched = Session(digits, [SETTINGS]), Session(digits, [SETTINGS])
    for _ in range(20):
        watched.advance(1, watched=True)
    not_watched.advance(20)
    assert watched.digest() == not_watched.digest()
    assert watched.last["inside"]["potentials"]


def test_unknown_learned_named_known(digits):
    session = Session(digits, [SETTINGS])
    session.advance(100)
    session.do({"do": "recognise", "image": DRAWING})
    assert not session.last["known"]
    session.do({"do": "learn", "image": DRAWING})
    assert session.last["imprint"] >= 0
    assert session.last["before"] != session.last["after"]
    session.do({"do": "name", "name": "corner"})
    session.do({"do": "recognise", "image": DRAWING})
    assert session.last["known"]
    assert session.last["votes"][0][0] == "corner"


def test_how_familiar_a_drawing_is_does_not_depend_on_luck(digits):
    session = Session(digits, [SETTINGS])
    session.advance(140)  # zeros
    found = []
    for share in np.linspace(0, 1, 9):  # from a zero to a shape that is none
        mixed = (1 - share) * 15 * digits.X_train[0] + share * SHAPE.ravel()
        image = base64.b64encode(np.minimum(mixed, 255).astype(np.uint8).tobytes()).decode()
        told = []
        for seed in range(4):  # another presentation
            session.learners[0].network.state.seed = seed
            session.do({"do": "recognise", "image": image})
            told.append([session.last[key] for key in ("familiar", "chance", "known", "like")])
        assert told[1:] == told[:-1]
        found.append(told[0])
    familiar, chance, known, _ = zip(*found, strict=True)
    assert sorted(familiar, reverse=True) == list(familiar)
    assert (known[0], known[-1]) == (True, False)
    assert known == tuple(share >= 0.5 for share in chance)


@pytest.mark.parametrize("settings", [{}, {"layer": "edges"}])
def test_the_chance_to_be_known_is_that_of_presentations(digits, settings):
    session = Session(digits, [{**SETTINGS, **settings}])
    session.advance(140)
    session.advance(140)
    learner = session.learners[0]
    X, p, n = learner.features(digits.X_test[:60]), learner.network.parameters, 40
    answered = np.zeros(len(X))
    for seed in range(n):
        state = dataclasses.replace(learner.network.state, seed=seed)
        times = Network(p, state).recognise(X).times[:, : p.n_output_spikes]
        answered += (np.diff(times, prepend=0.0) <= p.recognition_time).all(axis=1)
    told = [familiarity(learner, x[None])["chance"] for x in X]
    assert np.abs(answered / n - told).mean() < 0.1
    assert ((answered / n >= 0.5) == (np.array(told) >= 0.5)).mean() > 0.9


def test_saved_and_loaded_it_goes_on(digits, tmp_path):
    session = Session(digits, [SETTINGS])
    session.advance(60)
    session.do({"do": "learn", "image": DRAWING})
    session.do({"do": "name", "name": "corner"})
    path = tmp_path / "model.safetensors"
    session.save(path)
    assert "corner" in lethenet.load(path).classes_.tolist()
    other = Session(digits, [{**SETTINGS, "neurons": 20}])
    other.do({"do": "load", "model": base64.b64encode(path.read_bytes()).decode()})
    assert other.digest() == session.digest()
    assert other.classes[-1] == "corner"
    again = replay(written(other, tmp_path / "session.jsonl"), digits)
    assert again.digest() == session.digest()


def test_models_that_do_not_fit_are_refused(digits, tmp_path):
    session, path = Session(digits, [SETTINGS]), tmp_path / "model.safetensors"
    model = lethenet.ControlledForgettingClassifier(n_neurons=4, random_state=0)
    lethenet.save(model.partial_fit(np.eye(6), [0, 1, 0, 1, 0, 1]), path)
    slow = lethenet.ControlledForgettingClassifier(n_neurons=4, n_output_spikes=900, random_state=0)
    lethenet.save(slow.partial_fit(np.eye(64)[:2], [0, 1]), tmp_path / "slow")
    lethenet.save(
        Network(lethenet.model.PAPER, lethenet.model.initial_state(4, 64, 0)), tmp_path / "bare"
    )
    (tmp_path / "none").write_bytes(b"no model")
    before = session.digest()
    for file, why in (
        (path, "samples of 6"),
        ("slow", "n_output"),
        ("bare", "holds a Network"),
        ("none", "the file"),
    ):
        text = base64.b64encode((tmp_path / file).read_bytes()).decode()
        with pytest.raises(ValueError, match=why):
            session.do({"do": "load", "model": text})
    assert session.digest() == before


@pytest.mark.parametrize(
    "command",
    [
        {"do": "__init__"},
        {"do": "save", "path": "x"},
        {"do": "choose", "name": ["7"]},
        {"do": "choose"},
        {"do": "learn", "image": 7},
        {"do": "learn", "image": "AAAA"},
        {"do": "learn", "image": "not base64"},
        {"do": "learn", "image": base64.b64encode(bytes(64)).decode()},
        {"do": "name", "name": "too early"},
        {"do": "name", "name": None},
        {"do": "new", "networks": []},
        {"do": "new", "networks": [7]},
        {"do": "new", "networks": [{"neurons": 10**9}]},
        {"do": "new", "networks": [{"dataset": "/etc/passwd"}]},
        {"do": "new", "networks": [{"threshold": float("nan")}]},
        {"do": "new", "networks": [{"preset": "traditional"}]},
        {"do": "stream", "kind": "in turn", "turn": 0},
        {"do": "stream", "kind": "none", "turn": 5},
        {"do": "change", "settings": {"threshold": -1}},
        {"do": "change", "settings": None},
        {"do": "alone", "more": 1},
    ],
)
def test_wrong_commands_are_refused_and_change_nothing(unchanged, command):
    before, log = unchanged.digest(), b"".join(unchanged.log.lines({}))
    with pytest.raises(ValueError, match=r"\w"):
        unchanged.do(command)
    assert unchanged.digest() == before
    assert b"".join(unchanged.log.lines({})) == log


def test_a_second_network_of_another_package(digits):
    pytest.importorskip("lethenet_reproduction")
    session = Session(digits, [SETTINGS, {"preset": "traditional", "neurons": 40}])
    for _ in range(6):
        session.advance(100)
    for _ in range(20):
        session.tests.some(session.learners, session.n_streamed)
    assert session.learners[1].title == "traditional, 40 neurons"
    assert [curve[-1][0] for curve in session.tests.accuracy] == [session.n_streamed] * 2
    session.do({"do": "recognise", "image": DRAWING})
    assert len(session.last["others"]) == 1


def test_behind_a_first_layer(digits, tmp_path):
    session = Session(digits, [{**SETTINGS, "layer": "edges"}])
    session.advance(40)
    assert session.learners[0].pictures([0, 1]).shape == (2, 64)
    session.save(tmp_path / "model")
    session.do(
        {"do": "load", "model": base64.b64encode((tmp_path / "model").read_bytes()).decode()}
    )
    session.do({"do": "recognise", "image": DRAWING})
    assert session.last["inside"]["end"] > 0


@pytest.mark.parametrize("kind", ["mixed", "drifting", "changing looks"])
def test_streams_are_the_same_in_any_pieces(digits, kind):
    one, other = Stream(digits, kind, seed=1), Stream(digits, kind, seed=1)
    whole = np.concatenate([one.take(7)[1] for _ in range(400)])
    parts = np.concatenate([other.take(50)[1] for _ in range(50)])
    n = min(len(whole), len(parts))
    assert n > 1500
    assert (whole[:n] == parts[:n]).all()
    with pytest.raises(ValueError, match="in turn"):
        one.choose(3)


def test_a_full_log_takes_no_more(digits, monkeypatch):
    session = Session(digits, [SETTINGS])
    monkeypatch.setattr("lethenet.live.log.MOST_BYTES", 10)
    with pytest.raises(ValueError, match="full"):
        session.do({"do": "alone"})


def test_a_log_is_json_lines(digits):
    session = Session(digits, [SETTINGS])
    head, new, end = map(
        json.loads, b"".join(session.log.lines({"at": 0, "do": "end"})).splitlines()
    )
    assert (head["format"], new["do"], end["do"]) == ("lethenet-session", "new", "end")
    assert new["networks"][0]["threshold"] == 14.5


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--host", "0.0.0.0"], "name the one address"),
        (["--neurons", "5000"], "neurons=5000: expected 1 to 2500"),
        (["--replay", "nowhere.jsonl"], "No such file"),
    ],
)
def test_the_command_says_what_is_wrong(capsys, words, why):
    pytest.importorskip("uvicorn")
    assert main(["live", "--dataset", "digits", "--no-open", *words]) == 2
    assert why in capsys.readouterr().err
