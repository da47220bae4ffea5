"""The paper's numbers in the report of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from lethenet_reproduction.paper_report.run_section import beside_the_paper

from lethenet.report import read_results

Maker = Callable[..., Path]


def test_the_paper_beside_us(run_maker: Maker) -> None:
    folder = run_maker(twin=True, neurons=400)
    text = beside_the_paper(read_results(folder)) or ""
    assert "87.53\u00a0%" in text
    assert "1.17\u00a0points" in text
    assert "95.36\u00a0%" in text
    ours = json.loads((folder / "run.json").read_text("utf-8"))["summary"]["train_accuracy"]
    difference = round(100 * (ours - 0.8753), 2)
    assert f"{abs(difference):.2f}\u00a0points" in text


def test_the_best_network_of_the_paper(run_maker: Maker) -> None:
    folder = run_maker(neurons=6400, epochs=20, threshold=14.25, keep_weights="last")
    text = beside_the_paper(read_results(folder)) or ""
    assert "95.79\u00a0%" in text
    assert "Test accuracy, 6400 neurons" in text


@pytest.mark.parametrize(
    ("options", "present", "absent"),
    [
        ({"dataset": "digits"}, "", "paper"),
        ({"classes": [0, 1, 2]}, "", "paper"),
        ({"neurons": 60}, "Table 1 has no cell for this size", "87.53"),
        ({"order": "interleaved"}, "prints no number for interleaved", "87.53"),
        ({"status": "interrupted", "tasks_done": 3}, "when the run has finished", "87.53"),
        ({"neurons": 400, "readout": "histogram"}, "the paper counts hard votes", "–\u00a0%"),
    ],
)
def test_where_the_paper_has_nothing(
    run_maker: Maker, options: dict[str, Any], present: str, absent: str
) -> None:
    text = beside_the_paper(read_results(run_maker(**options))) or ""
    assert present in text
    assert absent not in text
