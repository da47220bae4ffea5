"""Results put together: over seeds, and over nothing else."""

import pytest

from lethenet.sweeps import summarise


def record(accuracy, seed=0, behaviour="now", preset="paper", **parameters):
    config = {"neurons": 100, "seed": seed, "parameters": {"push": "usage", **parameters}}
    results = {"test_accuracy": accuracy}
    return {
        "preset": preset, "config": config, "results": results, "cost": {}, "behaviour": behaviour
    }  # fmt: skip


def test_results_of_networks_that_behave_otherwise_are_kept_apart():
    records = [record(0.5, 0, "before"), record(0.7, 1, "before"), record(0.9, 0), record(0.9, 1)]
    before, now = summarise(records, ["test_accuracy"])
    assert (before.axes, before.n) == ({"behaviour": "before"}, 2)
    assert (now.axes, now.n) == ({"behaviour": "now"}, 2)
    assert before.measures["test_accuracy"] == pytest.approx((0.6, 0.1 * 2**0.5))
    assert now.measures["test_accuracy"] == (0.9, 0.0)


def test_a_behaviour_that_only_follows_from_the_settings_is_not_shown():
    records = [record(0.5, behaviour="a"), record(0.7, behaviour="b", push="leftover")]
    assert [row.axes for row in summarise(records, ["test_accuracy"])] == [
        {"push": "leftover"},
        {"push": "usage"},
    ]


def test_a_single_seed_has_no_deviation():
    [row] = summarise([record(0.5)], ["test_accuracy"])
    assert row.measures["test_accuracy"] == (0.5, None)
