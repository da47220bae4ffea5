"""NIR files: nothing is lost, others can read them, and nothing bad gets in."""

import json
import math
import sys
from dataclasses import replace

import h5py
import nir
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lethenet
from lethenet.interchange import hdf5
from lethenet.model import PAPER, Network, Rule, initial_state
from lethenet.model.state import ARRAY_FIELDS

LABELS = [np.arange(10), np.array(list("abcdefghij")), np.arange(10) % 2 == 0]


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def network(digits):
    network = Network(replace(PAPER, threshold=15.5), initial_state(12, 64, 2**63 + 5))
    network.learn(digits[0][:40])
    return network


@pytest.fixture
def written(tmp_path, network):
    path = tmp_path / "layer.nir"
    lethenet.write_nir(path, network)
    return path


def assert_equal(a, b):
    assert (a.parameters, a.candidates) == (b.parameters, b.candidates)
    assert (a.state.seed, a.state.n_presentations) == (b.state.seed, b.state.n_presentations)
    for name in ARRAY_FIELDS:
        assert getattr(a.state, name).tobytes() == getattr(b.state, name).tobytes(), name


def foreign(path, weights, *, kind=nir.Linear, tau=0.02, r=200.0, threshold=7.0, **more):
    """What somebody else would write: no metadata, names of their own."""
    n, doubles = len(weights), np.asarray(weights, np.float64)
    values = {"tau": tau, "r": r, "v_threshold": threshold, "v_leak": 0.0, "v_reset": 0.0, **more}
    lif = nir.LIF(**{k: np.broadcast_to(v, n).astype(float) for k, v in values.items()})
    linear = kind(doubles) if kind is nir.Linear else kind(doubles, np.zeros(n))
    nir.write(path, nir.NIRGraph.from_list(linear, lif))
    return path


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(1, 20),
    st.integers(0, 2**64 - 1),
    st.floats(0.1, 100),
    st.floats(4, 500),
    st.floats(1e-3, 3.9),
    st.booleans(),
)
def test_reading_gives_what_was_written(
    tmp_path_factory, neurons, inputs, seed, threshold, tau, time_step, normalise
):
    p = replace(PAPER, threshold=threshold, tau_mem=tau, normalise_weights=normalise)
    network = Network(p, initial_state(neurons, inputs, seed), candidates="all")
    network.state.usage[:] = np.linspace(0, 1, neurons)
    if not normalise:
        network.state.weights *= np.float32(3.7)
    path = tmp_path_factory.mktemp("nir") / "layer.nir"
    lethenet.write_nir(path, network, time_step=time_step)
    assert_equal(lethenet.read_nir(path), network)


@pytest.mark.parametrize("labels", LABELS, ids=["int", "str", "bool"])
def test_a_classifier_comes_back_whole(tmp_path, digits, labels):
    X, y = digits
    model = lethenet.ControlledForgettingClassifier(
        n_neurons=15, threshold=15.5, random_state=7, readout="histogram"
    )
    model.fit(X[:60], labels[y[:60]])
    lethenet.write_nir(tmp_path / "m.nir", model)
    back = lethenet.read_nir(tmp_path / "m.nir")
    assert back.get_params() == model.get_params()
    assert_equal(back.network_, model.network_)
    assert (back.classes_.tolist(), back.classes_.dtype) == (
        model.classes_.tolist(),
        model.classes_.dtype,
    )
    assert (back.label_counts_ == model.label_counts_).all()
    assert (back.predict(X[60:90]) == model.predict(X[60:90])).all()


def test_nir_itself_reads_what_it_needs(written, network):
    graph = nir.read(written)
    assert graph.edges == [("input", "weights"), ("weights", "neurons"), ("neurons", "output")]
    assert graph.nodes["weights"].weight.tobytes() == network.state.weights.tobytes()
    lif = graph.nodes["neurons"]
    assert set(lif.v_threshold) == {15.5}
    assert set(lif.v_leak) == set(lif.v_reset) == {0.0}
    np.testing.assert_allclose(lif.tau, 0.015)
    np.testing.assert_allclose(lif.r * 1e-4 / lif.tau, 1.0)  # a spike adds its weight


def test_the_layer_in_time_steps_fires_as_ours_does(tmp_path, network, digits):
    """Forward Euler over the file alone, as Norse, SpikingJelly and snnTorch do it."""
    lethenet.write_nir(tmp_path / "fine.nir", network, time_step=0.01)
    graph = nir.read(tmp_path / "fine.nir")
    lif, weights = graph.nodes["neurons"], graph.nodes["weights"].weight.astype(float)
    drive = weights @ (digits[0][0] / np.linalg.norm(digits[0][0]))
    v, dt = np.zeros(len(weights)), 1e-4
    for _ in range(20_000):  # constant input of rate one: potentials tend to τ w·x
        v += dt / lif.tau * (-v + lif.r * drive * 0.01)
    np.testing.assert_allclose(v, 15.0 * drive, rtol=1e-4)


@pytest.mark.parametrize("kind", [nir.Linear, nir.Affine])
def test_a_file_from_somebody_else(tmp_path, digits, kind):
    weights = np.random.default_rng(0).random((5, 64)).astype(np.float32)
    back = lethenet.read_nir(foreign(tmp_path / "f.nir", weights, kind=kind))
    assert isinstance(back, Network)
    assert back.state.weights.tobytes() == weights.tobytes()
    assert back.parameters.threshold == 7.0
    assert math.isclose(back.parameters.tau_mem, 20.0)
    assert not back.parameters.normalise_weights
    assert (back.recognise(digits[0][:5]).winners >= 0).all()


def test_the_time_step_and_r_of_somebody_else(tmp_path):
    path = foreign(tmp_path / "f.nir", np.eye(3), tau=0.01, r=1.0, threshold=0.5)
    p = lethenet.read_nir(path, step_seconds=1e-3, time_step=1.0).parameters
    assert (p.tau_mem, p.threshold) == (10.0, 5.0)  # a spike adds a tenth of its weight
    assert p.normalise_weights
    with pytest.raises(ValueError, match=r"time_step=0.* expected a number above 0"):
        lethenet.read_nir(path, time_step=0)


def test_without_our_metadata_the_layer_is_left(written, network):
    with h5py.File(written, "a") as file:
        del file["node/metadata"]
    back = lethenet.read_nir(written)
    assert back.state.weights.tobytes() == network.state.weights.tobytes()
    assert back.parameters.threshold == 15.5
    assert math.isclose(back.parameters.tau_mem, 15.0)
    assert back.parameters.normalise_weights


def put(name, value):
    """Replace a data set of the file."""

    def change(file):
        del file[name]
        file[name] = value

    return change


def metadata(**changes):
    def change(file):
        document = json.loads(file["node/metadata/lethenet"][()])
        put("node/metadata/lethenet", json.dumps({**document, **changes}))(file)

    return change


def elsewhere(file):
    del file["node/nodes/weights/weight"]
    file["node/nodes/weights/weight"] = h5py.ExternalLink("/etc/hostname", "x")


def outside(file):
    del file["node/nodes/weights/weight"]
    file["node/nodes/weights"].create_dataset(
        "weight", (12, 64), "f4", external=[("/etc/hostname", 0, 3072)]
    )


def bomb(file):
    del file["node/nodes/weights/weight"]
    file["node/nodes/weights"].create_dataset("weight", (2**13, 2**12), "f4", chunks=(64, 64))


def loop(file):
    del file["node/nodes/weights"]
    file["node/nodes/weights"] = file["node/nodes"]


LIF = "node/nodes/neurons/"
WEIGHT = "node/nodes/weights/weight"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(WEIGHT, np.full((12, 64), np.nan)), "weights/weight holds nan: expected finite"),
        (put(WEIGHT, np.full((12, 64), -0.5)), r"weight=-0.5 is out of range: expected 0 to 1e6"),
        (put(WEIGHT, np.full((12, 64), 1e300)), r"weight=1e\+300 is out of range"),
        (put(WEIGHT, np.ones(12)), r"weight=\(12,\) is out of range: expected neurons × inputs"),
        (put(WEIGHT, np.ones((0, 64))), r"weight=\(0, 64\) is out of range"),
        (put(WEIGHT, np.ones((3, 64)) / 8), r"one value for all 3 neurons"),
        (put(WEIGHT, np.ones((12, 64)) / 9), "weights are not of length one"),
        (
            put(WEIGHT, np.ones((12, 5)) / math.sqrt(5)),
            r"state.trace is float64 \(64,\), expected float64 \(f=5\)",
        ),
        (put(WEIGHT, "text"), "weight has type object: expected numbers"),
        (
            put(LIF + "tau", np.full(12, -1.0)),
            r"neurons/tau=-1.0 is out of range: expected above 0",
        ),
        (put(LIF + "r", np.zeros(12)), r"neurons/r=0.0 is out of range: expected above 0"),
        (put(LIF + "v_threshold", np.full(12, np.inf)), "v_threshold holds inf"),
        (put(LIF + "v_threshold", np.arange(12.0)), "expected one value for all 12 neurons"),
        (
            put(LIF + "v_threshold", np.full(12, 3.0)),
            "threshold=3.0, but .* threshold=15.5. Delete",
        ),
        (put(LIF + "tau", np.full(12, 0.1)), r"layer has threshold=.*Delete /node/metadata"),
        (put(LIF + "v_leak", np.full(12, 0.1)), "v_leak=0.1 is out of range: expected 0: shift"),
        (put(LIF + "v_reset", np.full(12, 1.0)), "v_reset=1.0 is out of range: expected 0"),
        (put(LIF + "type", "CubaLIF"), "Linear.* are not one feed-forward layer: expected Input →"),
        (put(LIF + "type", "LI"), "are not one feed-forward layer"),
        (put("node/edges", [["input", "weights"]] * 3), "are not one feed-forward layer"),
        (put("node/edges", np.zeros((9, 2))), "expected text of shape"),
        (lambda f: f.__delitem__("node/nodes/output"), "the 3 nodes .* are not one"),
        (lambda f: f.copy("node/nodes/neurons", "node/nodes/more"), "the 5 nodes .* are not one"),
        (lambda f: f.__delitem__("node"), "/node is missing: expected a group"),
        (lambda f: f.__delitem__(LIF + "tau"), "neurons/tau is missing: expected a dataset"),
        (
            lambda f: f.__delitem__("node/metadata/lethenet.state.usage"),
            "the array state.usage is missing",
        ),
        (put("node/metadata/lethenet", "[" * 100_000), "metadata.lethenet is damaged: .*recursion"),
        (put("node/metadata/lethenet", "{"), "lethenet is damaged: Expecting"),
        (put("node/metadata/lethenet", "[1]"), "expected an object, found list"),
        (put("node/metadata/lethenet.state.usage", np.full(12, np.nan)), "usage holds nan"),
        (metadata(nir={}), "time_step=None is out of range"),
        (metadata(nir={"time_step": 1e-300}), "time_step=1e-300 is out of range"),
        (metadata(nir={"time_step": 0.2}), "layer has tau_mem=30.*, but lethenet's metadata"),
        (metadata(format="other"), "is not a lethenet model but 'other'"),
        (metadata(format_version=9), "has model format 9; this lethenet reads 1"),
        (metadata(kind="os.system"), "kind 'os.system' is unknown"),
        (metadata(seed="-1"), "seed is .-1., expected 0 to 2"),
        (elsewhere, "weights/weight is ExternalLink: expected a dataset"),
        (outside, "weight has no data in this file"),
        (bomb, r"claims 134217728 bytes \(shape \(8192, 4096\)\): more than this file can hold"),
        (loop, "nodes/weights/type is missing|is not one|are not one"),
    ],
)
def test_damaged_or_hostile(written, change, message):
    with h5py.File(written, "a") as file:
        change(file)
    with pytest.raises(ValueError, match=message) as caught:
        lethenet.read_nir(written)
    assert str(written) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_truncated_empty_or_something_else(written):
    content = written.read_bytes()
    others = [content[: len(content) * i // 20] for i in range(20)]
    for bad in [*others, b"PK\x03\x04 certainly not this" * 10, content[:512] + bytes(9000)]:
        written.write_bytes(bad)
        with pytest.raises(ValueError, match=r"layer\.nir"):
            lethenet.read_nir(written)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_flipped_bytes_give_a_model_or_one_line(tmp_path_factory, network, data):
    path = tmp_path_factory.mktemp("flipped") / "layer.nir"
    lethenet.write_nir(path, network)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    said = ""
    try:
        weights = lethenet.read_nir(path).state.weights
    except ValueError as error:
        weights, said = np.zeros((1, 1)), str(error)
    assert "\n" not in said
    assert np.isfinite(weights).all()
    assert weights.min() >= 0


def test_a_heap_in_which_hdf5_would_run_in_circles(written):
    content = bytearray(written.read_bytes())
    start = content.find(b"GCOL")
    place = start + 16
    while int.from_bytes(content[place : place + 2], "little"):  # up to its free space
        place += 16 + -(-int.from_bytes(content[place + 8 : place + 16], "little") // 8) * 8
    content[place + 8 : place + 16] = bytes(8)
    written.write_bytes(content)
    with pytest.raises(ValueError, match="a heap of texts is damaged"):
        lethenet.read_nir(written)


def test_too_large_missing_or_a_folder(written, monkeypatch, tmp_path):
    monkeypatch.setattr(hdf5, "MAX_BYTES", 1000)
    with pytest.raises(ValueError, match="such a file has 1,000 at most"):
        lethenet.read_nir(written)
    with pytest.raises(ValueError, match="not an ordinary file, but a folder"):
        lethenet.read_nir(tmp_path)
    with pytest.raises(FileNotFoundError):
        lethenet.read_nir(tmp_path / "nothing")


@pytest.mark.parametrize("time_step", [0, -1, math.nan, math.inf, 15.0])
def test_a_time_step_that_no_simulator_could_take(tmp_path, network, time_step):
    with pytest.raises(ValueError, match=r"time_step=.* expected above 0, below tau_mem \(15.0\)"):
        lethenet.write_nir(tmp_path / "x.nir", network, time_step=time_step)
    assert list(tmp_path.iterdir()) == []


def test_a_rule_of_ones_own_is_asked_for(tmp_path):
    def half(weight, pre, rate, offset):
        return weight + 0.5 * rate * (pre - weight)

    rule = Rule(step=half)
    network = Network(replace(PAPER, stdp=rule), initial_state(3, 4, 0))
    lethenet.write_nir(tmp_path / "m.nir", network)
    with pytest.raises(ValueError, match="the rule 'half', which is not built in"):
        lethenet.read_nir(tmp_path / "m.nir")
    assert_equal(lethenet.read_nir(tmp_path / "m.nir", rule=rule), network)


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(TypeError, match="a dict cannot be saved: expected"):
        lethenet.write_nir(tmp_path / "m.nir", {})


def test_without_the_packages_it_says_what_to_install(tmp_path, network, written, monkeypatch):
    monkeypatch.setitem(sys.modules, "nir", None)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"pip install 'lethenet\[nir\]'"):
        lethenet.write_nir(tmp_path / "x.nir", network)
    with pytest.raises(ImportError, match=r"pip install 'lethenet\[nir\]'"):
        lethenet.read_nir(written)
