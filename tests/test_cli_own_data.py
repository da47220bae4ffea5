"""A user's own table from the first command to a prediction: signed features, names of classes."""

import json

import numpy as np
import pytest

from lethenet.cli import main
from lethenet.lifelong import Result, resume
from lethenet.saving import load as load_model

NAMES = ("lily", "rose", "tulip")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 6)) * 3
    lines = [
        ",".join([*(f"{x:.4f}" for x in centres[n % 3] + rng.normal(size=6)), NAMES[n % 3]])
        for n in range(240)
    ]
    path = tmp_path_factory.mktemp("own") / "flowers.csv"
    path.write_text("a,b,c,d,e,f,species\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def run(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "run"
    arguments = ["--dataset", str(table), "--neurons", "40", "--classes", "rose,lily,tulip"]
    assert main(["run", *arguments, "--n-jobs", "1", "--out", str(folder)]) == 0
    return folder


def test_a_run(run, capsys):
    result = Result.load(run)
    assert result.accuracy > 0.9
    assert result.config.layer == "on-off"
    assert result.task_names == result.classes == ["rose", "lily", "tulip"]
    assert set(result.last["class_accuracy"]) == set(NAMES)
    assert result.diagnosis == []
    assert "tulip" in (run / "report.html").read_text("utf-8")
    assert resume(run).status == "finished"
    assert (
        main(
            [
                "run",
                *result.document["command"][2:-2],
                "--out",
                str(run.with_name("again")),
                "--no-report",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "behind on and off inputs, for signed features" in out
    again = Result.load(run.with_name("again"))
    np.testing.assert_array_equal(again.model[-1].weights_, result.model[-1].weights_)


def test_the_model_names_classes(run, table, tmp_path, capsys):
    assert load_model(run)[-1].classes_.tolist() == list(NAMES)
    rows = table.read_text().splitlines()
    unlabelled = tmp_path / "new.csv"
    unlabelled.write_text("\n".join(row.rpartition(",")[0] for row in rows[:4]) + "\n")
    assert main(["predict", str(run), str(unlabelled)]) == 0
    found = capsys.readouterr().out.split()
    assert found == [row.rpartition(",")[2] for row in rows[1:4]]
    assert main(["predict", str(run), str(table)]) == 0, "with labels, too"
    assert len(capsys.readouterr().out.split()) == 240
    assert main(["evaluate", str(run), "--dataset", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == list(NAMES)


def test_threshold(run, table, capsys):
    assert main(["threshold", str(table), "--neurons", "40", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["threshold"] == Result.load(run).config.parameters.threshold
    assert found["layer"] == "on-off"
    shares = [share for _, share in found["curve"]]
    assert shares == sorted(shares, reverse=True)
    assert main(["threshold", str(table), "--neurons", "40"]) == 0
    out = capsys.readouterr().out
    assert f"Threshold {found['threshold']:g} for 40 neurons on flowers: " in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--classes", "rose,violet"], "no class violet; it has lily, rose, tulip"),
        (["--label-column", "colour"], "no column 'colour'; it has a, b, c"),
        (["--layer", "edges"], "are no images"),
    ],
)
def test_errors_in_one_line(table, capsys, arguments, says):
    assert main(["run", "--dataset", str(table), *arguments]) == 2
    assert says in " ".join(capsys.readouterr().err.split())
    assert capsys.readouterr().err.count("\n") <= 1


def test_digits_need_no_option(tmp_path, capsys):
    """The threshold comes from the data: 72 % with MNIST's."""
    assert main(["run", "--dataset", "digits", "--no-report", "--out", str(tmp_path / "run")]) == 0
    result = Result.load(tmp_path / "run")
    assert result.accuracy >= 0.96
    assert result.diagnosis == []
    assert f"threshold {result.config.parameters.threshold:g}" in capsys.readouterr().out


def test_a_run_says_when_its_threshold_does_not_fit(tmp_path, capsys):
    arguments = ["--dataset", "digits", "--neurons", "100", "--threshold", "12", "--no-report"]
    assert main(["run", *arguments, "--out", str(tmp_path / "run")]) == 0
    (text,) = Result.load(tmp_path / "run").diagnosis
    assert "too low" in text
    assert "Warning: The threshold 12 is too low" in capsys.readouterr().out
