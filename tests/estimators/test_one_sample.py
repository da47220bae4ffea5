"""One sample at a time: the bits of batches, nothing unsafe reaches a kernel, threads wait."""

import copy
import pickle
import threading

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork
from lethenet.model.state import ARRAY_FIELDS

X, Y = load_digits(return_X_y=True)
SETTINGS = {"n_neurons": 30, "threshold": 15.5, "random_state": 1}


def network(**parameters):
    return ControlledForgettingNetwork(**{**SETTINGS, **parameters})


def classifier(**parameters):
    return ControlledForgettingClassifier(**{**SETTINGS, "readout": "evidence", **parameters})


def same_bits(a, b):
    assert a.n_presentations_ == b.n_presentations_
    for name in ARRAY_FIELDS:
        one, other = getattr(a.network_.state, name), getattr(b.network_.state, name)
        assert one.tobytes() == other.tobytes(), name


def test_the_bits_of_batches():
    together, single = network().partial_fit(X[:150]), network()
    for x in X[:100]:
        single.learn_one(x)
    single.partial_fit(X[100:120])
    for x in X[120:150].astype(np.uint8):
        single.learn_one(list(x))
    same_bits(together, single)
    assert [single.predict_one(x) for x in X[:40]] == together.predict(X[:40]).tolist()
    assert [single.score_one(x) for x in X[:40]] == together.score_samples(X[:40]).tolist()


def test_labels_are_counted_as_in_batches():
    names = np.array([f"class {label}" for label in Y], object)
    names[::3] = None
    together, single = classifier(), classifier()
    together.partial_fit(X[:150], names[:150])
    for x, label in zip(X[:150], names[:150], strict=True):
        single.learn_one(x, label)
    same_bits(together, single)
    assert single.classes_.tolist() == together.classes_.tolist()
    for counted in ("label_counts_", "class_counts_", "asked_"):
        assert (getattr(single, counted) == getattr(together, counted)).all(), counted
    assert [single.predict_one(x) for x in X[:40]] == together.predict(X[:40]).tolist()
    shares = np.array([single.predict_proba_one(x) for x in X[:40]])
    assert (shares == together.predict_proba(X[:40])).all()


def test_what_it_says_is_what_happened():
    model = network()
    batches = network(record_novelties=1000).partial_fit(X[:120])
    novelties = []
    for number, x in enumerate(X[:120]):
        before = model.score_one(x) if number else 0.0
        counts = model.network_.state.spikes_since_imprint.copy() if number else np.zeros(30, int)
        imprinted = model.imprint_counts_ if number else np.zeros(30, int)
        weights = model.weights_.copy() if number else None
        learned = model.learn_one(x, former=True)
        assert learned.surprise == 1 - before
        if learned.overwritten >= 0:
            assert (learned.former == weights[learned.neuron]).all()
        else:
            assert learned.former is None
        if learned.novel:
            lost = counts[learned.neuron] - (imprinted[learned.neuron] > 0)
            assert learned.overwritten == (lost if counts[learned.neuron] else -1)
            novelties.append((number, learned.neuron, learned.surprise, learned.overwritten))
        else:
            assert learned.overwritten == -1
            assert model.spike_counts_[learned.neuron] > 0
    assert batches.novelties_.tolist() == novelties
    assert max(n[3] for n in novelties) > 0, "nothing was overwritten: a poor test"


def test_the_record_is_bounded_and_costs_nothing_unless_asked_for():
    whole = network(record_novelties=1000).partial_fit(X[:100]).novelties_
    single = network(record_novelties=5)
    for x in X[:100]:
        single.learn_one(x)
    assert single.novelties_.tolist() == whole[-5:].tolist()
    with pytest.raises(ValueError, match="record_novelties=-3"):
        network(record_novelties=-3).learn_one(X[0])
    assert not hasattr(network().partial_fit(X[:20]), "novelties_")
    heard = []
    network().partial_fit(X[:20])._learn(X[:5], anew=False, count=heard.append)
    assert heard[0].surprises.size == 0


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (X[0][:-1], r"x has shape \(63,\): expected \(64,\)"),
        (X[:1], r"x has shape \(1, 64\)"),
        (3.0, r"x has shape \(\)"),
        (X[0] - 1, "a negative value, -1"),
        (np.where(X[0] > 0, np.nan, 0), "NaN or infinity"),
        (np.where(X[0] > 0, np.inf, 0), "NaN or infinity"),
        (X[0] + 1j, "complex128: expected numbers"),
        (["dark"] * 64, "expected numbers"),
        ([None] * 64, "NaN or infinity"),
    ],
)
def test_what_kernels_cannot_take_is_refused(x, said):
    model = network().partial_fit(X[:20])
    before = model.network_.state.copy()
    for call in (model.learn_one, model.predict_one, model.score_one):
        with pytest.raises(ValueError, match=said):
            call(x)
    assert model.n_presentations_ == 20
    assert (model.weights_ == before.weights).all()


def test_not_fitted_is_said():
    with pytest.raises(ValueError, match="not fitted"):
        network().predict_one(X[0])
    model = classifier()
    model.learn_one(X[0])
    with pytest.raises(ValueError, match="no label is known yet"):
        model.predict_one(X[0])


def test_rounding_errors_are_no_negative_values():
    a, b = (network().partial_fit(X[:20]) for _ in range(2))
    x = np.where(X[20] > 0, X[20], -1e-9)
    a.partial_fit(x[None])
    b.learn_one(x)
    same_bits(a, b)


def test_a_blank_sample():
    model = network().partial_fit(X[:20])
    assert model.learn_one(np.zeros(64)) == (-1, False, 1.0, -1, None)
    assert model.predict_one(np.zeros(64)) == -1
    assert model.score_one(np.zeros(64)) == 0.0


def test_set_params_counts_from_the_next_sample_on():
    a, b = (network().partial_fit(X[:50]) for _ in range(2))
    for model in (a, b):
        model.learn_one(X[50])
        model.set_params(threshold=16.5)
    a.partial_fit(X[51:60])
    for x in X[51:60]:
        b.learn_one(x)
    same_bits(a, b)
    assert b.threshold_ == 16.5
    with pytest.raises(ValueError, match="n_neurons=31"):
        b.set_params(n_neurons=31).learn_one(X[0])


def test_copies_go_on_by_themselves():
    model = network()
    for x in X[:30]:
        model.learn_one(x)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for x in X[30:40]:
        model.learn_one(x)
    for one in copies:
        assert one.n_presentations_ == 30
        for x in X[30:40]:
            one.learn_one(x)
        same_bits(one, model)


def test_threads_wait_for_each_other():
    model = network().partial_fit(X[:50])
    wrong = []

    def work(x):
        try:
            for _ in range(100):
                model.learn_one(x)
                model.predict_one(x)
                model.partial_fit(x[None])
                if not 0 <= model.score_one(x) <= 1.0001:
                    raise AssertionError("a torn score")
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(x,)) for x in X[:4]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert model.n_presentations_ == 50 + 4 * 200
    lengths = np.linalg.norm(model.weights_, axis=1)
    assert np.allclose(lengths, 1, atol=1e-5)


def test_without_a_certificate_and_without_unit_weights():
    """The score looks at all neurons then, and gives the same."""
    certified = network().partial_fit(X[:100])
    full = network(candidates="all").partial_fit(X[:100])
    assert (certified.score_samples(X[:50]) == full.score_samples(X[:50])).all()
    weights = certified.weights_[certified.spike_counts_ + certified.imprint_counts_ > 0]
    rows = X[:50] / np.linalg.norm(X[:50], axis=1, keepdims=True)
    assert np.allclose(certified.score_samples(X[:50]), (rows @ weights.T).max(axis=1), atol=1e-6)
    free = network(normalise_weights=False).partial_fit(X[:60])
    known = free.weights_[free.spike_counts_ + free.imprint_counts_ > 0]
    known = known / np.linalg.norm(known, axis=1, keepdims=True)
    assert np.allclose(free.score_samples(X[:20]), (rows[:20] @ known.T).max(axis=1), atol=1e-5)


def test_first_samples_wait_for_an_automatic_threshold():
    together, single = (classifier(threshold="auto") for _ in range(2))
    together.partial_fit(X[:1010], Y[:1010])
    learned = [single.learn_one(x, label) for x, label in zip(X[:1010], Y[:1010], strict=True)]
    assert np.isnan([one.surprise for one in learned[:1000]]).all()
    assert learned[1000].surprise < 1
    assert single.threshold_ == together.threshold_
    same_bits(single, together)
    assert (single.label_counts_ == together.label_counts_).all()
    waiting = classifier(threshold="auto")
    waiting.learn_one(X[0], 1)
    with pytest.raises(ValueError, match="1 samples wait"):
        waiting.predict_one(X[0])


def test_a_sparse_row():
    from scipy import sparse

    model, rows = network().partial_fit(X[:20]), sparse.csr_matrix(X[:30])
    assert model.score_one(rows[25]) == model.score_one(X[25])
    assert (model.score_samples(rows) == model.score_samples(X[:30])).all()
