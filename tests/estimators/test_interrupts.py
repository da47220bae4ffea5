"""Ctrl-C while learning: network and labels tell the same prefix, and nothing is left half fitted."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork, NoveltyDetector
from lethenet.data import load
from lethenet.model import Network

DIGITS = load("digits")
X, y = DIGITS.X_train[:600], DIGITS.y_train[:600]
OWN = {"n_neurons": 20, "threshold": 15.0, "random_state": 0}


@pytest.fixture
def interrupted(monkeypatch):
    """The second chunk of samples ends with Ctrl-C, as Python raises it when the kernel returns."""
    learn_chunk, calls = Network.learn_chunk, []

    def learn_then_stop(self, chunk, log):
        learn_chunk(self, chunk, log)
        calls.append(len(chunk))
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Network, "learn_chunk", learn_then_stop)
    return calls


def test_labels_are_counted_as_far_as_the_network_has_learned(interrupted):
    model = ControlledForgettingClassifier(**OWN)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    n = sum(interrupted)
    assert model.n_presentations_ == n < len(X)
    whole = ControlledForgettingClassifier(**OWN).partial_fit(X[:n], y[:n])
    for name in ("weights_", "label_counts_", "class_counts_", "asked_"):
        assert np.array_equal(getattr(model, name), getattr(whole, name)), name
    rest, without = (m.partial_fit(X[n:], y[n:]) for m in (model, whole))
    assert np.array_equal(rest.label_counts_, without.label_counts_)


@pytest.mark.parametrize(
    "kind", [ControlledForgettingNetwork, ControlledForgettingClassifier, NoveltyDetector]
)
def test_fit_is_whole_or_not_at_all(interrupted, kind):
    model = kind(**OWN)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X[:2])
    assert len(model.fit(X[:200], y[:200]).predict(X[:2])) == 2
