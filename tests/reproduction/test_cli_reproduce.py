"""``lethenet reproduce`` on very small layers: every stage and figure, resumed, partial, wrong."""

import csv
import json
import shlex
import sys
from contextlib import nullcontext
from dataclasses import replace
from statistics import mean

import pytest
from lethenet_reproduction.cli import reproduce as command
from lethenet_reproduction.paper import SCALES, STAGES, reproduce
from lethenet_reproduction.paper.stages import Resources
from lethenet_reproduction.paper_report.gallery import FIGURES

from lethenet.cli import main
from lethenet.sweeps import read_results

TINY = replace(
    SCALES["smoke"],
    sizes=(8, 12),
    thresholds=(15.0, 15.5),
    epochs=(1, 2),
    seeds=(2, 1),
    fit_sizes=(8,),
    fit_epochs=(1,),
    precision_sizes=(8,),
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
    for entry in FIGURES:
        assert (folder / "figures" / f"{entry.name}.png").stat().st_size > 5000, entry.name
    page = (folder / "report.html").read_text()
    assert page.count("<img ") == len(FIGURES)
    assert "results are missing" not in page


def test_a_second_run_computes_nothing(folder):
    before, events = lines(folder), []
    run = (folder / "100_visual" / "run.json").stat().st_mtime_ns
    assert reproduce("smoke", folder, jobs=1, display=lambda stage: nullcontext(events.append)) == 0
    assert lines(folder) == before
    assert (folder / "100_visual" / "run.json").stat().st_mtime_ns == run
    started = [event for event in events if event["event"] == "started"]
    assert sum(event["experiments"] for event in started) > 0
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


@pytest.mark.parametrize("place", [0, -1], ids=["several seeds", "one seed"])
def test_the_command_of_a_number_makes_the_number(folder, tmp_path, monkeypatch, place):
    with (folder / "tables" / "table1.csv").open() as file:
        row = list(csv.DictReader(file))[place]
    monkeypatch.chdir(tmp_path)
    assert main([*shlex.split(row["command"])[1:], "--jobs", "1"]) == 0
    mine = read_results("cell.jsonl")
    assert len(mine) == int(row["seeds"]) == TINY.seeds[place]
    accuracy = mean(100 * record["results"]["train_accuracy"] for record in mine)
    assert float(row["train_accuracy"]) == round(accuracy, 6)
    found = {record["key"]: record for record in read_results(folder / "table1.jsonl")}
    assert all(found[record["key"]]["results"] == record["results"] for record in mine)


def test_table_1_is_filled_column_by_column(folder):
    """Those that the fit has come first; then few epochs before many, further seeds last."""
    records = read_results(folder / "table1.jsonl")[len(TINY.fit_points) :]
    order = [
        (r["config"]["seed"] > 0, r["config"]["epochs"] * (r["config"]["seed"] == 0))
        for r in records
    ]
    assert order == sorted(order)
    assert len(records) == 2 * 2 * (2 + 1) - len(TINY.fit_points)


def test_a_table_that_lacks_cells_everywhere_does_not_stop_the_other_stages(folder, tmp_path):
    """Cells can fail; what can be made is made."""
    for name in ("fit.jsonl", "table1.jsonl"):
        (tmp_path / name).write_text((folder / name).read_text())
    path = tmp_path / "table1.jsonl"
    kept = [line for line in path.read_text().splitlines(True) if '"epochs": 2' not in line]
    path.write_text("".join(kept))
    with pytest.raises(ValueError, match="Run the stage table1 first"):
        reproduce(TINY, tmp_path, only=["final"])
    with pytest.warns(UserWarning, match="Table 1 lacks cells of 8, 12 neurons"):
        assert STAGES["final"](TINY, tmp_path, Resources(jobs=1)) == 0


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
        (["--only", "oja"], "results/paper is the folder of these results in a checkout"),
        (["--report-only"], "name a folder with --out"),
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


def test_without_matplotlib_it_says_so_before_it_computes(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ["reproduce", "--scale", "smoke", "--only", "oja", "--out", str(tmp_path / "none")]
    assert main(words) == 2
    assert "matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_k_means_shows_each_trial(tmp_path, capsys):
    words = ["reproduce", "--scale", "smoke", "--only", "kmeans", "--out", str(tmp_path)]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "1/3 k-means with 8 prototypes, trial 1" in shown.out
    assert (
        "2/3 k-means with 12 prototypes, trial 1" in shown.out
    )  # every size before the next trial
    assert "learner" not in shown.err
