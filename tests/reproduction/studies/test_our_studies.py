"""The studies on the built-in digits: what they measure must be right, not high."""

from dataclasses import replace

import numpy as np
import pytest
from lethenet_reproduction.studies import (
    ablations,
    annealed,
    changing_world,
    online_readout,
    readouts,
)
from lethenet_reproduction.studies.remembering import remembered
from lethenet_reproduction.studies.tables import markdown, mean_sd

from lethenet.data import load
from lethenet.model import ABLATIONS, PAPER, annealed_threshold, preset_parameters


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(60, 20)


def test_a_result_is_computed_once_for_each_configuration(tmp_path):
    path, calls = tmp_path / "results.jsonl", []

    def compute():
        calls.append(1)
        return {"value": len(calls)}

    first = remembered(path, {"a": 1}, compute)
    assert remembered(path, {"a": 1}, compute) == first
    assert remembered(path, {"a": 2}, compute)["results"] == {"value": 2}
    assert len(calls) == 2


def test_results_of_a_network_that_behaves_otherwise_do_not_count(tmp_path):
    path = tmp_path / "results.jsonl"
    paper = remembered(path, {"a": 1}, lambda: {"x": 1}, parameters=PAPER)
    static = replace(PAPER, stdp="static")
    other = remembered(path, {"a": 1}, lambda: {"x": 2}, parameters=static)
    assert (paper["results"], other["results"]) == ({"x": 1}, {"x": 2})


def test_every_ablation_is_in_the_study_with_five_seeds():
    cells = ablations.cells()
    for preset in ("paper", *ABLATIONS):
        mine = [cell for cell in cells if cell.config.preset == preset]
        assert sorted(cell.config.seed for cell in mine) == [0, 1, 2, 3, 4]
    assert len({cell.config.parameters for cell in cells}) == 1 + len(ABLATIONS)


def test_constants_are_chosen_on_training_samples_alone():
    for cell in [*annealed.constants_cells(), *annealed.threshold_cells()]:
        assert cell.validation == annealed.VALIDATION
    for cell in [*annealed.size_cells(), *annealed.order_cells()]:
        assert cell.validation == 0


def test_one_rule_for_all_sizes():
    """Only the threshold may depend on the number of neurons."""
    rules = {
        replace(cell.config.parameters, threshold=1.0)
        for cell in annealed.size_cells()
        if cell.config.preset == "annealed"
    }
    assert len(rules) == 1
    thresholds = [annealed_threshold(n) for n in (100, *annealed.SIZES, 25_600)]
    assert thresholds == sorted(thresholds)
    assert all(t < PAPER.tau_mem for t in thresholds)


def test_orders_are_permutations_that_differ():
    assert len(set(annealed.ORDERS)) == 4
    assert all(sorted(order) == list(range(10)) for order in annealed.ORDERS)


def test_labels_that_come_by(digits):
    found = online_readout.compare(digits, "paper", 80, seed=0)
    chance = 0.1
    for name in online_readout.LABELS:
        for way in ("online", "assigned"):
            assert found[f"{way}, {name}, histogram"] > 3 * chance
    assert found["online, 10 per class, labelled neurons"] < found["online, all, labelled neurons"]


def test_which_samples_bring_their_label():
    y = np.array([1, 1, 0, 1, 0])
    assert online_readout.labelled(y, 1).tolist() == [False, True, False, False, True]
    assert online_readout.labelled(y, None).all()


def test_more_output_spikes_cost_more(digits):
    found = readouts.compare(digits, "paper", 80, seed=0)
    costs = [found[f"{n} spikes, histogram"]["operations"] for n in readouts.OUTPUT_SPIKES]
    assert costs == sorted(costs)
    assert costs[0] > 0
    few = found["1 spikes, dominant"]
    assert 0 < few["accuracy"] < 1
    active = (digits.X_test > 0).sum(axis=1).mean()
    assert found[readouts.EXPECTED]["operations"] == pytest.approx(80 * active)


@pytest.mark.parametrize("world", changing_world.WORLDS)
def test_a_life_in_each_world(world, digits):
    parameters = replace(preset_parameters("annealed", 60), threshold=15.0)
    life = changing_world.live(world, digits, parameters, neurons=60, seed=0)
    n = len(life["phases"])
    assert len(life["accuracies"]) == len(life["weighted"]) == n
    assert life["accuracies"][0] > 0.3
    assert life["mean_accuracy"] == pytest.approx(np.mean(life["accuracies"]))


def test_tables():
    assert mean_sd([1.0, 2.0, 3.0], 1) == "2.0 ± 1.0"
    assert markdown(["a"], [["b"]]).splitlines() == ["| a |", "|---|", "| b |"]
