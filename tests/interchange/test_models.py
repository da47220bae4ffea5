"""Model files: nothing is lost, and nothing bad gets in."""

import json
import os
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import lethenet
from lethenet.interchange import read_arrays, replacing, write_arrays
from lethenet.model import PAPER, RULES, Network, Rule, initial_state
from lethenet.model.state import ARRAY_FIELDS


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


@pytest.fixture
def saved(tmp_path, digits):
    X, y = digits
    model = lethenet.ControlledForgettingClassifier(n_neurons=15, threshold=15.5, random_state=7)
    path = tmp_path / "model.safetensors"
    lethenet.save(model.fit(X[:60], y[:60]), path)
    return path


LEARN_30_MORE = """
import sys, lethenet, numpy as np
from sklearn.datasets import load_digits
X = load_digits().data
network = lethenet.load(sys.argv[1])
network.learn(X[30:60])
lethenet.save(network, sys.argv[2])
"""


def test_learning_goes_on_bit_for_bit_in_a_new_process(tmp_path, digits):
    X = digits[0]
    p = replace(PAPER, threshold=15.5, age_weight=0.2, carry_trace=True)
    whole = Network(p, initial_state(20, 64, 2**63 + 11))
    whole.learn(X[:60])
    half = Network(p, initial_state(20, 64, 2**63 + 11))
    half.learn(X[:30])
    lethenet.save(half, tmp_path / "half.safetensors")
    subprocess.run(
        [sys.executable, "-c", LEARN_30_MORE, tmp_path / "half.safetensors", tmp_path / "b"],
        check=True,
    )
    resumed = lethenet.load(tmp_path / "b")
    assert resumed.parameters == p
    assert (resumed.state.seed, resumed.state.n_presentations) == (2**63 + 11, 60)
    for name in ARRAY_FIELDS:
        expected = getattr(whole.state, name)
        assert getattr(resumed.state, name).tobytes() == expected.tobytes(), name


@pytest.mark.parametrize(
    "labels", [np.arange(10), np.array(list("abcdefghij"))], ids=["int", "str"]
)
def test_an_estimator_comes_back_whole(tmp_path, digits, labels):
    X, y = digits
    model = lethenet.ControlledForgettingClassifier(
        n_neurons=15, threshold=15.5, random_state=7, readout="histogram", n_jobs=2
    )
    model.fit(X[:60], labels[y[:60]])
    lethenet.save(model, tmp_path / "m")
    back = lethenet.load(tmp_path / "m")
    assert back.get_params() == model.get_params()
    assert (back.predict(X[:50]) == model.predict(X[:50])).all()
    back.partial_fit(X[60:90], labels[y[60:90]])
    model.partial_fit(X[60:90], labels[y[60:90]])
    assert back.weights_.tobytes() == model.weights_.tobytes()
    assert (back.label_counts_ == model.label_counts_).all()


def test_numpy_integers_are_kept(tmp_path, digits):
    model = lethenet.ControlledForgettingNetwork(
        n_neurons=np.int64(5), random_state=np.int64(3), n_jobs=np.int32(1)
    )
    lethenet.save(model.fit(digits[0][:5]), tmp_path / "m")
    assert lethenet.load(tmp_path / "m").get_params() == model.get_params()


def test_the_file_is_plain_safetensors_with_json(saved):
    tensors = load_file(saved)
    assert tensors["state.weights"].dtype == np.float32
    _, metadata = read_arrays(saved)
    assert metadata["format_version"] == 1
    assert metadata["parameters"]["threshold"] == 15.5


def test_truncated(saved):
    content = saved.read_bytes()
    for keep in (0, 4, 100, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:keep])
        with pytest.raises(ValueError, match="not a complete safetensors file"):
            lethenet.load(saved)


def test_foreign(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(b"PK\x03\x04 certainly not this" * 10)
    with pytest.raises(ValueError, match="not a complete safetensors file"):
        lethenet.load(path)
    save_file({"x": np.zeros(3)}, path)
    with pytest.raises(ValueError, match="lethenet did not write it"):
        lethenet.load(path)
    write_arrays(path, {"x": np.zeros(3)}, {"format": "something else"})
    with pytest.raises(ValueError, match="is not a lethenet model but 'something else'"):
        lethenet.load(path)


def test_a_header_that_promises_terabytes(tmp_path):
    header = json.dumps(
        {"x": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}
    ).encode()
    path = tmp_path / "huge"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="not a complete safetensors file"):
        lethenet.load(path)


def test_oversized(tmp_path, monkeypatch, saved):
    monkeypatch.setenv("LETHENET_MAX_BYTES", "1000")
    with pytest.raises(ValueError, match="more than the limit of 1,000"):
        lethenet.load(saved)


def _rewrite(path, change):
    arrays, metadata = read_arrays(path)
    change(arrays, metadata)
    # straight to the library: write_arrays would refuse some of this
    header = {"lethenet": json.dumps(metadata)}
    save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, path, metadata=header)


def _links(partner, count):
    """Tables of links in which only neuron 0 has one."""
    partners, counts = np.full((15, 2), -1, np.int32), np.zeros((15, 2), np.int32)
    partners[0, 0], counts[0, 0] = partner, count
    return {"state.link_partners": partners, "state.link_counts": counts}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, m: a["state.weights"].__setitem__((0, 0), np.nan), "holds NaN or infinity"),
        (lambda a, m: a["state.usage"].__setitem__(0, np.inf), "holds NaN or infinity"),
        (
            lambda a, m: a["state.weights"].__setitem__((0, 0), -1),
            "state.weights holds -1, expected 0 to",
        ),
        (lambda a, m: a["state.weights"].__setitem__((0, 0), 7), "not of length one"),
        (lambda a, m: a.pop("state.usage"), "the array state.usage is missing"),
        (
            lambda a, m: a.update({"state.usage": np.zeros(3)}),
            r"state.usage is float64 \(3,\), expected float64 \(n=15\)",
        ),
        (
            lambda a, m: a.update({"state.weights": np.zeros((15, 64))}),
            r"state.weights is float64 \(15, 64\), expected float32",
        ),
        (lambda a, m: m.update(format_version=99), "has model format 99; this lethenet reads 1"),
        (lambda a, m: m.update(kind="os.system"), "kind 'os.system' is unknown"),
        (lambda a, m: m["parameters"].update(threshold=-1), "threshold=-1.0 is out of range"),
        (lambda a, m: m["parameters"].update(secret=1), "is damaged: the parameter 'secret'"),
        (lambda a, m: m.pop("seed"), "is damaged: seed is missing"),
        (lambda a, m: m.update(seed="-3"), "seed is '-3', expected 0 to"),
        (lambda a, m: m.update(n_presentations=-1), "n_presentations is -1, expected"),
        (
            lambda a, m: a.update({"estimator.label_counts_": np.zeros((2, 2), int)}),
            "label_counts_",
        ),
        (
            lambda a, m: a.update({"estimator.asked_": np.zeros(2, bool)}),
            r"the array asked_ is bool \(2,\)",
        ),
        (lambda a, m: m.pop("estimator"), "estimator is None, expected an object"),
        (lambda a, m: m["estimator"].pop("readout"), "estimator.readout is missing"),
        (lambda a, m: m["estimator"].update(readout=[]), r"estimator.readout is \[\], expected"),
        (lambda a, m: m["estimator"].update(n_jobs="nan"), "estimator.n_jobs is 'nan', expected"),
        (lambda a, m: m["estimator"].update(shell=1), "estimator.shell is not known"),
        (lambda a, m: a.pop("estimator.classes_"), "classes_ is missing"),
        (
            lambda a, m: a["estimator.classes_"].__setitem__(0, 9),
            "is no list of classes that rises",
        ),
        (
            lambda a, m: a["estimator.label_counts_"].__setitem__((0, 0), -1),
            "label_counts_ holds -1, expected 0 to",
        ),
        (lambda a, m: a.update(_links(99, 1)), "neurons that are not there"),
        (lambda a, m: a.update(_links(-2, 1)), "link_partners holds -2, expected -1 to"),
        (lambda a, m: a.update(_links(3, 1)), "links of the two ends differ"),
        (lambda a, m: a.update(_links(-1, 1)), "links of the two ends differ"),
        (lambda a, m: a.update(_links(0, 1)), "linked with itself"),
        (lambda a, m: a.update(_links(-1, -1)), "link_counts holds -1, expected 0 to"),
    ],
)
def test_damaged_or_hostile(saved, change, message):
    _rewrite(saved, change)
    with pytest.raises(ValueError, match=message):
        lethenet.load(saved)


def test_what_cannot_be_saved_is_said_with_what_can(tmp_path, digits):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    model = lethenet.ControlledForgettingNetwork(n_neurons=4, random_state=0)
    pipeline = make_pipeline(MinMaxScaler(), model).fit(digits[0][:10])
    with pytest.raises(
        TypeError, match=r"a MinMaxScaler cannot be saved: .*Save the network behind it"
    ):
        lethenet.save(pipeline, tmp_path / "m")
    assert not (tmp_path / "m").exists()
    lethenet.save(pipeline[-1], tmp_path / "m")


def test_the_directory_of_a_run_gives_its_model(tmp_path):
    from lethenet.lifelong import Config, run

    config = Config.of(
        dataset="digits", neurons=20, threshold=15.0, classes=(0, 1), train_per_class=20
    )
    result = run(config, tmp_path / "run")
    loaded = lethenet.load(tmp_path / "run")
    assert loaded.weights_.tobytes() == result.model.weights_.tobytes()
    (tmp_path / "run" / "model.safetensors").unlink()
    with pytest.raises(ValueError, match=r"a folder without model\.safetensors: expected a model"):
        lethenet.load(tmp_path / "run")


def test_a_model_has_one_number_of_neurons_and_one_seed(tmp_path, digits):
    """``set_params`` after learning counts from the next partial_fit on; the file has what learned."""
    model = lethenet.ControlledForgettingNetwork(n_neurons=5, random_state=0).fit(digits[0][:9])
    model.set_params(n_neurons=9, random_state=4, threshold=20.0)
    lethenet.save(model, tmp_path / "m")
    back = lethenet.load(tmp_path / "m")
    assert (back.n_neurons, len(back.weights_), back.random_state, back.threshold) == (
        5,
        5,
        0,
        13.5,
    )
    assert back.partial_fit(digits[0][9:12]).n_presentations_ == 12
    # the same from a file that an older version wrote
    _rewrite(tmp_path / "m", lambda a, m: m["estimator"].update(n_neurons=9))
    assert lethenet.load(tmp_path / "m").n_neurons == 5


def test_a_rule_of_ones_own_is_asked_for(tmp_path, digits):
    def half(weight, pre, rate, offset):
        return weight + 0.5 * rate * (pre - weight)

    def harsh(weight, pre, rate, offset):
        return weight + 0.9 * rate * (pre - weight)

    rule = Rule(step=half)
    model = lethenet.ControlledForgettingNetwork(n_neurons=5, random_state=0, stdp=rule)
    lethenet.save(model.fit(digits[0][:9]), tmp_path / "m")
    with pytest.raises(ValueError, match="the rule 'half', which is not built in: give it"):
        lethenet.load(tmp_path / "m")
    with pytest.raises(ValueError, match=r"another rule than rule=half: .* the code differs"):
        lethenet.load(tmp_path / "m", rule=Rule(step=harsh, name="half"))
    back = lethenet.load(tmp_path / "m", rule=rule)
    assert back.stdp is rule
    again = [m.partial_fit(digits[0][9:20]).weights_.tobytes() for m in (back, model)]
    assert again[0] == again[1]
    lethenet.save(model.set_params(stdp=RULES["static"]).fit(digits[0][:9]), tmp_path / "m")
    assert lethenet.load(tmp_path / "m").stdp == "static"
    with pytest.raises(ValueError, match="made with the built-in rule 'static'"):
        lethenet.load(tmp_path / "m", rule=rule)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        lethenet.load(tmp_path / "nothing")


def test_unfitted_estimators_are_not_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        lethenet.save(lethenet.ControlledForgettingNetwork(), tmp_path / "x")


def test_a_failed_write_leaves_the_old_file(saved, digits):
    before = saved.read_bytes()

    def attempt():
        with replacing(saved) as draft:
            draft.write_text("half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        attempt()
    assert saved.read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == [saved.name], "no leftovers"


SAVE_WITHOUT_ROOM = """
import resource, signal, sys, numpy as np, lethenet
from lethenet.model import PAPER, Network, initial_state
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    lethenet.save(Network(PAPER, initial_state(200, 300, 1)), sys.argv[1])
except OSError as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs file size limits")
def test_no_room_is_a_clear_error_and_loses_nothing(saved):
    before = saved.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", SAVE_WITHOUT_ROOM, saved],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "Cannot write" in done.stdout
    assert "untouched" in done.stdout
    assert saved.read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == [saved.name]


def test_no_folder(tmp_path):
    with pytest.raises(OSError, match=r"Cannot write .*nowhere"):
        write_arrays(tmp_path / "nowhere" / "x", {}, {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="Cannot write"):
        write_arrays(tmp_path / "x", {}, {})
