"""``lethenet watch`` as a process: killed, stopped, fed slowly, read slowly, left alone, and by MQTT."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from sklearn.datasets import load_digits

from lethenet.cli import main
from lethenet.lifelong.watching import Watcher

GIVEN = ["--neurons", "40", "--threshold", "15", "--layer", "none"]


@pytest.fixture(scope="module")
def lines():
    """Digits with their labels as JSON lines, with some garbage."""
    X, y = load_digits(return_X_y=True)
    rows = [
        json.dumps({"x": x.astype(int).tolist(), "y": int(c), "id": k}).encode()
        for k, (x, c) in enumerate(zip(X, y, strict=True))
    ]
    for place in range(50, len(rows), 100):
        rows.insert(place, b"[1, 2")
    return rows


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory, lines):
    """The folder of a run from the first line to the last: lines, answers, state."""
    folder = tmp_path_factory.mktemp("unbroken")
    (folder / "lines").write_bytes(b"\n".join(lines) + b"\n")
    assert main(options(folder)) == 0
    return folder


def options(folder, *more, source=None):
    return [
        "watch", str(source or folder / "lines"), *GIVEN,
        "--state", str(folder / "state"), "--output", str(folder / "answers"), *more,
    ]  # fmt: skip


def test_what_it_says(tmp_path, lines, capfd):
    """Answers go to standard output, words for people to standard error."""
    (tmp_path / "lines").write_bytes(b"\n".join(lines[:200]) + b"\n" + b"?\n" * 20 + lines[-1])
    assert main(["watch", str(tmp_path / "lines"), *GIVEN, "--answers", "novelties"]) == 0
    output, errors = capfd.readouterr()
    answers = [json.loads(line) for line in output.splitlines()]
    assert all(answer["novel"] for answer in answers)
    said = errors.splitlines()
    assert said[0] == "64 numbers a sample; threshold 15."
    assert said[1].startswith("Line 51 is left out: not JSON")
    assert len(said) == 12  # of the bad lines, the first ten are reported at once
    assert said[-1] == (
        f"221 lines: 199 answers, {len(answers)} novel, 0 waiting, 22 bad lines (json 22)."
    )


def test_a_model_that_only_answers(unbroken, tmp_path, lines, capfd):
    """Any model file will do, a state among them; it stays as it is."""
    before = (unbroken / "state").read_bytes()
    (tmp_path / "lines").write_bytes(b"\n".join(lines[:40]) + b"\n")
    assert (
        main(["watch", str(tmp_path / "lines"), "--model", str(unbroken / "state"), "--frozen"])
        == 0
    )
    answers = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert sum(answer["answer"] == answer["label"] for answer in answers) > 30
    assert not any(answer["overwritten"] for answer in answers)
    assert (unbroken / "state").read_bytes() == before
    assert main(["watch", "--frozen"]) == 2


def same_as(folder: Path, other: Path) -> None:
    for name in ("state", "answers"):
        assert (folder / name).read_bytes() == (other / name).read_bytes(), name


def test_sigkill_at_any_moment(tmp_path, unbroken, lethenet_command):
    seed = random.randrange(10**6)
    print("seed", seed)  # shown if the test fails
    rng = random.Random(seed)
    shutil.copy(unbroken / "lines", tmp_path)
    answers, kills = tmp_path / "answers", 0
    whole = (unbroken / "answers").stat().st_size
    while kills < 2:
        process = subprocess.Popen(
            [*lethenet_command, *options(tmp_path, "--checkpoint-samples", "5")],
            stderr=subprocess.DEVNULL,
        )
        target = whole * rng.uniform(kills, kills + 1) / 3
        while process.poll() is None and (not answers.exists() or answers.stat().st_size < target):
            time.sleep(0.001)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        kills += 1
    assert 0 < Watcher.open(tmp_path / "state").progress.lines < 1815
    with answers.open("ab") as file:
        file.write(b'{"half": a li')  # what a kill may leave
    assert main(options(tmp_path)) == 0
    same_as(tmp_path, unbroken)


def test_a_growing_file_and_a_signal(tmp_path, unbroken, lethenet_command, lines, capfd):
    """Answers come when their line is whole; a signal leaves a checkpoint; the rest ends alike."""
    source, answers = tmp_path / "lines", tmp_path / "answers"
    source.write_bytes(b"")
    process = subprocess.Popen(
        [*lethenet_command, *options(tmp_path, "--follow")], stderr=subprocess.PIPE, text=True
    )
    with source.open("ab", buffering=0) as file:
        for k, line in enumerate(lines[:5], 1):
            file.write(line[:20])
            time.sleep(0.01)
            file.write(line[20:] + b"\n")
            wait_for(lambda k=k: answers.exists() and answers.read_bytes().count(b"\n") == k)
        process.send_signal(signal.SIGINT)
        assert "5 lines: 5 answers" in process.communicate(timeout=120)[1]
        assert process.returncode == 128 + signal.SIGINT
        file.write(b"\n".join(lines[5:]) + b"\n" + b'{"x": [1, 2')  # somebody still writes
    assert main(options(tmp_path)) == 0
    assert "The last line has no end and was not taken." in capfd.readouterr().err
    same_as(tmp_path, unbroken)


def wait_for(condition, seconds=120.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


def test_standard_input_goes_on_from_the_position(tmp_path, unbroken, lines, capfd):
    """Whoever sends lines asks how far the state is, and sends what comes after it."""
    for stop in (0, 700, len(lines)):
        assert main(["watch", "--state", str(tmp_path / "state"), "--position"]) == 0
        known = int(capfd.readouterr().out)
        (tmp_path / "pipe").write_bytes(b"".join(line + b"\n" for line in lines[known:stop]))
        standard_input = os.dup(0)
        with (tmp_path / "pipe").open("rb") as file:
            os.dup2(file.fileno(), 0)
        try:
            assert main(options(tmp_path, source="-")) == 0
        finally:
            os.dup2(standard_input, 0)
            os.close(standard_input)
    same_as(tmp_path, unbroken)


def test_a_slow_reader_slows_the_writer_and_loses_nothing(
    tmp_path, unbroken, lethenet_command, lines
):
    """Back-pressure: until answers are read, only so many lines are taken as pipes can hold."""
    process = subprocess.Popen(
        [*lethenet_command, "watch", *GIVEN],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    text, sent = b"\n".join(lines * 2) + b"\n", 0
    os.set_blocking(process.stdin.fileno(), False)
    quiet = time.monotonic()
    while time.monotonic() - quiet < 1.0 or sent < 2**16:  # until it takes no more
        try:
            sent += os.write(process.stdin.fileno(), text[sent : sent + 2**16])
            quiet = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
        assert sent < len(text)
    os.set_blocking(process.stdin.fileno(), True)
    output, _ = process.communicate(text[sent:])
    assert process.returncode == 0
    assert output.startswith((unbroken / "answers").read_bytes())
    assert output.count(b"\n") == 2 * 1797


def test_a_reader_that_goes_away(tmp_path, unbroken, lethenet_command):
    """The last checkpoint stands, so no answer is lost to whoever comes back."""
    process = subprocess.Popen(
        [*lethenet_command, "watch", str(unbroken / "lines"), *GIVEN, "--state", str(tmp_path / "state")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert json.loads(process.stdout.readline())["line"] == 1
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait() == 128 + signal.SIGPIPE
    assert b"Nobody reads the answers any more" in errors
    assert b"Traceback" not in errors
    assert Watcher.open(tmp_path / "state").progress.lines == 0


def test_mistakes_are_one_line(tmp_path, unbroken, capsys, one_line_error):
    def fails(*options):
        assert main(["watch", *options]) == 2
        return one_line_error(capsys.readouterr().err)

    state, lines = str(unbroken / "state"), str(unbroken / "lines")
    cut = tmp_path / "cut"
    cut.write_bytes((unbroken / "lines").read_bytes()[:-100])
    assert "was cut or replaced" in fails(str(cut), "--state", state)
    assert "begun with neurons=40, not 50" in fails(lines, "--state", state, "--neurons", "50")
    assert "--output and --position need --state" in fails("--position")
    assert "has 0 bytes" in fails(lines, "--state", state, "--output", str(tmp_path / "other"))
    assert "give it as --output" in fails(lines, "--state", state)
    assert "expected all or novelties" in fails("--answers", "some")
    assert "No such file" in fails(str(tmp_path / "none"))


@pytest.fixture
def broker(tmp_path):
    """The port of an MQTT broker on the loopback."""
    mosquitto = shutil.which("mosquitto") or shutil.which(
        "mosquitto", path="/usr/sbin:/usr/local/sbin"
    )
    if mosquitto is None or shutil.which("mosquitto_sub") is None:
        pytest.skip("no MQTT broker on PATH: apt-get install mosquitto mosquitto-clients")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    process = subprocess.Popen([mosquitto, "-c", str(settings)], stderr=subprocess.DEVNULL)
    wait_for(lambda: answers_on(port))
    yield str(port)
    process.terminate()
    process.wait()


def answers_on(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_mqtt(broker, tmp_path, unbroken, lethenet_command, lines):
    """The recipe of docs/streams.md: a message is a line. Stopped, it has a checkpoint as of any stream."""
    subscribe = ["mosquitto_sub", "-p", broker, "-t", "digits", "-q", "1", "-c", "-i", "watch"]
    publish = ["mosquitto_pub", "-p", broker, "-t", "digits", "-q", "1", "-l"]
    subprocess.run([*subscribe, "-E"], check=True)  # from now on the broker keeps messages for us
    subprocess.run(publish, input=b"".join(line + b"\n" for line in lines[:60]), check=True)
    subscriber = subprocess.Popen(subscribe, stdout=subprocess.PIPE)
    watcher = subprocess.Popen(
        [*lethenet_command, *options(tmp_path, source="-")],
        stdin=subscriber.stdout, stderr=subprocess.PIPE,
    )  # fmt: skip
    subscriber.stdout.close()
    answers = tmp_path / "answers"
    wait_for(lambda: answers.exists() and answers.read_bytes().count(b"\n") == 59)
    watcher.terminate()
    assert b"60 lines: 59 answers" in watcher.communicate(timeout=120)[1]
    assert watcher.returncode == 128 + signal.SIGTERM
    subscriber.terminate()
    subscriber.wait()
    assert (unbroken / "answers").read_bytes().startswith(answers.read_bytes())
    assert Watcher.open(tmp_path / "state").progress.lines == 60
