"""Real processes that are killed or stopped at any moment, and go on to the same bits."""

import json
import random
import signal
import subprocess
import time

import pytest

from lethenet.lifelong import Config, resume, run

REAL = {"dataset": "digits", "neurons": 50, "threshold": 15.0, "epochs": 2, "n_jobs": 1,
        "checkpoint_samples": 40}  # fmt: skip


def start(command, folder, options, *, anew: bool) -> subprocess.Popen:
    words = ["run", *options, "--out", str(folder)] if anew else ["resume", str(folder)]
    return subprocess.Popen(
        [*command, *words, "--json-logs", "--no-report"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def real_run(tmp_path_factory):
    """The unbroken run that killed processes must come out as."""
    return run(Config.of(**REAL, twin=True), tmp_path_factory.mktemp("real") / "run").folder


def after_some_lines(rng):
    """A moment early in what is left of a run; two of them do not reach its last task."""
    lines = iter(range(rng.randrange(3, 14)))
    return lambda event: next(lines, None) is None


def in_the_last_evaluation(event):
    """The main run has learned its last sample."""
    return event["event"] == "checkpoint" and event["samples_done"] == event["samples_total"]


def in_the_last_writes_of(run):
    """The last task of the main run or of its twin is evaluated: arrays, model and run.json follow."""
    return lambda event: (
        event["event"] == "task" and event["run"] == run and event["tasks_seen"] == event["tasks"]
    )


def test_sigkill_at_any_moment(
    tmp_path, real_run, same_bits, lethenet_command, settings_as_options
):
    """Real processes, kill -9 at random lines and milliseconds, in the last evaluation, at the end."""
    seed = random.randrange(10**6)
    print("seed", seed)  # shown if the test fails
    rng = random.Random(seed)
    folder = tmp_path / "run"
    options = [*settings_as_options(REAL), "--twin"]
    moments = [
        *(after_some_lines(rng) for _ in range(2)),
        in_the_last_evaluation,
        in_the_last_writes_of("main"),
        in_the_last_writes_of("twin"),
        lambda event: False,
    ]
    progress = [0]
    for number, moment in enumerate(moments):
        process = start(lethenet_command, folder, options, anew=not folder.exists())
        whole = {}
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "started":
                whole = {"samples_total": event["samples_total"], "tasks": len(event["tasks"])}
            if moment({**whole, **event}):
                break
        time.sleep(rng.random() * (0.02 if number < 2 else 0.005))
        process.kill()
        process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        document = json.loads((folder / "run.json").read_text())
        progress.append(document["progress"]["samples_done"])
        if moment is in_the_last_evaluation:
            assert document["status"] == "running"
            assert progress[-1] == document["progress"]["samples_total"] > progress[-2]
    assert number >= 4  # only the kill at the very end may come too late
    assert progress == sorted(progress)  # what was saved is never lost
    same_bits(folder, real_run)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
def test_a_signal_saves_and_says_how_to_go_on(
    tmp_path, real_run, same_bits, lethenet_command, settings_as_options, number, code
):
    folder = tmp_path / "run"
    options = [*settings_as_options(REAL), "--twin"]
    process = start(lethenet_command, folder, options, anew=True)
    for line in process.stdout:
        if json.loads(line)["event"] == "checkpoint":
            break
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert errors == ""
    note = json.loads(output.splitlines()[-1])
    assert note["text"].endswith(f"lethenet resume {folder}")
    document = json.loads((folder / "run.json").read_text())
    assert document["status"] == "interrupted"
    assert document["summary"] is None
    assert 0 < document["progress"]["samples_done"] < document["progress"]["samples_total"]
    assert resume(folder).status == "finished"
    same_bits(folder, real_run)
