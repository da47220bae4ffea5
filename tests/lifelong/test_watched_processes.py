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
def unbroken(tmp_path_factory, lethenet_command, lines):
    """The folder of a run from the first line to the last: lines, answers, state."""
    folder = tmp_path_factory.mktemp("unbroken")
    (folder / "lines").write_bytes(b"\n".join(lines) + b"\n")
    done = subprocess.run(
        command(lethenet_command, folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert f"{len(lines)} lines: 1797 answers" in done.stderr
    assert "18 bad lines (json 18)" in done.stderr
    assert done.stderr.count("is left out") == 10  # the first ones; all are in the count
    return folder


def command(words, folder, *more, source=None):
    return [
        *words, "watch", str(source or folder / "lines"), *GIVEN,
        "--state", str(folder / "state"), "--output", str(folder / "answers"), *more,
    ]  # fmt: skip


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
    while kills < 3:
        process = subprocess.Popen(
            command(lethenet_command, tmp_path, "--checkpoint-samples", "5"),
            stderr=subprocess.DEVNULL,
        )
        target = whole * rng.uniform(kills, kills + 1) / 4
        while process.poll() is None and (not answers.exists() or answers.stat().st_size < target):
            time.sleep(0.001)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        kills += 1
    assert 0 < Watcher.open(tmp_path / "state").progress.lines < 1815
    with answers.open("ab") as file:
        file.write(b'{"half": a li')  # what a kill may leave
    subprocess.run(command(lethenet_command, tmp_path), check=True, capture_output=True)
    same_as(tmp_path, unbroken)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
def test_a_growing_file_and_a_signal(tmp_path, unbroken, lethenet_command, lines, number, code):
    """Answers come when their line is whole; a signal leaves a checkpoint; the rest ends alike."""
    source, answers = tmp_path / "lines", tmp_path / "answers"
    source.write_bytes(b"")
    process = subprocess.Popen(
        command(lethenet_command, tmp_path, "--follow"), stderr=subprocess.PIPE, text=True
    )
    with source.open("ab", buffering=0) as file:
        for k, line in enumerate(lines[:5], 1):
            file.write(line[:20])
            time.sleep(0.01)
            file.write(line[20:] + b"\n")
            wait_for(lambda k=k: answers.exists() and answers.read_bytes().count(b"\n") == k)
        process.send_signal(number)
        assert "5 lines: 5 answers" in process.communicate(timeout=60)[1]
        assert process.returncode == code
        file.write(b"\n".join(lines[5:]) + b"\n" + b'{"x": [1, 2')  # somebody still writes
    done = subprocess.run(command(lethenet_command, tmp_path), check=True, capture_output=True)
    assert b"The last line has no end and was not taken." in done.stderr
    same_as(tmp_path, unbroken)


def wait_for(condition, seconds=60.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


def test_standard_input_goes_on_from_the_position(tmp_path, unbroken, lethenet_command, lines):
    """Whoever sends lines asks how far the state is, and sends what comes after it."""
    assert position(lethenet_command, tmp_path) == 0
    for part in (lines[:700], lines[600:]):
        known = position(lethenet_command, tmp_path)
        text = b"\n".join(part[known - (0 if part[0] is lines[0] else 600) :]) + b"\n"
        subprocess.run(
            command(lethenet_command, tmp_path, source="-"),
            input=text,
            check=True,
            capture_output=True,
        )
    assert position(lethenet_command, tmp_path) == len(lines)
    same_as(tmp_path, unbroken)


def position(words, folder):
    asked = [*words, "watch", "--state", str(folder / "state"), "--position"]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def test_a_slow_reader_slows_the_writer_and_loses_nothing(
    tmp_path, unbroken, lethenet_command, lines
):
    """Back-pressure: until answers are read, only so many lines are taken as pipes can hold."""
    process = subprocess.Popen(
        [*lethenet_command, "watch", *GIVEN],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    text, sent = b"\n".join(lines * 4) + b"\n", 0
    os.set_blocking(process.stdin.fileno(), False)
    quiet = time.monotonic()
    while time.monotonic() - quiet < 2.0 or sent < 2**16:  # until it takes no more
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
    assert output.count(b"\n") == 4 * 1797


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
    assert b"Nobody reads the answers any more." in errors
    assert b"Traceback" not in errors
    assert Watcher.open(tmp_path / "state").progress.lines == 0


def test_mistakes_are_one_line(tmp_path, unbroken, lethenet_command, one_line_error):
    def fails(*options):
        done = subprocess.run(
            [*lethenet_command, "watch", *options],
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        return one_line_error(done.stderr)

    state, lines = str(unbroken / "state"), str(unbroken / "lines")
    cut = tmp_path / "cut"
    cut.write_bytes((unbroken / "lines").read_bytes()[:-100])
    assert "was cut or replaced" in fails(str(cut), "--state", state)
    assert "begun with neurons=40, not 50" in fails(lines, "--state", state, "--neurons", "50")
    assert "--output and --position need --state" in fails("--position")
    assert "has 0 bytes" in fails(lines, "--state", state, "--output", str(tmp_path / "other"))
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
    """The recipe of docs/streams.md: every message is a line, and what comes out is what a file gives."""
    subscriber = subprocess.Popen(
        ["mosquitto_sub", "-p", broker, "-t", "digits", "-q", "1", "-c", "-i", "watch", "-C", "300"],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    watcher = subprocess.Popen(
        command(lethenet_command, tmp_path, source="-"),
        stdin=subscriber.stdout,
        stderr=subprocess.PIPE,
    )
    subscriber.stdout.close()
    probe = [
        "mosquitto_sub",
        "-p",
        broker,
        "-t",
        "$SYS/broker/clients/connected",
        "-C",
        "1",
        "-W",
        "60",
    ]
    time.sleep(1.0)
    subprocess.run(probe, check=False, capture_output=True)
    publish = ["mosquitto_pub", "-p", broker, "-t", "digits", "-q", "1", "-l"]
    subprocess.run(publish, input=b"\n".join(lines[:300]) + b"\n", check=True)
    assert b"300 lines: 297 answers" in watcher.communicate(timeout=120)[1]
    assert (unbroken / "answers").read_bytes().startswith((tmp_path / "answers").read_bytes())
