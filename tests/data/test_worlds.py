"""Worlds that change: who is met when, and what is true then."""

import numpy as np
import pytest

from lethenet.data import Dataset, changing_looks, drifting, load, returning
from lethenet.data.worlds import inverted, turned


@pytest.fixture(scope="module")
def digits():
    return load("digits")


def rows(X):
    return {row.tobytes() for row in np.ascontiguousarray(X)}


def test_returning_classes_bring_new_samples_each_round(digits):
    phases = list(returning(digits, rounds=2, seed=3))
    assert [set(phase.y.tolist()) for phase in phases] == [{c} for c in range(10)] * 2
    assert sum(len(phase.X) for phase in phases) == len(digits.X_train)
    for label in range(10):
        first, second = phases[label], phases[10 + label]
        assert not rows(first.X) & rows(second.X)
        assert abs(len(first.X) - len(second.X)) <= 1


def test_returning_tests_only_what_has_been_met(digits):
    phases = list(returning(digits, seed=0))
    assert set(phases[2].y_test.tolist()) == {0, 1, 2}
    assert set(phases[15].y_test.tolist()) == set(range(10))
    assert len(phases[15].X_known) == sum(len(phase.X) for phase in phases[:16])


def test_drifting_shares_are_those_of_the_samples(digits):
    for phase in drifting(digits, phases=4, seed=1):
        assert sum(phase.shares.values()) == pytest.approx(1.0)
        n = len(phase.y)
        for label, share in phase.shares.items():
            # binomial: five standard deviations
            assert (
                abs(np.mean(phase.y == label) - share)
                <= 5 * np.sqrt(share * (1 - share) / n) + 1 / n
            )


def test_every_class_has_its_time_of_plenty(digits):
    most = [max(p.shares, key=p.shares.get) for p in drifting(digits, phases=10)]
    assert most == list(range(10))


def test_looks_change_for_every_other_class_and_stay_for_the_rest(digits):
    before, after, last = changing_looks(digits, seed=0)
    stay = np.isin(digits.y_test, (0, 2, 4, 6, 8))
    for phase in (after, last):
        assert (phase.X_test[stay] == before.X_test[stay]).all()
        assert not (phase.X_test[~stay] == before.X_test[~stay]).all(axis=1).any()
    assert not rows(before.X) & rows(after.X[np.isin(after.y, (0, 2, 4))])
    assert sum(len(p.X) for p in (before, after, last)) == len(digits.X_train)


def test_a_quarter_turn_four_times_is_none(digits):
    X = digits.X_test[:5]
    once = turned(X, (8, 8))
    assert (once != X).any()
    assert (turned(turned(turned(once, (8, 8)), (8, 8)), (8, 8)) == X).all()
    assert (inverted(inverted(X, (8, 8)), (8, 8)) == X - X.min()).all()


def test_the_seed_makes_the_world(digits):
    def first(seed):
        return next(drifting(digits, seed=seed)).X

    assert (first(4) == first(4)).all()
    assert first(4).shape == first(5).shape
    assert (first(4) != first(5)).any()


def test_nothing_to_turn_without_images():
    data = Dataset.from_arrays("rows", np.eye(4), [0, 1, 0, 1], np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="no images"):
        next(changing_looks(data))
