"""The comparison's figure, from a results file alone."""

import numpy as np
import pytest
from lethenet_reproduction.cli.study import study
from lethenet_reproduction.figures.comparison import comparison_figure, read_runs
from lethenet_reproduction.studies.remembering import remembered


def line(title, order, seed, test, over_tasks, neurons=400):
    return {
        "method": title.lower(),
        "title": title,
        "neurons": neurons,
        "seed": seed,
        "order": order,
        "test": test,
        "accuracy_over_tasks": over_tasks,
    }


LINES = [
    line("Forgetful", "in turn", 0, 40.0, [100.0, 70.0, 40.0]),
    line("Forgetful", "in turn", 1, 50.0, [100.0, 80.0, 50.0]),
    line("Forgetful", "interleaved", 0, 90.0, [90.0]),
    line("Offline", "interleaved", 0, 95.0, [95.0]),
]


def test_lines_are_means_and_levels_stand_beside_them():
    (ax,) = comparison_figure(LINES).axes
    forgetful, *levels = ax.get_lines()
    np.testing.assert_allclose(forgetful.get_ydata(), [100.0, 75.0, 45.0])
    beside = [line for line in levels if line.get_markerfacecolor() == "white"]
    assert [line.get_ydata()[0] for line in beside] == [90.0, 95.0]
    assert all(line.get_xdata()[0] > 3 for line in beside), "right of the last task"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Forgetful", "Offline"]


def test_the_latest_of_equal_runs_counts(tmp_path):
    again = {**LINES[0], "test": 41.0}
    path = tmp_path / "results.jsonl"
    for number, one in enumerate(
        [*LINES, again]
    ):  # the last as of a network that behaves differently
        remembered(path, {"number": number}, lambda one=one: one)
    assert [run["test"] for run in read_runs(path)] == [41.0, 50.0, 90.0, 95.0]
    study("comparison", tmp_path, figure_only=True)
    assert (tmp_path / "comparison.png").stat().st_size > 10_000
    assert (tmp_path / "comparison.svg").exists()


def test_it_says_what_to_run_first(tmp_path):
    with pytest.raises(ValueError, match=r"run `lethenet study comparison` first"):
        read_runs(tmp_path / "results.jsonl")
    with pytest.raises(ValueError, match="no runs of the sizes"):
        comparison_figure(LINES, sizes=[1600])
