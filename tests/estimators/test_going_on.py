"""What may change in a network that has learned, and what threads may do to it."""

import copy
import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from lethenet.estimators import ControlledForgettingClassifier, ControlledForgettingNetwork
from lethenet.model import Rule

X, Y = load_digits(return_X_y=True)


def started(**parameters):
    network = ControlledForgettingNetwork(
        **{"n_neurons": 5, "threshold": 15.5, "random_state": 0, **parameters}
    )
    return network.partial_fit(X[:10])


@pytest.mark.parametrize(
    ("before", "change", "message"),
    [
        ({}, {"n_neurons": 9}, r"n_neurons=9, but .* n_neurons=5, .*set_params\(n_neurons=5\)"),
        ({}, {"random_state": 3}, r"random_state=3, but .* random_state=0, .* with fit"),
        (
            {"normalise_weights": False},
            {"normalise_weights": True},
            "normalise_weights=True, but the network has learned with normalise_weights=False",
        ),
    ],
)
def test_what_makes_it_another_network_cannot_change(before, change, message):
    network = started(**before)
    weights = network.weights_.copy()
    with pytest.raises(ValueError, match=message):
        network.set_params(**change).partial_fit(X[10:20])
    assert network.n_presentations_ == 10
    assert (network.weights_ == weights).all()
    network.fit(X[:20])  # the first remedy
    assert network.n_presentations_ == 20
    network = started(**before)
    back = {name: network.get_params()[name] for name in change}
    network.set_params(**change).set_params(**back).partial_fit(X[10:20])  # the second one
    assert network.n_presentations_ == 20


def test_labels_of_another_size_are_refused_before_anything_is_learned():
    model = ControlledForgettingClassifier(n_neurons=5, random_state=0)
    model.partial_fit(X[:10], Y[:10], classes=range(10))
    counts = model.label_counts_.copy()
    with pytest.raises(ValueError, match=r"n_neurons=9, but the network has learned with .*=5"):
        model.set_params(n_neurons=9).partial_fit(X[10:20], Y[10:20])
    assert (model.label_counts_ == counts).all()


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": 14.0},
        {"annealed": True, "learning_rate": 0.001},
        {"n_output_spikes": 3, "n_readout_spikes": 7},
        {"dopamine": False},
        {"stdp": "static"},
        {"normalise_weights": False},
        {"random_state": None},
    ],
)
def test_how_it_behaves_may_change(change):
    network = started().set_params(**change).partial_fit(X[10:20])
    assert network.n_presentations_ == 20
    for name, value in change.items():
        assert name == "random_state" or getattr(network.network_.parameters, name) == value


def test_threads_wait_for_each_other():
    """Two threads that learn different samples at once: nothing is lost, whoever comes first."""
    model = ControlledForgettingClassifier(n_neurons=30, threshold=15.5, random_state=0)
    pieces = np.array_split(np.arange(400), 20)
    ready = threading.Barrier(4)

    def learn(mine):
        ready.wait()
        for piece in mine:
            model.partial_fit(X[piece], Y[piece], classes=range(10))

    threads = [threading.Thread(target=learn, args=(pieces[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.n_presentations_ == 400
    assert model.class_counts_.sum() == 400
    one = ControlledForgettingNetwork(n_neurons=30, threshold=15.5, random_state=0).fit(X[:400])
    assert model.spike_counts_.sum() > 0.5 * one.spike_counts_.sum()


def test_while_one_thread_learns_another_waits():
    network = started()
    with network._lock():
        thread = threading.Thread(target=network.partial_fit, args=(X[10:20],))
        thread.start()
        thread.join(timeout=0.3)
        assert network.n_presentations_ == 10
    thread.join(timeout=10)
    assert network.n_presentations_ == 20


def test_copies_have_locks_of_their_own():
    network = started()
    for other in (copy.deepcopy(network), pickle.loads(pickle.dumps(network))):
        with network._lock():
            assert other.partial_fit(X[10:20]).n_presentations_ == 20
    assert clone(network).get_params() == network.get_params()


def test_a_rule_is_passed_on():
    def half(weight, pre, rate, offset):
        return weight + 0.5 * rate * (pre - weight)

    rule = Rule(step=half)
    network = started(stdp=rule)
    assert network.network_.parameters.rule is rule
    assert not np.array_equal(network.weights_, started().weights_)
