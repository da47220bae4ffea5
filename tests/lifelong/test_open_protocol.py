"""Any learner on any stream: through the same loop, measures and run directory as the network."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from lethenet import ControlledForgettingClassifier, ControlledForgettingNetwork
from lethenet.baselines import NearestClassMean, OnlineKMeans
from lethenet.data import load, split
from lethenet.lifelong import Config, Result, measures, resume, run
from lethenet.lifelong.setting_checks import LEARNERS, WORLDS
from lethenet.report import write_comparison, write_report


@pytest.fixture(scope="module")
def digits():
    return load("digits").limited(30, 10)


def settings(learner):
    own = {"threshold": 15.0, "n_jobs": 1} if learner == "cfn" else {}
    neurons = {} if learner in ("ncm", "slda") else {"neurons": 40}
    return {"dataset": "digits", "train_per_class": 40, "test_per_class": 10, **own, **neurons}


@pytest.mark.parametrize("stream", ["classes", "split:2", *WORLDS])
@pytest.mark.parametrize("learner", ["cfn", *LEARNERS])
def test_every_learner_runs_on_every_stream(learner, stream, tmp_path):
    config = Config.of(learner=learner, stream=stream, **settings(learner))
    result = run(config, tmp_path / "run")
    n = {"classes": 10, "split:2": 5, "returning": 20, "drifting": 10, "changing-looks": 3}[stream]
    assert result.R.shape == (n, n)
    assert not np.isnan(np.tril(result.R)).any()
    assert np.isnan(result.R[np.triu_indices(n, 1)]).all()
    assert result.backward_transfer == measures.backward_transfer(result.R)
    assert result.accuracy > 0.4  # of ten classes: nobody guesses
    assert {name for name, *_ in result.headlines()} >= {"accuracy", "acc", "bwt", "forgetting"}
    assert Result.load(result.folder).config == config.resolved(load("digits"))


def test_r_of_a_known_learner_is_what_counting_gives(digits):
    """Written out by hand: learn task after task, and count right answers on each task's test samples."""
    tasks = split(digits.y_train)
    result = run((digits, tasks), NearestClassMean())
    model = NearestClassMean()
    for i, task in enumerate(tasks):
        model.partial_fit(digits.X_train[task.indices], digits.y_train[task.indices])
        for j in range(i + 1):
            own = np.isin(digits.y_test, tasks[j].classes)
            expected = (model.predict(digits.X_test[own]) == digits.y_test[own]).mean()
            assert result.R[i, j] == expected
    assert result.labels_told


def test_our_network_gets_what_its_own_run_gives(digits, tmp_path):
    given = {"dataset": "digits", "neurons": 40, "threshold": 15.0, "n_jobs": 1}
    config = Config.of(**given, readout="dominant", train_per_class=30, test_per_class=10)
    network = ControlledForgettingNetwork.from_preset(
        "annealed", n_neurons=40, threshold=15.0, random_state=0
    )
    assert np.array_equal(run(digits, network).R, run(config, tmp_path / "run").R, equal_nan=True)


class FirstFeature:
    """A user's own: no scikit-learn, one answer, wants labels because it cannot do without."""

    def partial_fit(self, X, y):
        self.label = y[-1]
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


class RiverLike:
    """River's face: one sample at a time, as a dictionary."""

    def __init__(self, supervised):
        self._supervised, self.seen = supervised, []

    def learn_one(self, x, *y):
        self.seen.append((x, y))

    def predict_one(self, x):
        nearest = min(self.seen, key=lambda s: sum((s[0][i] - v) ** 2 for i, v in x.items()))
        return nearest[1][0] if self._supervised else self.seen.index(nearest)


@pytest.mark.parametrize(
    ("learner", "more", "told"),
    [
        (GaussianNB(), {}, True),
        (SGDClassifier(random_state=0), {}, True),
        (MiniBatchKMeans(20, n_init=1, random_state=0), {"batch_size": 60}, False),
        (OnlineKMeans(20), {"label_per_class": 5}, False),
        (ControlledForgettingClassifier(n_neurons=40, threshold=15.0, random_state=0), {}, True),
        (FirstFeature(), {}, True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_learners_of_any_make(learner, more, told, digits):
    result = run((digits, split(digits.y_train)), learner, **more)
    assert result.labels_told == told
    if isinstance(learner, FirstFeature):  # it knows the last class alone
        assert result.accuracy == pytest.approx(0.1)
        assert result.forgetting == pytest.approx(0.5)
    else:
        assert result.R[0, 0] >= 0.8


@pytest.mark.parametrize("supervised", [True, False])
def test_one_sample_at_a_time(supervised):
    few = load("digits").limited(6, 2)
    result = run((few, split(few.y_train)), RiverLike(supervised))
    assert result.labels_told == supervised
    assert result.accuracy > 0.6


def test_rivers_own_learners():
    pytest.importorskip("river")
    from river import cluster, naive_bayes, preprocessing

    few = load("digits").limited(10, 4)
    bayes = preprocessing.StandardScaler() | naive_bayes.GaussianNB()
    assert run((few, split(few.y_train)), bayes).labels_told
    assert not run((few, split(few.y_train)), cluster.KMeans(n_clusters=10, seed=0)).labels_told


def own_tasks(data):
    names = np.array([f"digit {c}" for c in range(10)])
    for classes in ((0, 1), (2, 3)):
        train, test = (np.isin(y, classes) for y in (data.y_train, data.y_test))
        shape = (-1, 8, 8)
        yield {
            "name": f"{classes}",
            "X": data.X_train[train].reshape(shape),
            "y": names[data.y_train[train]].astype(object),
            "X_test": data.X_test[test].reshape(shape),
            "y_test": names[data.y_test[test]].astype(object),
        }


def test_streams_of_any_make_are_the_same(digits):
    """A generator of dictionaries with named classes, tuples, four arrays, a data set with tasks."""
    four = digits.rows(digits.y_train < 4, digits.y_test < 4)
    tasks = [replace(t, indices=np.sort(t.indices)) for t in split(four.y_train)]
    expected = run((four, tasks), GaussianNB())
    named = run(own_tasks(digits), GaussianNB())
    assert named.classes == ["digit 0", "digit 1", "digit 2", "digit 3"]
    assert named.task_names == ["(0, 1)", "(2, 3)"]
    tuples = [(t["X"], t["y"], t["X_test"], t["y_test"]) for t in own_tasks(digits)]
    for result in (named, run(tuples, GaussianNB()), run(iter(tuples), GaussianNB())):
        assert np.array_equal(result.R, expected.R, equal_nan=True)
    arrays = run((four.X_train, four.y_train, four.X_test, four.y_test), GaussianNB())
    assert np.array_equal(arrays.R, run(four, GaussianNB()).R, equal_nan=True)


def experience(X, y):
    """As Avalanche's: a data set that yields (x, y, task label)."""
    return SimpleNamespace(
        dataset=[(x.reshape(1, 8, 8), int(label), 0) for x, label in zip(X, y, strict=True)]
    )


def test_a_benchmark_with_the_face_of_avalanche(digits):
    tasks = split(digits.y_train)
    train = [experience(digits.X_train[t.indices], digits.y_train[t.indices]) for t in tasks]
    own = [np.isin(digits.y_test, t.classes) for t in tasks]
    tests = [experience(digits.X_test[rows], digits.y_test[rows]) for rows in own]
    expected = run((digits, tasks), OnlineKMeans(30)).R
    whole = [experience(digits.X_test, digits.y_test)]
    for test in (tests, whole):
        benchmark = SimpleNamespace(train_stream=train, test_stream=test)
        assert np.array_equal(run(benchmark, OnlineKMeans(30)).R, expected, equal_nan=True)
    with pytest.raises(ValueError, match="5 training and 2 test experiences"):
        run(SimpleNamespace(train_stream=train, test_stream=tests[:2]), OnlineKMeans(30))


def test_a_folder_for_report_and_comparison(digits, tmp_path):
    folders = [tmp_path / "bayes", tmp_path / "kmeans"]
    for folder, learner in zip(folders, (GaussianNB(), OnlineKMeans(20)), strict=True):
        result = run((digits, split(digits.y_train)), learner, out=folder, name="small digits")
        assert result.folder == folder
        assert Result.load(folder).R.tolist()[-1] == result.R.tolist()[-1]
        page = write_report(folder).read_text()
        assert f"{type(learner).__name__}" in page
        assert "Dopaminergic" not in page
        assert ("was told the label" in page) == (folder.name == "bayes")
    assert (
        "small digits, OnlineKMeans, 20 prototypes"
        in write_comparison(folders, tmp_path).read_text()
    )
    assert resume(folders[0]).status == "finished"
    with pytest.raises(ValueError, match="holds a finished run"):
        run(digits, GaussianNB(), out=folders[0])


@pytest.mark.parametrize("learner", ["minibatch-kmeans", "slda"])
def test_another_learner_stopped_and_resumed_gives_the_same_bits(learner, tmp_path):
    config = Config.of(learner=learner, stream="returning", **settings(learner))

    class Killed(BaseException):
        pass

    def die(event):
        if event["event"] == "task" and event["tasks_seen"] == 7:
            raise Killed

    whole = run(config, tmp_path / "whole").folder
    with pytest.raises(Killed):
        run(config, tmp_path / "cut", die)
    cut = resume(tmp_path / "cut").folder
    assert (whole / "arrays.safetensors").read_bytes() == (cut / "arrays.safetensors").read_bytes()
    documents = [json.loads((folder / "run.json").read_text()) for folder in (whole, cut)]
    assert documents[0]["evaluations"] == documents[1]["evaluations"]
    assert documents[0]["summary"] == documents[1]["summary"]
    assert not (cut / "checkpoint.safetensors").exists()
    assert not (cut / "model.safetensors").exists()


def test_the_network_goes_on_in_a_changing_world(tmp_path, same_bits):
    config = Config.of(stream="drifting", checkpoint_samples=16, **settings("cfn"))

    class Killed(BaseException):
        pass

    def die(event):
        if event["event"] == "learning" and event["samples_done"] > 150:
            raise Killed

    with pytest.raises(Killed):
        run(config, tmp_path / "cut", die)
    same_bits(run(config, tmp_path / "whole").folder, resume(tmp_path / "cut").folder)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"stream": "split:0"}, "stream='split:0': expected classes, split:2"),
        ({"stream": "spilt"}, "stream='spilt': expected classes"),
        ({"learner": "knn"}, "learner='knn': expected one of cfn, kmeans"),
        ({"learner": "kmeans", "threshold": 3.0}, "has no setting threshold"),
        ({"learner": "ncm", "neurons": 5}, "has no setting neurons"),
        ({"learner": "som", "readout": "dominant"}, "has no setting readout"),
        ({"learner": "cfn:x=1"}, "settings have options of their own"),
        ({"stream": "drifting", "order": "interleaved"}, "with order='interleaved'"),
        ({"stream": "drifting", "twin": True}, "no twin with drifting"),
        ({"stream": "returning", "classes": (3, 1)}, "rising ones with returning"),
        ({"stream": "changing-looks", "layer": "edges"}, "features cannot be turned"),
    ],
)
def test_settings_that_do_not_go_together(given, why):
    with pytest.raises(ValueError, match=why):
        Config.of(**given)


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        ("fuzzy-art:vigilence=0.5", "fuzzy-art has no setting 'vigilence'; it has choice"),
        ("fuzzy-art:vigilance=high", "'high' is not a number"),
    ],
)
def test_settings_of_a_learner(learner, why, tmp_path):
    with pytest.raises(ValueError, match=why):
        run(Config(dataset="digits", learner=learner), tmp_path / "run")


@pytest.mark.parametrize(
    ("stream", "learner", "error", "why"),
    [
        (3, GaussianNB(), TypeError, "a int is no stream: expected a Dataset"),
        ([], GaussianNB(), ValueError, "the stream has no task"),
        ([(1, 2)], GaussianNB(), ValueError, "task 0 is a tuple: expected X, y, X_test, y_test"),
        (
            [([[1]], [0, 1], [[1]], [0])],
            GaussianNB(),
            ValueError,
            "expected a label for each sample",
        ),
        ([([[1]], [0], [[1, 2]], [0])], GaussianNB(), ValueError, r"samples of \[1, 2\] features"),
        (
            [([[1]], [0], [[1]], [1])],
            GaussianNB(),
            ValueError,
            r"classes \[1\] that no task teaches",
        ),
        ([([[1]], [0], [[1]], [0])], object(), TypeError, "a object cannot learn from a stream"),
    ],
)
def test_what_cannot_be_run_is_named(stream, learner, error, why):
    with pytest.raises(error, match=why):
        run(stream, learner)


def test_answers_that_are_no_clusters_are_refused(digits):
    class Halves(OnlineKMeans):
        def predict(self, X):
            return super().predict(X) / 2

    with pytest.raises(ValueError, match="expected a whole number for each"):
        run(digits, Halves(3))
