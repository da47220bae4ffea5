"""The protocol: what is learned, what is looked at, and that looking changes nothing."""

import json

import numpy as np
import pytest

from lethenet import ControlledForgettingClassifier
from lethenet.lifelong import Config, Result, evaluate, measures, run
from lethenet.lifelong.evaluation import winners_of
from lethenet.lifelong.protocol import Experiment, load_data
from lethenet.model import ANNEALED, Network, initial_state


def finished(config):
    data = load_data(config)
    experiment = Experiment(config.resolved(data), data)
    for _ in experiment.steps():
        pass
    return experiment


def test_evaluation_does_not_change_learning(tiny):
    """The same bits as a bare network that nobody ever looked at, on the whole stream at once."""
    experiment = finished(tiny)
    stream = np.concatenate([task.indices for task in experiment.tasks])
    bare = Network(tiny.parameters, initial_state(tiny.neurons, 64, tiny.seed))
    learned = bare.learn(experiment.data.X_train[stream])
    for name in ("weights", "usage", "spike_counts", "imprint_counts", "spikes_since_imprint"):
        expected, found = getattr(bare.state, name), getattr(experiment.network.state, name)
        assert np.array_equal(expected, found), name
    evaluations = experiment.history.evaluations
    assert sum(e["input_spikes"] for e in evaluations) == learned.input_spikes.sum()
    assert sum(e["output_spikes"] for e in evaluations) == (learned.winners >= 0).sum()
    assert sum(e["dopaminergic_spikes"] for e in evaluations) == (learned.imprints >= 0).sum()
    dopamine, input_spikes = experiment.history.windows(len(stream))
    window = experiment.history.window
    assert dopamine[1] == (learned.imprints[window : 2 * window] >= 0).mean()
    assert input_spikes[-1] == learned.input_spikes[(len(dopamine) - 1) * window :].mean()


def test_no_cadence_of_saving_changes_a_bit(tiny, tiny_run):
    coarse = finished(Config.from_json({**tiny.to_json(), "checkpoint_samples": None}))
    assert coarse.history.evaluations == tiny_run.evaluations
    assert np.array_equal(coarse.network.state.weights, tiny_run.model.weights_)


@pytest.mark.parametrize("interim", ["assigned", "online"])
def test_labels_come_from_the_classes_seen_only(tiny, interim):
    experiment = finished(Config.from_json({**tiny.to_json(), "interim_labels": interim}))
    counts = np.array(experiment.history.label_counts)
    spikes = ANNEALED.n_readout_spikes * 40  # so many for each training sample of a class
    if interim == "assigned":
        assert counts[0, :, 0].sum() == spikes
    else:  # not all fire while learning, and a neuron that is imprinted forgets its labels
        assert 0 < counts[0, :, 0].sum() < spikes
    assert counts[0, :, 1:].sum() == 0
    assert counts[1, :, 2].sum() == 0
    assert counts[2].sum() == 3 * spikes  # the last one always assigns
    assert experiment.history.evaluations[1]["classes_seen"] == [3, 1]


def test_labels_counted_online_are_those_of_the_classifier(tiny):
    """Two tasks learned by partial_fit give the label counts of the second evaluation."""
    experiment = finished(tiny)
    rows = np.concatenate([task.indices for task in experiment.tasks[:2]])
    model = ControlledForgettingClassifier(n_neurons=tiny.neurons, threshold=15.0, random_state=0)
    model.set_params(**{n: getattr(tiny.parameters, n) for n in ("annealed", "n_readout_spikes")})
    X, y = experiment.data.X_train[rows], experiment.data.y_train[rows]
    model.partial_fit(X, y, classes=[1, 3, 4])
    columns = [1, 0, 2]  # runs have classes in the order in which they came: 3, 1, 4
    assert np.array_equal(experiment.history.label_counts[1], model.label_counts_[:, columns])


def test_the_paper_assigns_labels_at_every_evaluation():
    assert Config(preset="paper").interim_labels == "assigned"
    assert Config().interim_labels == "online"


def test_numbers_hang_together(tiny_run):
    arrays, last = tiny_run.arrays, tiny_run.evaluations[-1]
    confusion = arrays["confusion"][-1]
    assert confusion.sum() == 30
    assert last["test_accuracy"] == np.trace(confusion) / 30
    assert last["task_accuracy"] == (np.diag(confusion) / 10).tolist()
    assert list(last["class_accuracy"]) == ["1", "3", "4"]
    assert last["class_accuracy"]["3"] == last["task_accuracy"][0]
    assert last["false_positives"]["3"] == confusion[:, 0].sum() - confusion[0, 0]
    assert sum(last["neurons_per_class"].values()) + last["neurons_unlabelled"] == 40
    labelled = arrays["label_counts"][1].sum(axis=1) > 0
    imprinted = arrays["imprinted_in_task"][2] == 1
    assert last["neurons_replaced"] == (labelled & imprinted).sum()
    assert last["neurons_preserved"] == (labelled & ~imprinted).sum()
    assert last["neurons_new"] == (~labelled & imprinted).sum()
    per_sample = last["input_spikes_per_sample"]
    assert last["synaptic_operations_per_sample"] == pytest.approx(40 * per_sample)
    R = tiny_run.accuracy_matrix
    assert tiny_run.backward_transfer == measures.backward_transfer(R)
    assert tiny_run.forgetting == measures.forgetting(R)
    assert tiny_run.average_accuracy == measures.average_accuracy(R)
    assert np.array_equal(arrays["weights"][-1], tiny_run.model.weights_)
    assert arrays["task_ends"].tolist() == [40, 80, 120]
    assert tiny_run.accuracy > 0.8


def test_the_saved_model_answers_as_the_run_did(tiny_run):
    data = load_data(tiny_run.config)
    outcome = evaluate(tiny_run.model, data)
    assert outcome["accuracy"] == tiny_run.accuracy
    assert outcome["class_accuracy"] == tiny_run.evaluations[-1]["class_accuracy"]
    known = np.isin(data.y_test, [3, 1, 4])
    assert tiny_run.model.score(data.X_test[known], data.y_test[known]) == tiny_run.accuracy


def test_histogram_votes(tiny, tmp_path, tiny_run):
    config = Config.from_json({**tiny.to_json(), "readout": "histogram"})
    result = run(config, tmp_path / "run")
    assert result.accuracy == result.summary["accuracy_histogram"]
    assert result.accuracy == tiny_run.summary["accuracy_histogram"]
    assert np.array_equal(result.model.weights_, tiny_run.model.weights_)


def test_interleaved_is_one_task_with_one_evaluation(tiny):
    experiment = finished(Config.from_json({**tiny.to_json(), "order": "interleaved"}))
    [evaluation] = experiment.history.evaluations
    assert evaluation["task"] == "interleaved"
    assert evaluation["task_accuracy"] == [evaluation["test_accuracy"]]
    assert set(evaluation["class_accuracy"]) == {"1", "3", "4"}
    assert experiment.summary()["bwt"] == 0.0


def test_epochs_are_gone_through_one_after_the_other(tiny):
    experiment = finished(Config.from_json({**tiny.to_json(), "epochs": 2}))
    assert [e["samples_seen"] for e in experiment.history.evaluations] == [80, 160, 240]
    labels = experiment.history.label_counts[-1].sum()
    assert labels == ANNEALED.n_readout_spikes * 120  # each sample recognised once


def test_several_imprints_in_a_sample_are_all_counted(tiny):
    parameters = {**tiny.to_json()["parameters"], "stop_after_imprint": False}
    experiment = finished(Config.from_json({**tiny.to_json(), "parameters": parameters}))
    counted = sum(e["dopaminergic_spikes"] for e in experiment.history.evaluations)
    assert counted == experiment.network.state.imprint_counts.sum()
    assert counted == experiment.history.dopamine.sum()


def test_large_networks_keep_the_last_weights_only(tiny):
    experiment = finished(Config.from_json({**tiny.to_json(), "neurons": 401}))
    assert len(experiment.history.weights) == 1
    assert len(experiment.history.confusion) == 3


def test_recognition_in_pieces_gives_the_same(tiny_run, monkeypatch):
    data, network = load_data(tiny_run.config), tiny_run.model.network_
    whole = winners_of(network)(data.X_test)
    monkeypatch.setattr("lethenet.lifelong.evaluation.PIECE", 7)
    assert np.array_equal(winners_of(network, n_threads=2)(data.X_test), whole)


def test_events_tell_the_story(tiny, tmp_path):
    events = []
    run(tiny, tmp_path / "run", events.append)
    json.dumps(events)
    kinds = [event["event"] for event in events]
    assert kinds[0] == "started"
    assert kinds[-1] == "finished"
    assert kinds.count("task") == 3
    assert kinds.count("checkpoint") >= 9
    last = [event for event in events if "presentations_done" in event][-1]
    assert last["presentations_done"] == last["presentations_total"]


def test_run_json_holds_what_the_schema_says(tiny_run):
    document = json.loads((tiny_run.folder / "run.json").read_text())
    assert {"format", "version", "status", "lethenet", "command", "config", "machine", "started",
            "finished", "seconds", "data", "progress", "tasks", "evaluations", "summary",
            } <= set(document)  # fmt: skip
    assert {"dataset", "neurons", "epochs", "order", "classes", "preset", "seed", "twin", "readout",
            "train_per_class", "test_per_class", "parameters"} <= set(document["config"])  # fmt: skip
    assert document["config"]["classes"] == [3, 1, 4]
    assert document["tasks"][0] == {"name": "3", "classes": [3], "samples": 40}
    assert document["progress"] == {"samples_done": 120, "samples_total": 120, "tasks_done": 3}
    shapes = {name: array.shape for name, array in tiny_run.arrays.items()}
    assert shapes == {
        "confusion": (3, 3, 3), "label_counts": (3, 40, 3), "imprinted_in_task": (3, 40),
        "weights": (3, 40, 64), "dopamine_windows": (8,), "input_spike_windows": (8,),
        "task_ends": (3,),
    }  # fmt: skip


def test_result_shows_itself(tiny_run):
    again = Result.load(tiny_run.folder)
    assert "accuracy" in repr(again)
    html = again._repr_html_()
    assert html.count("<tr>") == 10  # no twin, no sequential penalty
    assert again.sequential_penalty is None
    assert again.twin is None
