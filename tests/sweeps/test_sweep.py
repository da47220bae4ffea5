"""A sweep on this machine: each experiment once, whatever happens to its processes."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from lethenet.data import load
from lethenet.lifelong.setting_checks import option_name
from lethenet.sweeps import Costs, Experiment, grid, plan, read_results, run_sweep

TIMEOUT = 120
"""Seconds until something that should happen counts as failed."""

# Long enough to be caught in the middle
LONG = {"dataset": "digits", "neurons": 30, "threshold": 15.0, "epochs": 2, "test_per_class": 20}


def wait_until(condition):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


def workers_of(pid):
    """The processes that compute for a sweep, as Linux knows them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_text()
        except OSError:
            continue
        if (
            int(fields[1]) == pid
            and fields[0] != "Z"
            and "loky" in command
            and ("resource_tracker" not in command)
        ):
            found.append(int(stat.parent.name))
    return found


def test_a_second_run_computes_nothing_and_more_experiments_only_themselves(
    tmp_path, tiny_experiments
):
    out = tmp_path / "results.jsonl"
    first = run_sweep(tiny_experiments[:3], out, jobs=1)
    assert (first.computed, first.failures) == (3, ())
    assert [r["key"] for r in first.results] == [
        experiment.key for experiment in tiny_experiments[:3]
    ]
    before = out.read_bytes()
    assert run_sweep(tiny_experiments[:3], out, jobs=1).computed == 0
    assert out.read_bytes() == before
    more = run_sweep(tiny_experiments, out, jobs=1)
    assert (more.computed, len(more.results)) == (1, 4)
    assert out.read_bytes().startswith(before)


def test_the_same_experiment_given_twice_is_computed_once(tmp_path):
    one = Experiment.of(dataset="digits", neurons=5, train_per_class=5)
    same = Experiment.of(dataset="digits", neurons=5, train_per_class=5, classes=range(10))
    sweep = run_sweep([one, same], tmp_path / "results.jsonl", jobs=1)
    assert (sweep.computed, len(sweep.results)) == (1, 1)


def test_an_experiment_that_another_sweep_has_finished_is_not_computed_again(
    tmp_path, tiny_experiments, contents
):
    out, events = tmp_path / "results.jsonl", []

    def another_sweep(event):
        events.append(event)
        if event["event"] == "result" and len(read_results(out)) == 1:
            assert run_sweep(tiny_experiments, out, jobs=1).computed == len(tiny_experiments) - 1

    sweep = run_sweep(tiny_experiments, out, jobs=1, progress=another_sweep)
    assert sweep.computed == 1
    assert len(sweep.results) == len(tiny_experiments)
    elsewhere = [event["elsewhere"] for event in events if event["event"] == "result"]
    assert elsewhere == [False, True, True, True]
    assert len(contents(out)) == len(tiny_experiments)


def test_long_experiments_first(tmp_path):
    experiments = [
        *grid(dataset="digits", neurons=[10, 40], epochs=[1, 3]),
        Experiment.of(dataset="digits", neurons=10, epochs=3, evaluate="each task"),
    ]
    seconds = [job.seconds for job in plan(experiments).missing]
    assert seconds == sorted(seconds, reverse=True)
    first = plan(experiments).missing[0].experiment
    assert (first.config.epochs, first.config.neurons, first.evaluate) == (3, 10, "each task")


def test_or_in_the_order_given(tmp_path, tiny_experiments):
    out = tmp_path / "results.jsonl"
    short_first = sorted(tiny_experiments, key=lambda experiment: experiment.config.neurons)
    run_sweep(short_first, out, jobs=1, longest_first=False)
    assert [record["config"]["neurons"] for record in read_results(out)] == [20, 20, 30, 30]


def test_estimates_follow_what_was_measured(tmp_path, tiny_experiments):
    small = Experiment.of(dataset="digits", neurons=20, train_per_class=20)
    run_sweep([small], tmp_path / "results.jsonl", jobs=1)
    [record] = read_results(tmp_path / "results.jsonl")
    cost = record["cost"]
    cost["learning_seconds"], cost["evaluation_seconds"] = 6.0, 4.0
    costs = Costs([record])
    assert costs.seconds(small) == pytest.approx(10.0)
    twice = Experiment.of(dataset="digits", neurons=20, train_per_class=20, epochs=2)
    assert costs.seconds(twice) == pytest.approx(16.0)
    assert costs.seconds(Experiment.of(dataset="digits", neurons=5000, train_per_class=20)) > 10.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"jobs": 0}, "jobs=0: expected"), ({"jobs": -2}, "jobs=-2"), ({"retries": -1}, "retries=-1")],
)
def test_bad_settings(tmp_path, tiny_experiments, settings, said):
    with pytest.raises(ValueError, match=said):
        run_sweep(tiny_experiments, tmp_path / "results.jsonl", **settings)
    assert list(tmp_path.iterdir()) == []


def test_a_killed_worker_and_a_failing_experiment(tmp_path, tiny_experiments, contents):
    """Its experiment is computed again by another one, and one bad experiment does not stop the others."""
    digits = load("digits")
    own = tmp_path / "own.npz"
    np.savez(own, X=digits.X_test, y=digits.y_test)
    bad = Experiment.of(dataset=str(own), neurons=5)
    experiments = [*grid(**LONG, seeds=3), bad]
    out, told, killed = tmp_path / "results.jsonl", [], []

    def disturb(event):
        told.append(event)
        own.unlink(missing_ok=True)  # it was there when the sweep was planned
        if event["event"] == "result" and not killed:
            killed.extend(workers_of(os.getpid())[:1])
            os.kill(killed[0], signal.SIGKILL)

    sweep = run_sweep(experiments, out, jobs=2, progress=disturb)
    assert killed
    assert any(event["event"] == "retry" for event in told)
    [(experiment, why)] = sweep.failures
    assert experiment.config.dataset == str(own)
    assert "own.npz" in why
    assert sweep.computed == 3
    run_sweep(experiments[:3], tmp_path / "undisturbed.jsonl", jobs=1)
    assert contents(out) == contents(tmp_path / "undisturbed.jsonl")
    wait_until(lambda: not workers_of(os.getpid()))


def test_a_failure_that_nobody_listens_to_is_a_warning(tmp_path, monkeypatch):
    def fail(document, key):
        raise ValueError("no such luck")

    monkeypatch.setattr("lethenet.sweeps.local.compute", fail)
    experiments = grid(dataset="digits", neurons=5, seeds=2)
    with pytest.warns(RuntimeWarning, match="2 of 2 experiments failed.*no such luck"):
        run_sweep(experiments, tmp_path / "results.jsonl", jobs=1)


def test_an_experiment_whose_process_always_dies_is_given_up(tmp_path):
    def kill(event):
        for pid in workers_of(os.getpid()):
            with suppress(ProcessLookupError):  # it is gone already
                os.kill(pid, signal.SIGKILL)

    experiments = grid(**{**LONG, "epochs": 50}, seeds=2)
    sweep = run_sweep(experiments, tmp_path / "results.jsonl", jobs=2, retries=1, progress=kill)
    assert (sweep.computed, sweep.results) == (0, ())
    assert [why for _, why in sweep.failures] == ["its process died 2 times"] * 2


def test_an_experiment_whose_process_always_dies_does_no_harm_to_others(tmp_path):
    survivor = []

    def kill(event):
        workers = workers_of(os.getpid())
        if not survivor and len(workers) == 2:
            survivor.append(workers[0])
        for pid in workers if survivor else []:
            if pid not in survivor:
                os.kill(pid, signal.SIGKILL)

    experiments = grid(**{**LONG, "epochs": 100}, seeds=2)
    sweep = run_sweep(experiments, tmp_path / "results.jsonl", jobs=2, retries=1, progress=kill)
    assert sweep.computed == 1
    assert [why for _, why in sweep.failures] == ["its process died 2 times"]


def start(command, out, **settings):
    given = {**LONG, **settings}.items()
    words = [word for name, value in given for word in (f"--{option_name(name)}", str(value))]
    return subprocess.Popen(
        [*command, "sweep", *words, "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def test_two_sweeps_at_once_of_which_one_is_killed(tmp_path, contents, lethenet_command):
    """Neither corrupts the file, and what one has finished the other need not compute."""
    out, n = tmp_path / "results.jsonl", 6
    one, other = (start(lethenet_command, out, jobs=1, seeds=n) for _ in range(2))
    wait_until(lambda: out.exists() and out.read_text().count("\n") >= 2)
    one.kill()
    one.communicate()
    output, errors = other.communicate(timeout=TIMEOUT)
    assert other.returncode == 0, errors
    assert f"{n} results" in output
    experiments = grid(**LONG, seeds=n)
    run_sweep(experiments, tmp_path / "alone.jsonl", jobs=1)
    assert contents(out) == contents(tmp_path / "alone.jsonl")
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == n


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_a_sweep_that_is_stopped_takes_its_workers_along(tmp_path, lethenet_command, number):
    out = tmp_path / "results.jsonl"
    process = start(lethenet_command, out, jobs=2, seeds=2, epochs=10_000)
    wait_until(lambda: len(workers_of(process.pid)) == 2)
    workers = workers_of(process.pid)
    if number == signal.SIGINT:
        time.sleep(1)  # a terminal sends it to all; let them be up and ignore it
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    output, errors = process.communicate(timeout=TIMEOUT)
    if number == signal.SIGINT:
        assert process.returncode == 130, errors
        assert output.splitlines()[-1] == (
            f"Stopped. {out} holds 0 results; the same command goes on."
        )
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
