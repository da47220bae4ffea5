"""Few labels: missing ones, classes that nobody announced, corrections, links over which they spread."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import lethenet
from lethenet import ControlledForgettingClassifier
from lethenet.estimators.spreading import link_matrix, solve, spread

SETTINGS = {"n_neurons": 80, "threshold": 15.5, "annealed": True, "links": 8, "random_state": 0}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y[:1300], kind="stable")  # in turn
    return X[:1300][order], y[:1300][order], X[1300:], y[1300:]


@pytest.fixture
def learned(digits):
    """A network that has seen everything, and no label."""
    return ControlledForgettingClassifier(**SETTINGS).partial_fit(digits[0])


def few(y, per_class, seed=0):
    """Samples that bring their label."""
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.choice(np.flatnonzero(y == c), per_class, False) for c in np.unique(y)]
    )


def test_ten_labels_of_all_spread(digits, learned):
    X, y, X_test, y_test = digits
    chosen = few(y, 1)
    spread_out = learned.teach(X[chosen], y[chosen]).score(X_test, y_test)
    alone = learned.set_params(spreading=0.0).score(X_test, y_test)
    assert spread_out > 0.6 > alone
    assert spread_out > alone + 0.1


def test_asked_prototypes_beat_random_ones(digits, learned):
    X, y, X_test, y_test = digits
    truth = ControlledForgettingClassifier(**SETTINGS).fit(X, y)  # the same network
    np.testing.assert_array_equal(truth.weights_, learned.weights_)
    asked = learned.ask(12)
    names = truth.label_counts_[asked.numbers].argmax(axis=1)
    assert len(set(names.tolist())) >= 9
    np.testing.assert_array_equal(asked.images, learned.weights_[asked.numbers])
    assert learned.teach(asked.numbers, names).score(X_test, y_test) > 0.7


@pytest.mark.parametrize(
    "missing",
    [
        lambda y: np.where(np.arange(len(y)) % 2, y, -1),
        lambda y: np.where(np.arange(len(y)) % 2, y, np.nan),
        lambda y: [int(label) if k % 2 else None for k, label in enumerate(y)],
        lambda y: pd.Series(np.where(np.arange(len(y)) % 2, y, np.nan)),
        lambda y: pd.Series([int(v) if k % 2 else pd.NA for k, v in enumerate(y)], dtype=object),
    ],
    ids=["-1", "nan", "None", "pandas", "pandas.NA"],
)
def test_a_missing_label_counts_for_nothing(digits, missing):
    X, y = digits[0][::5], digits[1][::5]
    model = ControlledForgettingClassifier(**SETTINGS).partial_fit(X, missing(y))
    assert model.classes_.tolist() == list(range(10))
    assert model.classes_.dtype.kind == "i"
    assert model.class_counts_.sum() == len(y) // 2
    same = ControlledForgettingClassifier(**SETTINGS).partial_fit(X, y)
    np.testing.assert_array_equal(model.weights_, same.weights_)  # labels touch the read-out only


def test_fit_with_missing_labels_counts_the_others(digits):
    X, y = digits[0], digits[1].astype(float)
    y[few(y, 3)] += 0  # these stay
    hidden = np.setdiff1d(np.arange(len(y)), few(y, 3))
    y[hidden] = np.nan
    model = ControlledForgettingClassifier(**SETTINGS).fit(X, y)
    assert model.class_counts_.tolist() == [3] * 10
    assert model.score(digits[2], digits[3]) > 0.6


def test_minus_one_is_a_class_where_it_is_announced_or_fitted(digits):
    X, y = digits[0][::20], np.where(digits[1][::20] < 5, -1, 1)
    model = ControlledForgettingClassifier(**SETTINGS)
    assert model.fit(X, y).classes_.tolist() == [-1, 1]
    anew = ControlledForgettingClassifier(**SETTINGS).partial_fit(X, y, classes=[-1, 1])
    assert anew.class_counts_.sum() == len(X)
    assert ControlledForgettingClassifier(**SETTINGS).partial_fit(X, y).classes_.tolist() == [1]


def test_a_class_that_nobody_announced_finds_its_place(digits):
    X, y = digits[0], np.array(list("jihgfedcba"))[digits[1]]  # the alphabet backwards
    model = ControlledForgettingClassifier(**SETTINGS)
    for digit in range(10):
        now = digits[1] == digit
        model.partial_fit(X[now], y[now])
        assert model.classes_.tolist() == sorted("jihgfedcba"[: digit + 1])
        shares = model.predict_proba(X[:3])
        assert shares.shape == (3, digit + 1)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
    all_at_once = ControlledForgettingClassifier(**SETTINGS).partial_fit(X, y)
    np.testing.assert_array_equal(model.label_counts_, all_at_once.label_counts_)
    assert set(model.predict(digits[2])) <= set("abcdefghij")


def test_labels_may_turn_from_whole_numbers_to_floats_but_not_to_strings(learned):
    learned.teach([0], [3]).teach([1], [4.0])
    assert learned.classes_.tolist() == [3, 4]
    with pytest.raises(ValueError, match="does not go with the classes so far"):
        learned.teach([2], ["three"])


def test_a_later_correction_replaces_a_neurons_label(learned):
    learned.teach([4, 5], ["cat", "dog"]).teach([4], ["dog"])
    assert learned.label_counts_[4].tolist() == learned.label_counts_[5].tolist() == [0, 5]
    learned.teach([4], [None])
    assert learned.label_counts_[4].tolist() == [0, 0]


def test_a_later_correction_of_a_sample_takes_back_what_it_said(digits, learned):
    right = ControlledForgettingClassifier(**SETTINGS).partial_fit(digits[0])
    right.teach(digits[2][:5], digits[3][:5])
    wrong = (digits[3][:5] + 1) % 10
    learned.teach(digits[2][:5], wrong).teach(digits[2][:5], digits[3][:5], was=wrong)
    kept = np.isin(learned.classes_, right.classes_)
    np.testing.assert_array_equal(learned.label_counts_[:, kept], right.label_counts_)
    assert not learned.label_counts_[:, ~kept].any()


def test_an_imprint_forgets_what_was_taught(digits, learned):
    learned.teach(np.arange(80), "old").partial_fit(digits[2])
    imprinted = learned.imprint_counts_ > np.array(
        ControlledForgettingClassifier(**SETTINGS).partial_fit(digits[0]).imprint_counts_
    )
    assert imprinted.any()
    assert not learned.label_counts_[imprinted].any()
    assert not learned.asked_[imprinted].any()
    assert learned.asked_[~imprinted].all()


def test_a_single_class(digits, learned):
    learned.teach([0], ["only"])
    assert set(learned.predict(digits[2])) == {"only"}
    np.testing.assert_array_equal(learned.predict_proba(digits[2]), np.ones((len(digits[2]), 1)))


def test_all_labels_wrong_is_all_answers_wrong(digits, learned):
    X, y, X_test, y_test = digits
    chosen = few(y, 3)
    learned.teach(X[chosen], (y[chosen] + 1) % 10)
    assert learned.score(X_test, y_test) < 0.2
    assert learned.score(X_test, (y_test + 1) % 10) > 0.6
    learned.teach(X[chosen], y[chosen], was=(y[chosen] + 1) % 10)
    assert learned.score(X_test, y_test) > 0.6


def test_some_wrong_labels_are_outvoted(digits, learned):
    X, y, X_test, y_test = digits
    chosen = few(y, 20)
    given = y[chosen].copy()
    given[::10] = (given[::10] + 1) % 10
    assert learned.teach(X[chosen], given).score(X_test, y_test) > 0.75


def test_no_label_yet(learned, digits):
    assert learned.classes_.tolist() == []
    assert not learned.certainty_.any()
    with pytest.raises(ValueError, match="no label is known yet"):
        learned.predict(digits[0][:1])


def test_it_never_asks_twice_and_stops(learned):
    asked = []
    while len(numbers := learned.ask(20).numbers):
        learned.teach(numbers, [None if k % 3 else "thing" for k in range(len(numbers))])
        asked += numbers.tolist()
        assert len(asked) <= 80
    assert len(set(asked)) == len(asked) > 30


def test_nothing_is_left_to_ask_where_all_neurons_have_labels(digits):
    model = ControlledForgettingClassifier(**SETTINGS).fit(digits[0], digits[1])
    assert len(model.ask(5).numbers) == 0


def test_asking_for_samples_of_a_pool(digits, learned):
    _, _, X_test, y_test = digits
    asked = learned.ask(12, X_test)
    np.testing.assert_array_equal(asked.images, X_test[asked.numbers])
    assert len(set(y_test[asked.numbers].tolist())) >= 8
    learned.teach(asked.images, y_test[asked.numbers])
    again = learned.ask(5, X_test).numbers
    assert not set(again.tolist()) & set(asked.numbers.tolist())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X: m.ask(0), "n=0"),
        (lambda m, X: m.teach([80], ["a"]), "there is no neuron 80"),
        (lambda m, X: m.teach([-2], ["a"]), "expected numbers of neurons"),
        (lambda m, X: m.teach([1, 2], ["a"]), "inconsistent numbers of samples"),
        (lambda m, X: m.teach([1], ["a"], was=["b"]), "is for samples"),
        (lambda m, X: m.set_params(spreading=1.0).teach([1], ["a"]).predict(X), "spreading=1.0"),
    ],
)
def test_errors_say_what_to_do(learned, digits, call, message):
    with pytest.raises(ValueError, match=message):
        call(learned, digits[0][:2])


def test_asking_needs_links(digits):
    model = ControlledForgettingClassifier(**{**SETTINGS, "links": 0}).partial_fit(digits[0][:50])
    with pytest.raises(ValueError, match="learn with links=16"):
        model.ask(1)


def test_links_cost_no_bit_and_are_kept(digits, learned, tmp_path):
    without = ControlledForgettingClassifier(**{**SETTINGS, "links": 0}).partial_fit(digits[0])
    np.testing.assert_array_equal(without.weights_, learned.weights_)
    learned.teach([3, 7], ["a", "b"])
    lethenet.save(learned, tmp_path / "m.safetensors")
    again = lethenet.load(tmp_path / "m.safetensors")
    for model in (learned, again):
        model.partial_fit(digits[2])
    for name in ("link_partners", "link_counts", "weights"):
        before, after = (getattr(m.network_.state, name) for m in (learned, again))
        assert before.tobytes() == after.tobytes(), name
    np.testing.assert_array_equal(again.asked_, learned.asked_)
    np.testing.assert_array_equal(again.predict_proba(digits[2]), learned.predict_proba(digits[2]))


def test_a_model_without_any_label_is_kept(learned, tmp_path, digits):
    lethenet.save(learned, tmp_path / "m.safetensors")
    again = lethenet.load(tmp_path / "m.safetensors")
    assert again.classes_.tolist() == []
    assert again.teach([1], ["cat"]).predict(digits[2][:2]).tolist() == ["cat", "cat"]


def test_pieces_of_the_stream_give_the_same_links(digits, learned):
    model = ControlledForgettingClassifier(**SETTINGS)
    for start in range(0, 1300, 100):
        model.partial_fit(digits[0][start : start + 100])
    state, whole = model.network_.state, learned.network_.state
    assert state.link_counts.tobytes() == whole.link_counts.tobytes()


def test_spreading_solves_the_equation(learned):
    state = learned.network_.state
    links = link_matrix(state.link_partners, state.link_counts)
    assert abs(links - links.T).max() == 0
    Y = np.zeros((80, 2))
    Y[:5, 0], Y[5:15, 1] = 3, 1
    exact = np.linalg.solve(np.eye(80) - 0.97 * links.toarray(), Y)
    np.testing.assert_allclose(solve(links, Y, 0.97), exact, atol=1e-5)
    shares = spread(links, Y, 0.97)
    reached = shares.any(axis=1)
    np.testing.assert_allclose(shares[reached].sum(axis=1), 1)


def test_predicting_changes_nothing(learned, digits):
    learned.teach([3], ["a"])
    before = {name: repr(value) for name, value in vars(learned).items() if name != "network_"}
    learned.predict(digits[2])
    after = {name: repr(value) for name, value in vars(learned).items() if name != "network_"}
    assert before == after
