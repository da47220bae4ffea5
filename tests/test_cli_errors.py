"""What a user can do wrong: exactly one line on stderr, exit code 2, never a traceback."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lethenet.cli import main
from lethenet.cli.errors import explain
from lethenet.lifelong import Config, run


@pytest.fixture
def fails(capsys):
    """Run a command that must fail, and return its one line."""

    def check(*words: object) -> str:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        assert code == 2, captured
        lines = captured.err.splitlines()
        assert len(lines) == 1, captured.err
        assert lines[0].startswith("Error: ")
        assert captured.out == ""
        return lines[0]

    return check


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    config = Config.of(
        dataset="digits", neurons=10, threshold=15.0, classes=(0, 1), train_per_class=10,
        test_per_class=3, n_jobs=1,
    )  # fmt: skip
    return run(config, tmp_path_factory.mktemp("finished") / "run").folder


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--dataset", "imagenet"], "'imagenet' is neither a known data set"),
        (["--dataset", "digits", "--classes", "0,12"], "digits has no class 12"),
        (["--classes", "0,0"], "classes"),
        (["--classes", "zero,one"], "mnist has no class zero, one; it has 0, 1,"),
        (["--classes", ""], "--classes"),
        (["--preset", "nobody"], "preset='nobody': expected one of paper"),
        (["--neurons", "0"], "neurons=0"),
        (["--neurons", "many"], "--neurons"),
        (["--threshold", "-3"], "threshold=-3.0"),
        (["--threshold", "nan"], "threshold=nan"),
        (["--push", "pull"], "push='pull' is unknown: expected one of leftover, usage"),
        (["--order", "random"], "order='random'"),
        (["--readout", "loud"], "readout='loud'"),
        (["--seed", "-1"], "seed=-1"),
        (["--n-jobs", "0"], "n_jobs=0"),
        (["--limit-train", "0"], "train_per_class=0"),
        (["--checkpoint-every", "0"], "checkpoint_seconds=0.0"),
        (["--order", "interleaved", "--twin"], "twin"),
        (["--no-such-option"], "--no-such-option"),
        (["--config", "no/such/file.toml"], "no/such/file.toml"),
        (["stray"], "stray"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_settings(fails, options, said, tmp_path):
    assert said in fails("run", *options, "--out", tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["neurons = ", "nevrons = 3", "neurons = 'x'", "threshold = -1"])
def test_bad_config_file(fails, tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text)
    assert str(path) in fails("run", "--config", path, "--out", tmp_path / "run")


def test_no_way_to_get_mnist(fails, tmp_path, monkeypatch):
    monkeypatch.setenv("LETHENET_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LETHENET_DATA", raising=False)
    monkeypatch.setattr("lethenet.data.fetching.sources_for", lambda *args, **kwargs: [])
    message = fails("run", "--out", tmp_path / "run")
    assert "mnist could not be obtained" in message
    assert "--dataset digits" in message


@pytest.mark.parametrize("folder", ["/dev/null/run", "/proc/run"])
def test_a_folder_that_cannot_be(fails, folder):
    message = fails("run", "--dataset", "digits", "--out", folder)
    assert message.startswith(f"Error: Cannot make the folder {folder}: ")


def test_a_folder_without_permission(tmp_path):
    """As somebody who may not write there: as root, that is nobody."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    for parent in tmp_path.parents:  # so that nobody gets as far as the folder
        if parent.owner() == tmp_path.owner() and str(parent).startswith("/tmp/pytest"):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)
    # imported before the privileges go: the package may lie where nobody can read
    code = (
        "import os, sys, lethenet.cli.app, lethenet.lifelong.running, lethenet.model.network,"
        "sklearn.datasets, lethenet.interchange, lethenet.data; from lethenet.cli import main;"
        "data = lethenet.data.load('digits');"
        "lethenet.lifelong.protocol.load = lambda *a, **k: data;"
        "os.geteuid() == 0 and os.setuid(65534); sys.exit(main())"
    )
    options = ["run", "--dataset", "digits", "--out", str(locked / "run")]
    done = subprocess.run(
        [sys.executable, "-c", code, *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    [line] = done.stderr.splitlines()
    assert line == f"Error: Cannot make the folder {locked / 'run'}: Permission denied."


@pytest.mark.parametrize("command", ["resume", "report"])
def test_a_foreign_folder(fails, tmp_path, command):
    assert "has no run.json" in fails(command, tmp_path)
    assert "does not exist" in fails(command, tmp_path / "nowhere")
    (tmp_path / "run.json").write_text("{}")
    assert "was not written by lethenet" in fails(command, tmp_path)
    (tmp_path / "run.json").write_text("{")
    assert "is damaged" in fails(command, tmp_path)


def test_compare_needs_two_runs(fails, finished, tmp_path):
    assert "two run directories" in fails("compare", finished)
    assert "has no run.json" in fails("compare", finished, tmp_path)


def test_a_run_that_is_there_already(fails, finished):
    assert "holds a finished run" in fails("run", "--dataset", "digits", "--out", finished)


def test_somebody_elses_files(fails, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    message = fails("run", "--dataset", "digits", "--out", tmp_path, "--force")
    assert "is not a run directory" in message


def test_models_that_are_none(fails, tmp_path, finished):
    assert "nowhere" in fails("evaluate", tmp_path / "nowhere")
    (tmp_path / "model").write_bytes(b"not a model")
    assert "safetensors" in fails("evaluate", tmp_path / "model")
    assert "lethenet-arrays" in fails("evaluate", finished / "arrays.safetensors")
    assert "without model.safetensors" in fails("predict", tmp_path, "file.npz")


def test_a_model_without_a_readout(fails, tmp_path):
    import lethenet
    from lethenet.data import load

    digits = load("digits")
    network = lethenet.ControlledForgettingNetwork(n_neurons=5, random_state=0)
    lethenet.save(network.fit(digits.X_train[:20]), tmp_path / "network")
    message = fails("evaluate", tmp_path / "network", "--dataset", "digits")
    assert "without a read-out" in message


def test_samples_that_do_not_fit(fails, tmp_path, finished):
    assert "nowhere.npz" in fails("predict", finished, tmp_path / "nowhere.npz")
    np.savez(tmp_path / "narrow.npz", X=np.ones((3, 5)))
    assert "5 features, the model takes 64" in fails("predict", finished, tmp_path / "narrow.npz")
    np.savez(tmp_path / "nameless.npz", data=np.ones((3, 64)))
    assert "it has ['data']" in fails("predict", finished, tmp_path / "nameless.npz")
    np.savez(tmp_path / "negative.npz", X=-np.ones((3, 64)))
    assert "OnOff" in fails("predict", finished, tmp_path / "negative.npz")
    np.savez(tmp_path / "objects.npz", X=np.array([{}, {}], dtype=object))
    assert "objects.npz" in fails("predict", finished, tmp_path / "objects.npz")
    (tmp_path / "text.txt").write_text("hello")
    assert "text.txt cannot be used" in fails("predict", finished, tmp_path / "text.txt")
    np.savez(tmp_path / "good.npz", X=np.ones((3, 64)))
    message = fails("predict", finished, tmp_path / "good.npz", "--out", tmp_path / "y.txt")
    assert ".csv or .npz" in message


def test_data_commands(fails):
    assert "imagenet" in fails("data", "fetch", "imagenet")
    assert "Missing" in fails("data", "fetch")
    assert "No such command" in fails("nonsense")


def test_our_own_mistakes_are_not_hidden(monkeypatch):
    assert explain(KeyError("x")) is None
    monkeypatch.setenv("LETHENET_TRACEBACK", "1")
    assert explain(ValueError("x")) is None
    assert os.environ["LETHENET_TRACEBACK"]
