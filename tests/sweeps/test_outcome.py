"""An experiment gives the numbers of a run with the same settings, to the last bit."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from lethenet.data import load
from lethenet.lifelong import run
from lethenet.model import PAPER
from lethenet.sweeps import Experiment, behaviour, outcome, run_experiment
from lethenet.sweeps.fingerprint import PROTOCOL, sha256
from lethenet.sweeps.planning import presentations
from lethenet.sweeps.samples import hold_out, samples_of, sizes_of

SETTINGS = {"dataset": "digits", "neurons": 40, "threshold": 15.0, "classes": (3, 1, 4),
            "train_per_class": 40, "test_per_class": 10, "epochs": 2}  # fmt: skip


@pytest.fixture(scope="module")
def a_run(tmp_path_factory):
    """The same experiment, run and recorded in the usual way."""
    config = replace(Experiment.of(**SETTINGS).config, n_jobs=1)
    return run(config, tmp_path_factory.mktemp("run") / "run")


def test_after_each_task_it_is_a_run(a_run):
    results = run_experiment(Experiment.of(**SETTINGS, evaluate="each task"))["results"]
    summary = a_run.summary
    for name in ("acc", "bwt", "forgetting", "train_accuracy"):
        assert results[name] == summary[name], name
    for name in ("dopaminergic_spikes_per_sample", "input_spikes_per_sample"):
        assert results[name] == summary[name], name
    assert results["test_accuracy"] == summary["accuracy"]
    assert results["test_accuracy_histogram"] == summary["accuracy_histogram"]
    assert results["accuracy_matrix"] == [e["task_accuracy"] for e in a_run.evaluations]
    for mine, theirs in zip(results["evaluations"], a_run.evaluations, strict=True):
        assert {name: mine[name] for name in mine.keys() & theirs.keys()} == {
            name: theirs[name] for name in mine.keys() & theirs.keys()
        }
        assert {"class_accuracy", "false_positives", "neurons_per_class"} <= mine.keys()
    assert results["weights_sha256"] == sha256(a_run.model.network_.state.weights)


def test_evaluated_once_the_end_is_the_same():
    once = run_experiment(Experiment.of(**SETTINGS))["results"]
    often = run_experiment(Experiment.of(**SETTINGS, evaluate="each task"))["results"]
    assert once == {name: often[name] for name in once}
    assert set(often) - set(once) == {"acc", "bwt", "forgetting", "accuracy_matrix", "evaluations"}


def test_histogram_votes_on_the_training_samples_are_those_of_the_classifier(a_run):
    data = samples_of(Experiment.of(**SETTINGS))
    known = np.isin(data.y_train, SETTINGS["classes"])
    model = a_run.model.set_params(readout="histogram")
    expected = model.score(data.X_train[known], data.y_train[known])
    assert (
        run_experiment(Experiment.of(**SETTINGS))["results"]["train_accuracy_histogram"] == expected
    )


def test_the_size_of_the_pieces_makes_no_difference(monkeypatch):
    experiment = Experiment.of(**{**SETTINGS, "order": "interleaved"})
    whole = run_experiment(experiment)["results"]
    monkeypatch.setattr(outcome, "PIECE", 7)
    assert run_experiment(experiment)["results"] == whole


def test_a_record_holds_its_experiment_and_survives_json():
    experiment = Experiment.of(**SETTINGS, preset="annealed", validation=5)
    record = json.loads(json.dumps(run_experiment(experiment), allow_nan=False))
    again = Experiment.from_json({**record["config"], "preset": record["preset"]})
    assert again == experiment
    assert again.key == record["key"]
    cost = record["cost"]
    assert (cost["learned"], cost["recognised"]) == presentations(experiment)


def test_held_out_samples_are_the_last_of_each_class_and_are_not_learned():
    digits = load("digits")
    cut = hold_out(digits, 20)
    for label in digits.classes:
        of_class = digits.X_train[digits.y_train == label]
        assert np.array_equal(cut.X_train[cut.y_train == label], of_class[:-20])
        assert np.array_equal(cut.X_test[cut.y_test == label], of_class[-20:])


def test_validation_never_looks_at_the_test_samples(tmp_path):
    digits = load("digits")
    results = []
    for name, test in (("a", digits.X_test), ("b", digits.X_test[::-1])):
        np.savez(tmp_path / name, X_train=digits.X_train, y_train=digits.y_train, X_test=test,
                 y_test=digits.y_test)  # fmt: skip
        path = str(tmp_path / f"{name}.npz")
        experiments = [
            Experiment.of(**{**SETTINGS, "dataset": path}, validation=v) for v in (0, 20)
        ]
        results.append([run_experiment(experiment)["results"] for experiment in experiments])
    assert results[0][0]["test_accuracy"] != results[1][0]["test_accuracy"]
    assert results[0][1] == results[1][1]


@pytest.mark.parametrize(
    "more",
    [{}, {"validation": 15}, {"train_per_class": None, "test_per_class": None, "classes": None}],
)
def test_sizes_are_known_without_cutting(more):
    experiment = Experiment.of(**{**SETTINGS, **more})
    data = samples_of(experiment)
    train, test = sizes_of(experiment)
    for label in experiment.resolved().config.classes:
        assert train[label] == np.sum(data.y_train == label)
        assert test[label] == np.sum(data.y_test == label)


def test_too_many_samples_held_out():
    with pytest.raises(ValueError, match="validation=500: class 8 of digits has 126 training"):
        run_experiment(Experiment.of(**SETTINGS, validation=500))


def test_the_same_network_gets_the_same_results_under_the_same_protocol():
    """Order of samples, samples held out, labels, votes, measures: keys know them by a number alone.

    If the network behaves as it did and this fails, raise PROTOCOL: results made before are void. Put the
    new hash here.
    """
    experiments = [
        Experiment.of(**SETTINGS, preset="paper", evaluate="each task"),
        Experiment.of(
            **SETTINGS, preset="paper", order="interleaved", validation=5, label_per_class=10
        ),
    ]
    results = [run_experiment(experiment)["results"] for experiment in experiments]
    for one in (*results, *results[0]["evaluations"]):
        del one["test_accuracy_evidence"]  # came later, and changes nothing
    found = hashlib.sha256(json.dumps(results, sort_keys=True).encode()).hexdigest()[:16]
    assert (PROTOCOL, behaviour(PAPER)[:16], found) == (1, "cbd77152e7c2b421", "74a93a5395c2b51e")
