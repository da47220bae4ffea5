"""Evaluations beside learning: the same bits however many threads there are, and whatever kills them."""

import json
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from lethenet.lifelong import Config, Interrupted, resume, run
from lethenet.lifelong.protocol import Experiment

SETTINGS = {"dataset": "digits", "neurons": 40, "threshold": 15.0, "n_jobs": 2}
CONFIG = Config.of(**SETTINGS, train_per_class=60, test_per_class=20)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return run(CONFIG, tmp_path_factory.mktemp("unbroken") / "run")


def outcome(result):
    """All that a run says, without how it was carried out."""
    document = json.loads((result.folder / "run.json").read_text())
    document["config"].pop("n_jobs")
    kept = ("config", "data", "tasks", "evaluations", "summary", "diagnosis", "progress")
    files = [(result.folder / f"{n}.safetensors").read_bytes() for n in ("arrays", "model")]
    return {name: document[name] for name in kept}, files


@pytest.mark.parametrize("interim", ["online", "assigned"])
def test_one_thread_or_several_give_the_same_bits(tmp_path, interim):
    config = replace(CONFIG, interim_labels=interim)
    one, two, three = (
        outcome(run(replace(config, n_jobs=n), tmp_path / str(n))) for n in (1, 2, 3)
    )
    assert one == two == three


class SlowEvaluations:
    """Evaluations that wait until somebody lets them go on, so that learning gets ahead for certain."""

    def __init__(self, monkeypatch):
        self.begun, self.go_on = threading.Event(), threading.Event()
        assessed = Experiment.assessed

        def slow(experiment, *arguments):
            self.begun.set()
            self.go_on.wait(20)
            return assessed(experiment, *arguments)

        monkeypatch.setattr(Experiment, "assessed", slow)


def test_learning_goes_on_while_a_frozen_copy_is_evaluated(tmp_path, monkeypatch, unbroken):
    slow, ahead = SlowEvaluations(monkeypatch), []

    def listen(event):
        if event["event"] == "learning" and not slow.go_on.is_set() and slow.begun.is_set():
            ahead.append(event["task_number"])
            slow.go_on.set()

    result = run(CONFIG, tmp_path / "run", listen)
    assert ahead == [2]  # the first task's evaluation had begun and not ended
    assert outcome(result) == outcome(unbroken)


@pytest.mark.parametrize("how", ["stopped", "broken off"])
def test_an_end_while_an_evaluation_is_under_way(tmp_path, monkeypatch, unbroken, same_bits, how):
    class Broken(BaseException):
        pass

    with monkeypatch.context() as patch:
        slow = SlowEvaluations(patch)

        def listen(event):
            if event["event"] == "learning" and slow.begun.is_set():
                slow.go_on.set()
                if how == "broken off":
                    raise Broken
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(Interrupted if how == "stopped" else Broken):
            run(CONFIG, tmp_path / "run", listen)
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    assert document["progress"]["samples_done"] == 60  # saved where the evaluation began
    assert document["evaluations"] == []
    assert document["status"] == ("interrupted" if how == "stopped" else "running")
    resume(tmp_path / "run")
    same_bits(tmp_path / "run", unbroken.folder)


KILLED = """
import os, signal, sys, threading, time
from lethenet.lifelong import Config, resume, run
from lethenet.lifelong.protocol import Experiment

under_way, assessed = threading.Event(), Experiment.assessed

def slow(experiment, met, *arguments):
    if len(met) == int(sys.argv[2]):
        under_way.set()
        time.sleep(0.5)
    return assessed(experiment, met, *arguments)

def die(event):
    if under_way.is_set():
        os.kill(os.getpid(), getattr(signal, sys.argv[3]))

Experiment.assessed = slow
config = Config.of(**{SETTINGS}, train_per_class=60, test_per_class=20)
if os.path.exists(sys.argv[1]):
    resume(sys.argv[1], die)
else:
    run(config, sys.argv[1], die)
""".replace("{SETTINGS}", repr(SETTINGS))


def test_processes_that_are_killed_in_evaluation_after_evaluation(tmp_path, unbroken, same_bits):
    """SIGKILL and SIGINT, in the first, in middle ones and in the last, which nothing is learned beside."""
    folder = tmp_path / "run"
    for task, name in ((1, "SIGKILL"), (4, "SIGKILL"), (7, "SIGINT"), (10, "SIGKILL")):
        words = [sys.executable, "-c", KILLED, str(folder), str(task), name]
        ended = subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)
        assert ended.returncode == (-signal.SIGKILL if name == "SIGKILL" else -signal.SIGINT)
        evaluated = len(json.loads((folder / "run.json").read_text())["evaluations"])
        assert evaluated == task - 1, ended.stderr
    resume(folder)
    same_bits(folder, unbroken.folder)


@pytest.mark.parametrize("task", [1, 10])
def test_ctrl_c_is_obeyed_at_once(tmp_path, monkeypatch, task):
    """Beside learning, and after the last task, when evaluation is all there is to wait for."""

    def endless(experiment, met, n_threads, on_samples):
        while len(met) == task:
            time.sleep(0.01)
            on_samples(1)
        return assessed(experiment, met, n_threads, on_samples)

    def listen(event):
        beside = event["event"] == "learning" and event["task_number"] > task
        last = event["event"] == "evaluating" and event["task"] == str(task - 1)
        if (beside or last) and not pressed:
            pressed.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

    assessed, pressed = Experiment.assessed, []
    monkeypatch.setattr(Experiment, "assessed", endless)
    with pytest.raises(Interrupted):
        run(CONFIG, tmp_path / "run", listen)
    assert time.monotonic() - pressed[0] < 2
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    assert len(document["evaluations"]) == task - 1
