"""The threshold study on a small data set: it runs once, goes on, and sums up."""

import json

import pytest
from lethenet_reproduction.figures import theory as theory_figures
from lethenet_reproduction.studies import threshold
from lethenet_reproduction.studies.threshold import Case, Suggestion


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "threshold"
    monkeypatch.setattr(threshold, "FOLDER", folder)
    monkeypatch.setattr(threshold, "CASES", (Case("digits", 20, (14.5, 16.5), seeds=2),))
    monkeypatch.setattr(threshold, "COST_SIZES", ())
    return folder


def test_sweep_goes_on_and_sums_up(folder, capsys):
    assert threshold.main(jobs=1) == 0
    results = folder / "results.jsonl"
    lines = results.read_text().splitlines()
    assert len(lines) == 2 * 2 * 3, "two presets, two seeds, two thresholds and the suggested one"
    rows = json.loads((folder / "summary.json").read_text())
    assert [row["preset"] for row in rows] == ["paper", "annealed"]
    records = [json.loads(line) for line in lines]
    for row in rows:
        assert row["missing"] == 0
        assert row["best"] == max(row["sweep"], key=lambda point: point["train"])
        assert row["best"]["threshold"] in row["as_good"]
        at = row["at_suggested"]
        mine = [
            100 * r["results"]["train_accuracy"]
            for r in records
            if r["preset"] == row["preset"]
            and r["config"]["parameters"]["threshold"] == row["suggested"]
        ]
        assert at["train"] == pytest.approx(sum(mine) / 2, abs=1e-3)
        assert sorted(at["runs"]) == pytest.approx(sorted(mine), abs=1e-3)
    page = (folder / "README.md").read_text()
    assert "| digits | 20 | paper | 2 |" in page
    assert "missing" not in page

    capsys.readouterr()
    results.write_text("\n".join(lines[:-1]) + "\n")
    assert threshold.main(jobs=1) == 0
    assert capsys.readouterr().err.count(" done, ") == 1, "only what was missing"
    assert json.loads((folder / "summary.json").read_text()) == rows

    assert theory_figures.main(folder.parent) == 0
    assert (folder / "threshold.svg").exists()


def test_what_is_missing_is_said(folder):
    case = Case("digits", 20, (14.0, 15.0), seeds=3)
    text = threshold.write([], {case: Suggestion(14.5, 0.0)}, {400: Suggestion(13.0, 5.2)})
    assert "**Not finished: 18 runs are missing.**" in text, "2 presets, 3 thresholds, 3 seeds"
    assert "| digits | 20 | paper | 0 | – | – | 14.5 | – | – | – | – |" in text
    assert "| 400 | 13 | 5 |" in text


def test_chance_is_shown_where_a_run_is_all_but_repeated():
    row = {
        "dataset": "digits",
        "neurons": 20,
        "preset": "paper",
        "seeds": 1,
        "suggested": 14.99,
        "at_suggested": {"train": 91.5},
        "sweep": [{"threshold": 15.0, "train": 90.0}, {"threshold": 15.5, "train": 92.0}],
    }
    assert "digits, 20, paper: 90.00 at 15 and 91.50 at 14.99." in threshold.chance([row])
    assert threshold.chance([{**row, "seeds": 2}]) == "", "seeds say it better"
    assert threshold.chance([{**row, "suggested": 15.2}]) == ""


def test_every_case_looks_at_both_presets_and_the_suggestion():
    suggestions = {case: Suggestion(1.0 + n, 0.0) for n, case in enumerate(threshold.CASES)}
    cells = threshold.cells(suggestions, range(9))
    for case, suggestion in suggestions.items():
        mine = [
            cell
            for cell in cells
            if (cell.config.dataset, cell.config.neurons) == (case.dataset, case.neurons)
        ]
        assert len(mine) == len(set(mine)) == 2 * case.seeds * (len(case.thresholds) + 1)
        tried = {cell.config.parameters.threshold for cell in mine}
        assert tried == {*case.thresholds, suggestion.threshold}
        assert {cell.config.preset for cell in mine} == {"paper", "annealed"}
    # labels from all training samples, after the last task, nothing held out
    assert {(cell.evaluate, cell.label_per_class, cell.validation) for cell in cells} == {
        ("end", None, 0)
    }
