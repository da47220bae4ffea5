"""The comparison on a small data set: one protocol for all, and a second run does nothing."""

from dataclasses import replace

import numpy as np
import pytest
from lethenet_reproduction.studies import comparison, comparison_tuning
from lethenet_reproduction.studies.compared_methods import METHODS
from lethenet_reproduction.studies.learners import PrototypeLearner
from lethenet_reproduction.studies.remembering import flat_records as read_lines
from lethenet_reproduction.traditional import TRADITIONAL

from lethenet.baselines import OnlineKMeans
from lethenet.data import load
from lethenet.lifelong.evaluation import assess


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(train_per_class=60, test_per_class=20)


@pytest.mark.parametrize("name", ["traditional", "minibatch-kmeans"])
def test_a_run_in_turn_fills_the_matrix(name, digits):
    line = comparison.measure(METHODS[name], digits, 400, seed=0, order="in turn")
    R = np.array(line["R"], float)
    assert R.shape == (10, 10)
    assert not np.isnan(np.tril(R)).any()
    assert np.isnan(R[np.triu_indices(10, 1)]).all()
    # every class has as many test samples: the mean of the last row is the accuracy
    assert R[-1].mean() == pytest.approx(line["test"], abs=0.01)
    assert line["accuracy_over_tasks"][0] == 100.0, "a single class cannot be mistaken"
    assert line["accuracy_over_tasks"][-1] == line["test"]
    assert ("test_histogram" in line) == METHODS[name].spiking


def test_labels_come_from_a_part_of_the_samples_before_the_end(digits, monkeypatch):
    answered = []

    class Watched(PrototypeLearner):
        def winners(self, X):
            answered.append(len(X))
            return super().winners(X)

    monkeypatch.setattr(comparison, "LABEL_PER_CLASS", 7)
    method = replace(
        METHODS["online-kmeans"],
        make=lambda neurons, n_features, seed: Watched(OnlineKMeans(neurons)),
    )
    comparison.measure(method, digits, 30, seed=0, order="in turn")
    labels, tested = answered[::2], answered[1::2]
    assert labels == [*(7 * met for met in range(1, 10)), 60 * 10]
    assert tested == [20 * met for met in range(1, 11)]


def test_runs_once_and_sums_up(digits, tmp_path):
    names, plan = ["online-kmeans", "spherical-kmeans"], {400: (0, 1)}
    comparison.run_part(digits, names, plan, tmp_path)
    lines = (tmp_path / "results.jsonl").read_text()
    found = [(r["method"], r["order"], r["seed"]) for r in read_lines(tmp_path / "results.jsonl")]
    assert sorted(found) == [
        ("online-kmeans", "in turn", 0),  # the seed would change nothing
        ("online-kmeans", "interleaved", 0),
        ("online-kmeans", "interleaved", 1),
        ("spherical-kmeans", "interleaved", 0),
        ("spherical-kmeans", "interleaved", 1),
    ]
    table = (tmp_path / "README.md").read_text()
    mixed = [r["test"] for r in read_lines(tmp_path / "results.jsonl") if r["order"] != "in turn"]
    assert f"| spherical k-means, offline | 2 | – | {np.mean(mixed[2:]):.2f} ± " in table
    comparison.run_part(digits, names, plan, tmp_path)
    assert (tmp_path / "results.jsonl").read_text() == lines, "nothing was missing"


def test_a_network_that_behaves_differently_is_run_again(digits, tmp_path, monkeypatch):
    plan = {400: (0,)}
    comparison.run_part(digits, ["traditional"], plan, tmp_path)
    monkeypatch.setattr(
        "lethenet_reproduction.traditional.parameters.TRADITIONAL",
        replace(TRADITIONAL, theta_plus=0.5),
    )
    comparison.run_part(digits, ["traditional"], plan, tmp_path)
    lines = read_lines(tmp_path / "results.jsonl")
    assert len(lines) == 4
    assert lines[0]["behaviour"] == lines[1]["behaviour"] != lines[2]["behaviour"]


def test_tuning_holds_out_training_samples_and_resumes(tmp_path, monkeypatch):
    data = load("digits").limited(train_per_class=60)
    held = comparison_tuning.hold_out(data, per_class=20)
    assert {x.tobytes() for x in held.X_test} <= {x.tobytes() for x in data.X_train}
    assert len(held.y_train) + len(held.y_test) == len(data.y_train)
    for name, value in {"BROAD": 3, "WHOLE": 2, "NEAR": 2, "PART": 200}.items():
        monkeypatch.setattr(comparison_tuning, name, value)
    log = tmp_path / "tuning.jsonl"
    best = comparison_tuning.search(held, log, neurons=20)
    lines = read_lines(log)
    assert [line["stage"] for line in lines].count("larger") == len(comparison_tuning.LARGER)
    whole = [line for line in lines if line["stage"] in ("whole", "near")]
    highest = max(whole, key=lambda line: line["held_out"])
    assert highest["parameters"]["theta_plus"] == best.theta_plus
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-3]))  # as if killed
    assert comparison_tuning.search(held, log, neurons=20) == best
    assert len(log.read_text().splitlines()) == len(lines)
    assert (
        comparison_tuning.choose_batch_size(held, log, neurons=20) in comparison_tuning.BATCH_SIZES
    )


def test_unlabelled_prototypes_fall_back_to_the_frequent_class():
    learner = PrototypeLearner(OnlineKMeans(3)).learn(np.eye(3))
    known = (np.eye(3)[[0, 1, 1]], np.array([0, 1, 1]))
    found = assess(learner.winners, known, (np.eye(3), np.array([0, 1, 1])), (3, 2))
    assert found.confusion.tolist() == [[1, 0], [0, 2]]  # the third has no label
