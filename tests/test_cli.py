"""The command line: what it shows, and that it does what it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import lethenet
from lethenet.cli import main
from lethenet.cli.options import PANELS, meanings
from lethenet.data import load, write_idx
from lethenet.lifelong import Config, Result
from lethenet.lifelong.setting_checks import option_name
from lethenet.model import Parameters

QUICK = ["--dataset", "digits", "--neurons", "40", "--threshold", "15", "--classes", "3,1,4",
         "--limit-train", "40", "--limit-test", "10", "--n-jobs", "1", "--no-report"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run."""
    path = tmp_path_factory.mktemp("cli") / "run"
    assert main(["run", *QUICK, "--out", str(path)]) == 0
    return path


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lethenet {lethenet.__version__}\n"


def test_without_arguments_it_says_what_it_can_do(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    for command in ("run", "resume", "report", "compare", "evaluate", "predict", "data"):
        assert f" {command} " in out


def test_help_groups_every_setting_by_meaning(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["run", "--help"]) == 0
    out = capsys.readouterr().out
    for panel in PANELS:
        assert f"─ {panel} ─" in out
    for cls in (Config, Parameters):
        for field in fields(cls):
            if field.name != "parameters":
                word = option_name(field.name)
                assert f"--{word} " in out, word
                assert meanings(cls)[field.name], field.name


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_new_parameter_is_an_option_without_any_other_edit(tmp_path, command):
    """In a copy of the package, a field and a line of docstring are added, and nothing else."""
    package = Path(lethenet.__file__).parent
    copy = tmp_path / "lethenet"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "model" / "parameters.py"
    text = module.read_text()
    docs, field = "    tau_pre : float, default", "    tau_pre: float ="
    assert text.count(docs) == text.count(field) == 1
    text = text.replace(docs, f"    boredom : float, default=0.25\n        How dull it is.\n{docs}")
    module.write_text(text.replace(field, f"    boredom: float = 0.25\n{field}"))
    code = f"from lethenet.cli import main; main(['{command}', '--help'])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "160"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    neurons = done.stdout.split("─ Neurons ─")[1].split("╰─")[0]  # beside tau_mem
    assert re.search(r"--boredom +NUMBER\S* +How dull it is\.", neurons), neurons
    assert ("[default: 0.25]" in neurons) == (command == "run")


def test_a_broken_plug_in_is_named_and_left_out(tmp_path):
    folder = tmp_path / "plug-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(
        "[lethenet.commands]\nastrology = no_such_module:add\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    code = "import sys; from lethenet.cli import main; sys.exit(main(['--version']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout == f"lethenet {lethenet.__version__}\n"
    [line] = done.stderr.splitlines()
    assert line.startswith("Warning: the commands of astrology (no_such_module:add) are left out: ")


def test_run_in_a_pipe_prints_a_line_per_task_and_a_table(tmp_path, capsys):
    assert main(["run", *QUICK, "--out", str(tmp_path / "run")]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "\x1b" not in captured.out
    lines = captured.out.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["1/3", "task", "3"],
        ["2/3", "task", "1"],
        ["3/3", "task", "4"],
    ]
    for word in ("accuracy", "bwt", "forgetting", "Chaudhry", "GEM", str(tmp_path / "run")):
        assert word in captured.out


def test_json_logs(tmp_path, capsys):
    assert main(["run", *QUICK, "--twin", "--json-logs", "--out", str(tmp_path / "run")]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [e["run"] for e in events if e["event"] == "finished"] == ["twin", "main"]
    assert sum(e["event"] == "task" for e in events) == 4
    assert events[-1]["summary"]["sequential_penalty"] is not None
    assert all("time" in event for event in events)


def test_every_kind_of_option_reaches_the_run(tmp_path, capsys):
    toml = tmp_path / "settings.toml"
    toml.write_text("neurons = 30\nepochs = 2\n[parameters]\ndepression = 0.25\nthreshold = 14\n")
    options = ["--config", str(toml), "--preset", "annealed", "--no-annealed", "--stdp", "static",
               "--tau-mem", "16", "--readout", "histogram", "--seed", "7",
               "--checkpoint-every", "3"]  # fmt: skip
    assert main(["run", *QUICK, *options, "--out", str(tmp_path / "run")]) == 0
    config = Result.load(tmp_path / "run").config
    assert (config.neurons, config.epochs, config.seed) == (40, 2, 7)  # options before the file
    assert (config.readout, config.checkpoint_seconds) == ("histogram", 3.0)
    p = config.parameters
    assert (p.threshold, p.depression, p.tau_mem, p.stdp) == (15.0, 0.25, 16.0, "static")
    assert (p.annealed, p.push) == (False, "usage")


def test_the_default_folder_is_a_new_one_below_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", *QUICK]) == 0
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("digits-40-sequential-")


def test_force(folder, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(["run", *QUICK, "--out", str(out)]) == 0
    assert main(["run", *QUICK, "--seed", "1", "--out", str(out)]) == 2
    assert main(["run", *QUICK, "--seed", "1", "--out", str(out), "--force"]) == 0
    assert Result.load(out).config.seed == 1


def test_the_recorded_command_runs_the_same_again(folder, tmp_path, capsys):
    command = json.loads((folder / "run.json").read_text())["command"]
    again = [*command[1:-1], str(tmp_path / "again"), "--no-report"]
    assert main(again) == 0
    model = "model.safetensors"
    assert (folder / model).read_bytes() == (tmp_path / "again" / model).read_bytes()


def test_resume_of_a_finished_run_shows_it(folder, capsys):
    assert main(["resume", str(folder), "--no-report"]) == 0
    assert "forgetting" in capsys.readouterr().out


@pytest.mark.parametrize("which", ["folder", "file"])
def test_evaluate_gives_the_runs_own_number(folder, capsys, which):
    model = folder if which == "folder" else folder / "model.safetensors"
    assert main(["evaluate", str(model), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["classes"] == [1, 3, 4]
    digits = load("digits")
    known = np.isin(digits.y_test, [1, 3, 4])
    fitted = lethenet.load(folder / "model.safetensors")
    assert outcome["accuracy"] == fitted.score(digits.X_test[known], digits.y_test[known])


def test_evaluate_prints_a_table(folder, capsys):
    assert main(["evaluate", str(folder), "--dataset", "digits"]) == 0
    out = capsys.readouterr().out
    assert "False positives" in out
    assert "test samples of digits" in out


@pytest.mark.parametrize("kind", ["npz", "idx"])
def test_predict(folder, tmp_path, capsys, kind):
    digits = load("digits")
    X = digits.X_test[:20]
    path = tmp_path / f"samples.{kind}"
    if kind == "npz":
        np.savez(path, X=X)
    else:
        write_idx(path, X.reshape(-1, 8, 8))
    expected = lethenet.load(folder / "model.safetensors").predict(X).tolist()
    assert main(["predict", str(folder), str(path)]) == 0
    assert [int(line) for line in capsys.readouterr().out.split()] == expected
    assert main(["predict", str(folder), str(path), "--out", str(tmp_path / "y.npz")]) == 0
    assert np.load(tmp_path / "y.npz")["y"].tolist() == expected
    assert main(["predict", str(folder), str(path), "--out", str(tmp_path / "y.csv")]) == 0
    rows = (tmp_path / "y.csv").read_text().splitlines()
    assert rows[0] == "sample,class"
    assert rows[1] == f"0,{expected[0]}"


def test_data_list_and_fetch(capsys):
    assert main(["data", "list"]) == 0
    out = capsys.readouterr().out
    assert "digits" in out
    assert "mnist" in out
    assert main(["data", "fetch", "digits"]) == 0
    assert "scikit-learn" in capsys.readouterr().out


def test_bars_on_a_terminal(tmp_path):
    """In a pseudo-terminal there are bars and colours, and the end is the same table."""
    import pty

    main_end, far_end = pty.openpty()
    code = "import sys; from lethenet.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", *QUICK, "--epochs", "3"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "run")],
        stdout=far_end, stderr=far_end, env=environment,
    )  # fmt: skip
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
    assert "\x1b[" in text
    assert "epoch 3 of 3" in text
    assert "evaluating after task" in text
    assert "forgetting" in text


class Screen:
    """As much of a terminal as the bars need: lines that wrap, and moves up and to the left."""

    def __init__(self, width):
        self.width, self.lines, self.row, self.column = width, [""], 0, 0

    def show(self, text):
        for sequence, character in re.findall(r"(\x1b\[[?\d;]*[a-zA-Z])|(.)", text, re.DOTALL):
            if sequence.endswith("A"):
                self.row -= int(sequence[2:-1] or 1)
            elif sequence.endswith("K"):
                self.lines[self.row] = ""
            elif character == "\r":
                self.column = 0
            elif character == "\n":
                self._down()
            elif character:
                if self.column == self.width:
                    self._down()
                    self.column = 0
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[: self.column] + character + line[self.column + 1 :]
                self.column += 1

    def _down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")


def test_ctrl_c_on_a_terminal_leaves_no_bars_behind(tmp_path):
    """The terminal writes ^C behind the bars: they must be cleared away all the same."""
    import pty

    width, screen, shown = 80, Screen(80), ""
    pid, terminal = pty.fork()
    if pid == 0:
        code = "import sys; from lethenet.cli import main; sys.exit(main())"
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(width), "LINES": "40"}
        words = ["run", *QUICK[:6], "--epochs", "500", "--no-report", "--out", str(tmp_path / "r")]
        os.execve(sys.executable, [sys.executable, "-c", code, *words], environment)
    pressed = False
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk.decode(errors="replace")
            if "samples/s" in shown and not pressed:
                pressed = True
                os.write(terminal, b"\x03")
    except OSError:
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert "^C" in shown
    screen.show(shown)
    print("\n".join(screen.lines))
    assert not [line for line in screen.lines if "━" in line or "^C" in line]


def test_report_and_compare_call_the_report_room(folder, monkeypatch, capsys, tmp_path):
    report = pytest.importorskip("lethenet.report", reason="the report room is not there yet")
    calls = []

    def write_report(path):
        calls.append(path)
        return Path(path) / "report.html"

    def write_comparison(paths, out):
        calls.append((list(paths), out))
        return out

    monkeypatch.setattr(report, "write_report", write_report, raising=False)
    monkeypatch.setattr(report, "write_comparison", write_comparison, raising=False)
    assert main(["report", str(folder)]) == 0
    assert str(folder / "report.html") in capsys.readouterr().out
    out = tmp_path / "both.html"
    assert main(["compare", str(folder), str(folder), "--out", str(out)]) == 0
    assert calls == [folder, ([folder, folder], out)]


def test_studies_are_listed_and_named(capsys):
    assert main(["study"]) == 0
    assert "ablations" in capsys.readouterr().out
    assert main(["study", "astrology"]) == 2
    assert "changing-world" in capsys.readouterr().err
