"""The threshold study on a small data set: it runs once, goes on, and sums up."""

import json

import pytest
from lethenet_reproduction.figures import draw
from lethenet_reproduction.studies import (
    threshold,
    threshold_auto,
    threshold_few,
    threshold_held_out,
    threshold_sets,
)
from lethenet_reproduction.studies.remembering import flat_records
from lethenet_reproduction.studies.threshold import Case, Suggestion

from lethenet.data import load


def few_digits():
    return load("digits").limited(40, 10)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "threshold"
    monkeypatch.setattr(threshold, "CASES", (Case("digits", 20, (14.5, 16.5), seeds=2),))
    monkeypatch.setattr(threshold, "COST_SIZES", ())
    small = {"NEURONS": 20, "SEEDS": 1, "REACH": 1, "FURTHER": {}, "MADE_WITH": {"few": few_digits}}
    for name, value in small.items():
        monkeypatch.setattr(threshold_auto, name, value)
    monkeypatch.setattr(threshold_sets, "MADE_WITH", {"few": few_digits})
    monkeypatch.setattr(threshold_sets, "LONG_TEXTS", {})
    for name, value in (("SIZES", {20: 1}), ("SHARES", (0.9, 0.95)), ("PARTS", (0.9, 0.97))):
        monkeypatch.setattr(threshold_held_out, name, value)
    for name, value in (("FEW", {20: (120,)}), ("SEEDS", 1), ("SHARES", (0.8, 0.9, 0.95))):
        monkeypatch.setattr(threshold_few, name, value)
    return folder


def test_sweep_goes_on_and_sums_up(folder, capsys):
    threshold.run(folder, jobs=1)
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
    assert "Over 1 sets with 20 neurons" in page
    assert "| **4** | **0.6** |" in page
    auto = threshold_auto.suggest(few_digits()).threshold
    assert f"| few | 1 | {auto:g} |" in page
    swept = {r["threshold"] for r in flat_records(folder / threshold_auto.FILE)}
    assert auto in swept
    assert len(swept) >= 4, "and a step on each side"

    capsys.readouterr()
    results.write_text("\n".join(lines[:-1]) + "\n")
    threshold.run(folder, jobs=1)
    assert capsys.readouterr().err.count(" done, ") == 1, "only what was missing"
    assert json.loads((folder / "summary.json").read_text()) == rows

    draw("threshold", folder)
    assert (folder / "threshold.svg").exists()


def test_what_constants_lose_is_read_from_a_sweep():
    def swept(*places):
        return threshold_held_out.Swept({0.5: 16.0, 0.9: 15.0}, [14.0, 15.0, 16.0], [*places])

    rising = swept(90.0, 92.0, 94.0)
    assert rising.loss(0.9, 0.9) == 2.0, "the threshold for the share"
    assert rising.loss(0.9, 0.97) == pytest.approx(94 - 93.04), "part of the one for half: 15.52"
    both = {"a": rising, "b": swept(94.0, 94.0, 94.0)}
    assert threshold_held_out.losses(both, 0.9, 0.9) == (1.0, 2.0)
    assert threshold_few.threshold(rising, 400, 10**6, 4, 0.5, 0.9) == 15.0, "as of many"
    texts = rising._replace(for_shares={0.5: 16.0, 0.9: 10.0})
    assert threshold_few.threshold(texts, 400, 10**6, 4, 0.5, 0.5) == 0.93 * 16, "no less"
    assert threshold_few.threshold(texts, 400, 10**6, 4, 0.5, 0.9) == 10.0, "many are lost there"
    assert threshold_few.threshold(rising, 400, 500, 4, 0.5, 0.9) == 16.0, "half of few"


def test_what_is_missing_is_said(folder):
    case = Case("digits", 20, (14.0, 15.0), seeds=3)
    text = threshold.write(folder, [], {case: Suggestion(14.5, 0.0)}, {400: Suggestion(13.0, 5.2)})
    assert "**Not finished: 18 runs are missing.**" in text, "2 presets, 3 thresholds, 3 seeds"
    assert "| digits | 20 | paper | 0 | – | – | 14.5 | – | – | – | – |" in text
    assert "| 400 | 13 | 5 |" in text


def test_what_somebody_wrote_stands_below_the_table(folder):
    folder.mkdir()
    (folder / "DISCUSSION.md").write_text("# Title\n\nWritten by hand on a day.\n")
    text = threshold.write(folder, [], {}, {})
    assert text.index("| suggested |") < text.index("Written by hand") < text.index("![Accuracy")
    assert "# Title" not in text


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
