from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethenet.data import disjoint, interleaved, split

LABELS = st.lists(st.integers(-2, 5), min_size=1, max_size=40).map(np.array)
EPOCHS = st.integers(1, 4)
SEEDS = st.integers(0, 2**64)


def some_classes(data, y):
    present = np.unique(y).tolist()
    order = data.draw(st.permutations(present))
    return tuple(order[: data.draw(st.integers(1, len(order)))])


def check_counts(tasks, y, classes, epochs):
    """Each sample of the chosen classes comes exactly `epochs` times, the others never."""
    counts = Counter(index for task in tasks for index in task.indices.tolist())
    assert counts == {i: epochs for i in range(len(y)) if y[i] in classes}


def check_tasks(tasks, y, epochs):
    for task in tasks:
        assert task.indices.dtype == np.int64
        assert set(y[task.indices]) == set(task.classes)
        passes = task.indices.reshape(epochs, -1)
        for one_pass in passes:
            assert sorted(one_pass) == sorted(passes[0])
            assert len(set(one_pass.tolist())) == len(one_pass)


@given(data=st.data(), y=LABELS, epochs=EPOCHS, seed=st.none() | SEEDS)
def test_disjoint(data, y, epochs, seed):
    classes = some_classes(data, y)
    tasks = disjoint(y, classes=classes, epochs=epochs, shuffle_seed=seed)
    assert [task.classes for task in tasks] == [(label,) for label in classes]
    assert [task.name for task in tasks] == [str(label) for label in classes]
    check_counts(tasks, y, classes, epochs)
    check_tasks(tasks, y, epochs)
    if seed is None:
        for task in tasks:
            assert (np.diff(task.indices.reshape(epochs, -1), axis=1) > 0).all()


@given(data=st.data(), y=LABELS, epochs=EPOCHS, seed=SEEDS)
def test_interleaved(data, y, epochs, seed):
    classes = some_classes(data, y)
    tasks = interleaved(y, classes=classes, epochs=epochs, seed=seed)
    assert [task.classes for task in tasks] == [classes]
    check_counts(tasks, y, classes, epochs)
    check_tasks(tasks, y, epochs)


@given(data=st.data(), y=LABELS, epochs=EPOCHS, seed=SEEDS)
def test_split(data, y, epochs, seed):
    classes = some_classes(data, y)
    cut = data.draw(st.integers(0, len(classes) - 1))
    groups = [group for group in (classes[:cut], classes[cut:]) if group]
    tasks = split(y, groups, epochs=epochs, seed=seed)
    assert [task.classes for task in tasks] == groups
    check_counts(tasks, y, classes, epochs)
    check_tasks(tasks, y, epochs)


def test_disjoint_goes_through_a_task_before_the_next():
    tasks = disjoint([1, 0, 1, 0, 1], epochs=2)
    assert [task.indices.tolist() for task in tasks] == [[1, 3, 1, 3], [0, 2, 4, 0, 2, 4]]


def test_defaults_take_all_classes_rising():
    y = np.array([9, 4, 7, 4])
    assert [task.classes for task in disjoint(y)] == [(4,), (7,), (9,)]
    assert interleaved(y)[0].classes == (4, 7, 9)
    assert [task.classes for task in split(y)] == [(4, 7), (9,)]
    assert split(y)[0].name == "4+7"


Y = np.tile(np.arange(10), 100)


def random_streams(seed, epochs=2):
    return {
        "disjoint": disjoint(Y, epochs=epochs, shuffle_seed=seed),
        "interleaved": interleaved(Y, epochs=epochs, seed=seed),
        "split": split(Y, epochs=epochs, seed=seed),
    }


@pytest.mark.parametrize("kind", ["disjoint", "interleaved", "split"])
def test_random_orders(kind):
    tasks, again, other = (random_streams(seed)[kind] for seed in (7, 7, 8))
    for task, same, different in zip(tasks, again, other, strict=True):
        np.testing.assert_array_equal(task.indices, same.indices)
        assert not np.array_equal(task.indices, different.indices)
        first, second = task.indices.reshape(2, -1)
        assert not np.array_equal(first, second), "every epoch has an order of its own"
        assert not np.array_equal(first, np.sort(first))
    relative = [task.indices[:100] // 10 for task in tasks[:2]]
    assert len(tasks) == 1 or not np.array_equal(*relative), "tasks must not share one order"


def test_more_epochs_begin_like_fewer():
    for kind, tasks in random_streams(3, epochs=1).items():
        for short, long in zip(tasks, random_streams(3, epochs=3)[kind], strict=True):
            np.testing.assert_array_equal(short.indices, long.indices[: len(short)])


def test_interleaved_is_uniform():
    """Where a class stands on average does not depend on the class (z-test, fixed seed)."""
    [task] = interleaved(Y, seed=0)
    places = np.argsort(task.indices)
    means = np.array([places[label == Y].mean() for label in range(10)])
    sigma = len(Y) / np.sqrt(12 * 100)
    assert (abs(means - len(Y) / 2) < 4 * sigma).all()
    neighbours_alike = (np.diff(Y[task.indices]) == 0).mean()
    assert 0.06 < neighbours_alike < 0.14


def test_a_class_keeps_its_order_when_the_classes_change_theirs():
    rising = disjoint(Y, classes=(2, 5), shuffle_seed=1)
    falling = disjoint(Y, classes=(5, 2), shuffle_seed=1)
    np.testing.assert_array_equal(rising[0].indices, falling[1].indices)


def test_any_iterable_of_any_integers_will_do():
    tasks = disjoint([0, 1, 2], classes=(np.int8(c) for c in (2, 0)))
    assert [task.classes for task in tasks] == [(2,), (0,)]
    assert all(type(label) is int for task in tasks for label in task.classes)


@pytest.mark.parametrize("make", [disjoint, interleaved])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"classes": [3]}, r"no samples of classes \[3\]; there are \[0, 1\]"),
        ({"classes": [0, 1, 0]}, r"classes \[0\] are given more than once"),
        ({"classes": []}, r"no class is given; there are \[0, 1\]"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": -2}, "epochs is -2"),
    ],
)
def test_bad_arguments(make, arguments, says):
    with pytest.raises(ValueError, match=says):
        make([0, 1, 0], **arguments)


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ([(0, 1), (1, 2)], r"classes \[1\] are given more than once"),
        ([(0, 0)], r"classes \[0\] are given more than once"),
        ([(0,), ()], "empty"),
        ([], "no class is given"),
        ([(0, 5)], r"no samples of classes \[5\]; there are \[0, 1, 2\]"),
    ],
)
def test_bad_groups(groups, says):
    with pytest.raises(ValueError, match=says):
        split([0, 1, 2], groups)


@pytest.mark.parametrize("make", [disjoint, interleaved, split])
@pytest.mark.parametrize("y", [[[0, 1]], [0.0, 1.0], ["a"], [], 3, [True, False]])
def test_bad_labels(make, y):
    with pytest.raises(ValueError, match="1-D array of integer labels"):
        make(y)


def test_bad_seeds():
    for make in (interleaved, split):
        with pytest.raises(ValueError, match="seed is -1"):
            make([0, 1], seed=-1)
        with pytest.raises(TypeError):
            make([0, 1], seed=None)
    with pytest.raises(ValueError, match="seed is -1"):
        disjoint([0, 1], shuffle_seed=-1)
    with pytest.raises(TypeError):
        disjoint([0, 1], epochs=1.5)
