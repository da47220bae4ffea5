"""``lethenet reproduce`` on very small layers: every stage and figure, resumed, partial, wrong."""

import json
import shlex
from contextlib import nullcontext
from dataclasses import replace

import pytest

from lethenet.cli import main
from lethenet.cli import reproduce as command
from lethenet.report.reproduction.gallery import ENTRIES
from lethenet.studies.reproduction import SCALES, STAGES, reproduce
from lethenet.studies.reproduction.cells import table_cell
from lethenet.studies.reproduction.commands import cell_command
from lethenet.sweeps import read_results

TINY = replace(
    SCALES["smoke"],
    sizes=(8, 12),
    thresholds=(15.0, 15.5),
    epochs=(1, 2),
    seeds=(2, 1),
    fit_sizes=(8,),
    fit_epochs=(1,),
    trials=(2, 1),
    k_means_iterations=2,
    visual_neurons=9,
    stability_images=1,
    train_per_class=5,
    test_per_class=5,
)


@pytest.fixture(scope="module", autouse=True)
def tiny_smoke():
    """The same commands at a scale of seconds."""
    before = SCALES["smoke"]
    SCALES["smoke"] = TINY
    yield
    SCALES["smoke"] = before


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Everything, once."""
    path = tmp_path_factory.mktemp("cli") / "out"
    words = ["reproduce", "--scale", "smoke", "--jobs", "1", "--out", str(path)]
    assert main(words) == 0
    return path


def lines(folder):
    return {path.name: path.read_text() for path in folder.glob("*.jsonl")}


def test_every_figure_is_made(folder):
    for entry in ENTRIES:
        assert (folder / "figures" / f"{entry.name}.png").stat().st_size > 5000, entry.name
    page = (folder / "report.html").read_text()
    assert page.count("<img ") == len(ENTRIES)
    assert "results are missing" not in page


def test_a_second_run_computes_nothing(folder):
    before, events = lines(folder), []
    run = (folder / "100_visual" / "run.json").stat().st_mtime_ns
    assert reproduce("smoke", folder, jobs=1, display=lambda stage: nullcontext(events.append)) == 0
    assert lines(folder) == before
    assert (folder / "100_visual" / "run.json").stat().st_mtime_ns == run
    started = [event for event in events if event["event"] == "started"]
    assert sum(event["cells"] for event in started) > 0
    assert not any(event["missing"] for event in started)


def test_the_fit_spares_table_1_its_cells(folder):
    """The fit has the paper's own pair on some cells: these are copied, not computed again."""
    fit = {record["key"]: record for record in read_results(folder / "fit.jsonl")}
    table = {record["key"]: record for record in read_results(folder / "table1.jsonl")}
    shared = fit.keys() & table.keys()
    assert len(shared) == len(TINY.fit_points)
    assert all(fit[key] == table[key] for key in shared)


def test_in_turn_the_final_networks_are_those_of_table_1(folder):
    """Looking at a network after each task must not change it."""
    table = {r["results"]["weights_sha256"] for r in read_results(folder / "table1.jsonl")}
    final = [
        record["results"]["weights_sha256"]
        for record in read_results(folder / "final.jsonl")
        if record["config"]["order"] == "sequential"
    ]
    assert len(final) == sum(TINY.seeds)
    assert set(final) <= table


def test_the_command_of_a_cell_makes_the_cell(folder, tmp_path):
    out = tmp_path / "cell.jsonl"
    cell = table_cell(TINY, TINY.points[-1])
    assert main([*shlex.split(cell_command(cell, str(out)))[1:], "--jobs", "1"]) == 0
    (mine,) = read_results(out)
    found = {record["key"]: record for record in read_results(folder / "table1.jsonl")}
    assert found[mine["key"]]["results"] == mine["results"]


def test_report_only_shows_what_is_there(folder, tmp_path, capsys):
    for name in ("table1.jsonl", "kmeans.jsonl"):
        (tmp_path / name).write_text((folder / name).read_text())
    assert main(["reproduce", "--scale", "smoke", "--report-only", "--out", str(tmp_path)]) == 0
    assert f"Report: {tmp_path / 'report.html'}" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text()
    assert "Not complete yet" in page
    assert page.count("<img ") == 2
    assert not (tmp_path / "final.jsonl").exists()


def test_only_some_stages(tmp_path):
    words = ["reproduce", "--scale", "smoke", "--only", "kmeans", "--out", str(tmp_path)]
    assert main(words) == 0
    assert lines(tmp_path).keys() == {"kmeans.jsonl"}
    n = len(read_results(tmp_path / "kmeans.jsonl"))
    assert n == sum(TINY.trials)


def test_another_threshold_makes_the_small_run_anew(folder):
    """The run directory is replaced when its settings are no longer those of the scale."""
    assert reproduce(replace(TINY, visual_threshold=15.5), folder, only=["visual"]) == 0
    record = json.loads((folder / "100_visual" / "run.json").read_text())
    assert record["config"]["parameters"]["threshold"] == 15.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scale", "huge"], "scale='huge' is unknown: expected one of paper, smoke."),
        (["--only", "table2"], "'table2' is no stage. There are: fit, table1"),
        (["--report-only", "--only", "fit"], "--only is about computing"),
        (["--report-only", "--out", "/no/such/folder"], "/no/such/folder does not exist"),
        (["--scale", "smoke", "--only", "final"], "Run the stage table1 first."),
        (["--scale", "smoke", "--only", "fit", "--jobs", "0"], "jobs=0"),
    ],
)
def test_mistakes_are_one_line(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_help_names_every_stage(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert list(command.STAGES) == list(STAGES)
    assert main(["reproduce", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in STAGES)
