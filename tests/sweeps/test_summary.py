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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["config"].pop("parameters"), "config.parameters is missing"),
        (lambda r: r["config"].update(neurons={"a": 1}), "neurons is {'a': 1}, expected"),
        (lambda r: r.update(behaviour=[1]), "behaviour is"),
        (lambda r: r["results"].update(test_accuracy=10**400), "'test_accuracy' is not a number"),
    ],
)
def test_a_damaged_result_is_named(change, said):
    damaged = record(0.5)
    change(damaged)
    with pytest.raises(ValueError, match=said):
        summarise([damaged, record(0.7, 1)], ["test_accuracy"])


def test_classes_by_number_and_name_can_be_sorted():
    first, second = record(0.5), record(0.7)
    first["config"]["classes"], second["config"]["classes"] = [0, 1], ["a", 1]
    assert len(summarise([second, first], ["test_accuracy"])) == 2
