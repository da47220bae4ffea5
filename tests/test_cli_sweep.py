"""``lethenet sweep``: what it shows, what it does, and what can be wrong."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from lethenet.cli import main
from lethenet.cli.sweep_display import results_table
from lethenet.lifelong.setting_checks import option_name
from lethenet.sweeps import Experiment, grid, read_results, run_sweep
from lethenet.sweeps.experiment import SETTINGS

QUICK = ["--dataset", "digits", "--threshold", "15", "--classes", "3,1,4", "--limit-train", "20",
         "--limit-test", "10"]  # fmt: skip
COMMON = {"dataset": "digits", "threshold": 15.0, "classes": (3, 1, 4), "train_per_class": 20,
         "test_per_class": 10}  # fmt: skip


@pytest.fixture
def out(tmp_path):
    return tmp_path / "results.jsonl"


def sweep(*words):
    return main(["sweep", *map(str, words)])


def test_help_has_an_option_for_every_setting_of_a_experiment(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert sweep("--help") == 0
    shown = capsys.readouterr().out
    for name in SETTINGS:
        assert f"--{option_name(name)} " in shown, name
    assert "Other parameters" not in shown
    for name in ("--twin", "--readout", "--n-jobs", "--checkpoint-every"):
        assert name not in shown


def test_a_sweep_and_again(out, capsys):
    options = [*QUICK, "--neurons", "10,20", "--seeds", "2", "--jobs", "1", "--out", out]
    assert sweep(*options, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert f"4 experiments: 0 in {out}, 4 missing." in shown
    assert re.search(r"neurons 20, seed 0 +│ +[\d.]+ s ", shown)
    assert "with 1 process" in shown
    assert not out.exists()

    assert sweep(*options) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.splitlines()
    assert "4 to compute" in lines[0]
    assert [line.split()[0] for line in lines[1:5]] == ["1/4", "2/4", "3/4", "4/4"]
    assert lines[-1] == f"4 results (4 computed now), 0 failed. Results: {out}"
    [ten] = [line for line in lines if re.match("│ +10 │", line)]
    accuracies = [100 * r["results"]["test_accuracy"] for r in read_results(out)
                  if r["config"]["neurons"] == 10]  # fmt: skip
    mean, half = sum(accuracies) / 2, abs(accuracies[0] - accuracies[1]) / 2
    assert f"{mean:.2f} ± {half * 2**0.5:.2f}" in ten  # the sample deviation of two values

    assert {r["key"] for r in read_results(out)} == {
        experiment.key for experiment in grid(**COMMON, neurons=[10, 20], seeds=2)
    }
    assert sweep(*options) == 0
    assert "4 results (0 computed now)" in capsys.readouterr().out
    assert sweep(*options, "--dry-run") == 0
    assert "0 missing" in capsys.readouterr().out


def test_every_kind_of_axis(out, tmp_path, capsys):
    toml = tmp_path / "sweep.toml"
    toml.write_text('[fixed]\ndataset = "mnist"\npreset = "paper"\n[grid]\nneurons = [10, 20]\n')
    options = [*QUICK[:4], "--limit-train", "5", "--classes", "0,1/1,0", "--annealed", "yes,no",
               "--push", "usage", "--neurons", "8", "--seed", "7", "--evaluate", "each task",
               "--validation", "3", "--order", "sequential"]  # fmt: skip
    assert sweep("--file", toml, *options, "--jobs", "1", "--out", out) == 0
    wanted = grid(dataset="digits", preset="paper", neurons=8, threshold=15.0, seed=7, push="usage",
                  annealed=[True, False], classes=[(0, 1), (1, 0)], train_per_class=5,
                  evaluate="each task", validation=3)  # fmt: skip
    assert {r["key"] for r in read_results(out)} == {experiment.key for experiment in wanted}
    assert "annealed" in capsys.readouterr().out


def test_the_deviation_of_a_single_seed_is_not_printed(out, capsys):
    assert sweep(*QUICK, "--neurons", "10,20", "--seeds", "2", "--jobs", "1", "--out", out) == 0
    assert capsys.readouterr().out.count("±") == 1 + 2 * 4
    assert sweep(*QUICK, "--neurons", "10", "--seed", "0", "--jobs", "1", "--out", out) == 0
    shown = capsys.readouterr().out
    assert "±" not in shown
    assert "Results, one seed each" in shown


def test_presets_stand_for_their_constants_in_the_table(tmp_path):
    experiments = grid(
        **{**COMMON, "threshold": [14.5, 15.0]}, neurons=5, preset=["paper", "annealed"]
    )
    sweep_ = run_sweep(experiments, tmp_path / "results.jsonl", jobs=1)
    columns = [str(column.header) for column in results_table(sweep_.results).columns]
    assert columns[:3] == ["preset", "threshold", "seeds"]


def test_a_broken_last_line_is_a_warning(out, capsys):
    options = [*QUICK, "--neurons", "10", "--seeds", "2", "--jobs", "1", "--out", out]
    assert sweep(*options) == 0
    whole = {r["key"] for r in read_results(out)}
    out.write_bytes(out.read_bytes()[:-100])
    capsys.readouterr()
    assert sweep(*options) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith(f"Warning: The last line of {out} was unfinished")
    assert "2 results (1 computed now)" in captured.out
    assert {r["key"] for r in read_results(out)} == whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_it_and_says_how_to_go_on(out, capsys, number, code):
    options = [*QUICK[:2], "--neurons", "10", "--seed", "0,1", "--jobs", "1", "--out", out]
    assert sweep(*options, "--limit-train", "5") == 0
    capsys.readouterr()

    stopped = threading.Event()

    def stop():
        while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and not stopped.is_set():
            time.sleep(0.01)  # not at work yet
        while not stopped.is_set():
            signal.pthread_kill(threading.main_thread().ident, number)
            # Python drops an exception that arises where none can be raised (in a destructor, say)
            stopped.wait(5)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        assert sweep(*options, "--epochs", "2000") == code  # some minutes if nothing stops it
    finally:
        stopped.set()
        thread.join()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"Stopped. {out} holds 2 results; the same command goes on."
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_failed_experiment_makes_exit_code_1(out):
    """A real failure: of the memory that its weights would need."""
    words = ["--neurons", "10,9000000", *QUICK, "--jobs", "1", "--out", out]
    code = (
        "import resource, sys; import lethenet.sweeps.sweep; from lethenet.cli import main;"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code, "sweep", *map(str, words)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Failed: digits, 9000000 neurons, seed 0" in done.stdout
    assert "MemoryError" in done.stdout
    assert "1 result (1 computed now), 1 failed" in done.stdout
    assert [r["config"]["neurons"] for r in read_results(out)] == [10]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--neurons", "ten"], "--neurons ten: expected whole numbers with commas"),
        (["--neurons", "10,0"], "neurons=0"),
        (["--threshold", "13,,14"], "--threshold 13,,14: expected numbers"),
        (["--annealed", "maybe"], "--annealed maybe: expected yes or no"),
        (["--classes", "0,a"], "digits has no class"),
        (["--classes", "0,77"], "digits has no class 77"),
        (["--push", "pull"], "push='pull' is unknown"),
        (["--seeds", "0"], "seeds=0"),
        (["--seeds", "2", "--seed", "1"], "both seed and seeds"),
        (["--jobs", "0"], "jobs=0"),
        (["--retries", "-1"], "retries=-1"),
        (["--validation", "9999"], "validation=9999: class"),
        (["--file", "nowhere.toml"], "nowhere.toml"),
        (["--twin"], "--twin"),
        (["--cluster", "nowhere"], "no Dask scheduler answers"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes(out, capsys, options, said):
    words = ["--dataset", "digits", "--limit-train", "5", "--out", out, *options]
    assert sweep(*words) == 2
    captured = capsys.readouterr()
    [line] = captured.err.splitlines()
    assert line.startswith("Error: ")
    assert said in line
    assert not out.exists()


def test_out_is_needed_and_must_be_a_results_file(tmp_path, capsys):
    assert sweep("--dataset", "digits") == 2
    assert "--out" in capsys.readouterr().err
    foreign = tmp_path / "thesis.tex"
    foreign.write_text("precious\n")
    assert sweep("--dataset", "digits", "--out", foreign) == 2
    assert f"{foreign}, line 1 is not a result of lethenet sweep" in capsys.readouterr().err
    assert foreign.read_text() == "precious\n"
    assert sweep("--dataset", "digits", "--out", tmp_path) == 2
    assert "not an ordinary file, but a folder" in capsys.readouterr().err


def test_a_bar_with_the_time_left_on_a_terminal(out):
    main_end, far_end = pty.openpty()
    code = "import sys; from lethenet.cli import main; sys.exit(main())"
    words = ["sweep", *QUICK, "--neurons", "10", "--seeds", "20", "--jobs", "1",
             "--out", str(out)]  # fmt: skip
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140"}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=far_end, stderr=far_end, env=environment
    )
    os.close(far_end)
    shown = b""
    try:
        while chunk := os.read(main_end, 65536):
            shown += chunk
    except OSError:  # how a pseudo-terminal says that the other end is gone
        pass
    os.close(main_end)
    assert process.wait() == 0
    text = shown.decode()
    assert "experiments left, 1 running" in text
    assert re.search(r"left [\d.]+ s", text)
    assert "20 results (20 computed now)" in text


def test_records_say_what_the_command_line_asked_for(out):
    assert sweep(*QUICK, "--neurons", "10", "--jobs", "1", "--out", out) == 0
    [record] = [json.loads(line) for line in out.read_text().splitlines()]
    experiment = Experiment.from_json({**record["config"], "preset": record["preset"]})
    assert experiment == Experiment.of(**COMMON, neurons=10)
