"""Tables from results files: the right line for each cell, and what follows from the numbers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from lethenet_reproduction.paper import SCALES, agreement, final, fit, table1
from lethenet_reproduction.paper.cells import final_cell, fit_cell, fit_cells, pairs, table_cell
from lethenet_reproduction.paper.result_index import ResultIndex, carry_over
from lethenet_reproduction.paper.scales import Point

SCALE = replace(
    SCALES["paper"], sizes=(400, 900), thresholds=(13.5, 13.75), epochs=(1, 5), seeds=(2, 1)
)


def line(cell, number, **results):
    config = cell.to_json()
    del config["preset"]
    config["classes"] = list(range(10))
    cost = {"learning_seconds": 2.0, "evaluation_seconds": 1.0}
    return {"key": str(number), "config": config, "results": results, "cost": cost}


def write(path, lines):
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))


def table_of(tmp_path, accuracies):
    """A table from training accuracies by (point, seed)."""
    lines = []
    for n, ((point, seed), accuracy) in enumerate(accuracies.items()):
        results = {"train_accuracy": accuracy, "test_accuracy": accuracy - 0.01}
        results |= {"dopaminergic_spikes_per_sample": 0.3, "unused_neurons": point.neurons // 4}
        lines.append(line(table_cell(SCALE, point, seed), n, **results))
    write(tmp_path / table1.FILE, lines)
    return table1.read_table(SCALE, tmp_path)


def test_a_cell_is_found_by_its_settings_alone(tmp_path):
    point, path = SCALE.points[0], tmp_path / "results.jsonl"
    cells = [
        table_cell(SCALE, point, seed=1),
        fit_cell(SCALE, point, "usage", 0.1),
        final_cell(SCALE, point, "sequential"),
        final_cell(SCALE, point, "interleaved"),
    ]
    write(path, [line(cell, n, x=n) for n, cell in enumerate(cells)])
    index = ResultIndex(path)
    assert [record["results"]["x"] for record in index.find(cells)] == [0, 1, 2, 3]
    assert index.get(table_cell(SCALE, point, seed=0)) is None
    assert index.get(table_cell(SCALE, SCALE.points[1], seed=1)) is None


def test_a_constant_that_came_later_counts_as_what_changes_nothing(tmp_path):
    cell, path = table_cell(SCALE, SCALE.points[0]), tmp_path / "results.jsonl"
    old = line(cell, 0, x=1)
    del old["config"]["parameters"]["habituation"]
    write(path, [old])
    assert ResultIndex(path).get(cell)["results"] == {"x": 1}
    other = replace(
        cell,
        config=replace(cell.config, parameters=replace(cell.config.parameters, habituation=0.1)),
    )
    assert ResultIndex(path).get(other) is None


def test_of_two_networks_with_the_same_settings_the_later_counts(tmp_path):
    cell, path = table_cell(SCALE, SCALE.points[0]), tmp_path / "results.jsonl"
    write(path, [line(cell, 0, x="before"), line(cell, 1, x="after")])
    assert ResultIndex(path).get(cell)["results"] == {"x": "after"}


def test_without_a_file_everything_is_missing(tmp_path):
    table = table1.read_table(SCALE, tmp_path)
    assert len(table.missing) == len(SCALE.points)
    assert table1.chosen(table) == {}
    assert agreement.closeness(table.results) is None
    assert agreement.trends(table) == {}
    assert fit.winner(fit.read_fit(SCALE, tmp_path)) is None
    assert final.mean_penalty(final.read_final(SCALE, tmp_path, table)) is None


def test_seeds_are_averaged_and_compared_with_the_papers_cell(tmp_path):
    point = Point(400, 13.5, 1)
    table = table_of(tmp_path, {(point, 0): 0.88, (point, 1): 0.90})
    result = table[point]
    assert result.ours == pytest.approx(89.0)
    assert result.difference == pytest.approx(89.0 - 87.53)
    assert result.deviation == pytest.approx(2**0.5)
    assert result.test == pytest.approx((87.0, 89.0))


def test_the_best_cell_is_chosen_by_training_accuracy_once_all_are_there(tmp_path):
    accuracies = {
        (point, seed): 0.9 - 0.01 * n
        for n, point in enumerate(SCALE.points)
        for seed in (0, 1)
        if point.neurons == 400
    }
    better = Point(400, 13.75, 1)
    accuracies[better, 0] = 0.95
    table = table_of(tmp_path, accuracies)
    assert table1.chosen(table) == {400: better}  # 900 has no cells
    assert table.paper_best(900) == Point(900, 13.5, 5)
    accuracies.pop((Point(400, 13.5, 5), 1))  # its mean over all seeds may be another
    table = table_of(tmp_path, accuracies)
    assert table.best(400) == better
    assert table1.chosen(table) == {}


def test_closeness_counts_cells(tmp_path):
    off = {Point(400, 13.5, 1): 0.3, Point(400, 13.5, 5): -0.8, Point(400, 13.75, 1): 1.5,
           Point(900, 13.5, 1): -4.0}  # fmt: skip
    table = table_of(
        tmp_path, {(point, 0): (SCALE.published(point) + d) / 100 for point, d in off.items()}
    )
    found = agreement.closeness(table.results)
    counts = (found.cells, found.within_half, found.within_one, found.within_two, found.above)
    assert counts == (4, 1, 2, 3, 2)
    assert found.mean == pytest.approx(-0.75)
    assert (found.overwritten, found.unused) == (pytest.approx(0.3), pytest.approx(0.25))


def test_trends_compare_directions_of_the_lines_that_are_there(tmp_path):
    """In the paper more epochs hurt 400 neurons at both thresholds and help 900 at both."""
    accuracies = {
        (Point(400, 13.5, 1), 0): 0.80,
        (Point(400, 13.5, 5), 0): 0.85,  # up, the paper's goes down
        (Point(900, 13.5, 1), 0): 0.80,
        (Point(900, 13.5, 5), 0): 0.90,  # up, as in the paper
        (Point(900, 13.75, 1), 0): 0.80,  # no 5 epochs: no line
    }
    trends = agreement.trends(table_of(tmp_path, accuracies))
    trend = trends["1 to 5 epochs"]
    assert (trend.lines, trend.ours_up, trend.paper_up, trend.same) == (2, 2, 1, 1)
    assert trend.ours_mean == pytest.approx(7.5)
    assert trend.paper_mean == pytest.approx(((83.74 - 87.53) + (90.97 - 89.74)) / 2)
    alone = trends["1 to 5 epochs, 900 neurons"]
    assert (alone.lines, alone.same) == (1, 1)
    strict = trends.get("1 to 5 epochs, from 900 neurons on, threshold 13.75")
    assert strict is None


def test_the_pair_with_the_smallest_sum_of_squares_wins_if_it_is_complete(tmp_path):
    scale = replace(SCALE, fit_sizes=(400,), fit_epochs=(1, 5))
    off = {("usage", 0.1): 0.01, ("leftover", 0.3): 0.005, ("usage", 0.5): 0.001}
    lines = []
    for n, cell in enumerate(fit_cells(scale)):
        pair = (cell.config.parameters.push, cell.config.parameters.forced_depression)
        point = Point(400, cell.config.parameters.threshold, cell.config.epochs)
        if pair == ("usage", 0.5) and point == scale.fit_points[-1]:
            continue  # the closest by far, but a cell is missing
        accuracy = scale.published(point) / 100 + off.get(pair, 0.03)
        lines.append(line(cell, n, train_accuracy=accuracy))
    write(tmp_path / fit.FILE, lines)
    found = fit.read_fit(scale, tmp_path)
    best = fit.winner(found)
    assert (best.push, best.forced_depression) == ("leftover", 0.3)
    assert best.squares == pytest.approx(4 * 0.5**2)
    assert best.typical == pytest.approx(0.5)
    assert [pair.complete for pair in found].count(False) == 1
    assert sum(pair.is_the_presets for pair in found) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_measures_no_more_than_it_needs_to_be_certain(tmp_path, seed):
    scale, rng = replace(SCALES["paper"], thresholds=(13.5, 13.75)), np.random.default_rng(seed)
    levels = dict(zip(pairs(), rng.permutation(np.linspace(0.2, 4, len(pairs()))), strict=True))
    off = {
        (pair, point): level + rng.uniform(-0.5, 0.5)
        for pair, level in levels.items()
        for point in scale.fit_points
    }
    measured, lines = set(), []
    while cells := fit.next_cells(scale, fit.read_fit(scale, tmp_path)):
        for cell in cells:
            p = cell.config.parameters
            point = Point(cell.config.neurons, p.threshold, cell.config.epochs)
            at = ((p.push, p.forced_depression), point)
            assert at not in measured
            measured.add(at)
            accuracy = (scale.published(point) + off[at]) / 100
            lines.append(line(cell, len(lines), train_accuracy=accuracy))
        if len(lines) == len(cells):  # everybody on the cheapest cells
            assert {(point.neurons, point.epochs) for _, point in measured} == {(400, 1), (900, 1)}
            assert len(cells) == len(levels) * 2 * 2
        write(tmp_path / fit.FILE, lines)
    found = fit.read_fit(scale, tmp_path)
    sums = {pair: sum(off[pair, point] ** 2 for point in scale.fit_points) for pair in levels}
    best = fit.winner(found)
    assert (best.push, best.forced_depression) == min(sums, key=sums.get)
    assert fit.undecided(found) == []
    assert len(measured) < len(off) / 2


def test_the_fit_measures_again_what_another_network_did(tmp_path):
    tiny = replace(SCALES["smoke"], thresholds=(15.0,), fit_sizes=(20,), fit_epochs=(1,))
    cells = fit_cells(tiny)
    lines = [line(cell, 0, train_accuracy=0.5) | {"key": cell.key} for cell in cells]
    lines[0]["key"] = "another"
    write(tmp_path / fit.FILE, lines)
    found = fit.read_fit(tiny, tmp_path, only_todays=True)
    assert [pair.complete for pair in found] == [False] + [True] * (len(cells) - 1)
    assert all(pair.complete for pair in fit.read_fit(tiny, tmp_path))
    # the other network's result comes after today's: nothing is missing
    write(tmp_path / fit.FILE, [lines[0] | {"key": cells[0].key}, *lines])
    assert all(pair.complete for pair in fit.read_fit(tiny, tmp_path, only_todays=True))


def look(digits, level, falses):
    return {
        "test_accuracy": level,
        "class_accuracy": {str(d): level for d in range(digits)},
        "false_positives": {str(d): falses for d in range(digits)},
    }


def test_final_results_are_means_over_seeds(tmp_path):
    point = Point(900, 13.5, 1)
    table = table_of(tmp_path, {(point, 0): 0.9})
    assert table.best(900) == point
    in_turn = final_cell(SCALE, point, "sequential")
    mixed = final_cell(SCALE, point, "interleaved")
    classes = {str(d): 0.9 for d in range(10)}
    looks = [look(d, 1 - 0.01 * d, d) for d in range(1, 11)]
    write(
        tmp_path / final.FILE,
        [
            line(in_turn, 0, test_accuracy=0.9, class_accuracy=classes, evaluations=looks),
            line(mixed, 1, test_accuracy=0.92, class_accuracy=classes),
        ],
    )
    (size,) = final.read_final(SCALE, tmp_path, table)
    assert size.penalty == pytest.approx(2.0)
    assert final.mean_penalty([size]) == pytest.approx(2.0)
    assert size.accuracy_over_tasks()[0] == pytest.approx(99.0)
    assert len(size.accuracy_over_tasks()) == 10
    falses = size.per_class("false_positives")
    assert falses["3"] == [None, None, None, 4, 5, 6, 7, 8, 9, 10]
    assert size.at_the_end("interleaved")["7"] == pytest.approx(90.0)


def test_carrying_over_takes_what_is_wanted_once(tmp_path):
    tiny = replace(SCALES["smoke"], sizes=(8,), thresholds=(15.0,), epochs=(1,), seeds=(1,))
    (point,) = tiny.points
    cells = [table_cell(tiny, point), table_cell(tiny, point, seed=1)]
    source, target = tmp_path / "source.jsonl", tmp_path / "target.jsonl"
    lines = [line(cell, 0, x=1) | {"key": cell.key} for cell in cells]
    write(source, lines)
    assert carry_over(cells[:1], source, target) == 1
    assert carry_over(cells, source, target) == 1
    assert carry_over(cells, source, target) == 0
    assert [json.loads(text) for text in target.read_text().splitlines()] == lines
    assert carry_over(cells, tmp_path / "none.jsonl", target) == 0
