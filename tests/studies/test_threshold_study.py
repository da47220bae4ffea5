"""The threshold study on a small data set: it runs once, goes on, and sums up."""

import json

from lethenet.report import theory_figures
from lethenet.studies import threshold_study

CASES = (threshold_study.Case("digits", 30, (14.5, 16.5)),)


def test_sweep_goes_on_and_sums_up(tmp_path, monkeypatch):
    folder = tmp_path / "threshold"
    monkeypatch.setattr(threshold_study, "FOLDER", folder)
    monkeypatch.setattr(threshold_study, "CASES", CASES)
    assert threshold_study.main() == 0
    log = folder / "sweep.jsonl"
    lines = log.read_text().splitlines()
    assert len(lines) == 1 + 2 * 3, (
        "the suggestion; two thresholds and the suggested one per preset"
    )
    table = json.loads((folder / "summary.json").read_text())
    assert [row["preset"] for row in table] == ["paper", "annealed"]
    for row in table:
        best = max(row["sweep"], key=lambda point: point["train"])
        assert row["best"] == best["threshold"]
        assert row["best_accuracies"]["test"] == best["test"]
    assert "| digits | 30 | paper |" in (folder / "README.md").read_text()

    log.write_text("\n".join(lines[:-1]) + "\n")
    assert threshold_study.main() == 0
    again = [json.loads(line) for line in log.read_text().splitlines()]
    del again[-1]["learning_seconds"]
    lost = {
        name: value for name, value in json.loads(lines[-1]).items() if name != "learning_seconds"
    }
    assert again[-1] == lost, "only what was missing, to the same bits"
    assert len(again) == len(lines)

    assert theory_figures.main(tmp_path) == 0
    assert (folder / "threshold.svg").exists()
