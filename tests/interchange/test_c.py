"""The C for devices: the bits of the Python reference, under sanitizers, whatever it is called with."""

import copy
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethenet.data import load
from lethenet.interchange.c import c_sources
from lethenet.interchange.c.host import WARNINGS, HostNetwork, image_of
from lethenet.interchange.c.sources import write_files
from lethenet.model import ANNEALED, Network, as_bytes, initial_state, quantise

HERE = Path(__file__).parent / "c"
SANITISED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
BRIEF = replace(
    ANNEALED, threshold=3.5, tau_mem=4.0, tau_pre=50.0, recognition_time=25.0,
    n_output_spikes=2, n_readout_spikes=2,
)  # fmt: skip
"""Few input spikes per sample, so that plain Python gets through thousands of them."""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def network(n_neurons=20, n_features=64, seed=0, parameters=BRIEF, n_classes=10, **options):
    integers = quantise(Network(parameters, initial_state(n_neurons, n_features, seed)), **options)
    integers.constants = replace(integers.constants, n_classes=n_classes)
    integers.labels = np.zeros((n_neurons, n_classes), np.int64)
    return integers


def program(folder, integers, main, compiler="cc", flags=SANITISED, learning=True):
    """Compile the C of a network with one of the programs beside this file."""
    write_files(folder, c_sources(integers, learning=learning))
    out = Path(folder) / f"{main}-{compiler}"
    sources = [str(HERE / f"{main}.c"), str(Path(folder) / "network.c")]
    command = [compiler, *WARNINGS, *flags, f"-I{folder}", *sources, "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return out


def sanitises(compiler, folder):
    """Whether a compiler is there with the libraries that sanitizers need."""
    if shutil.which(compiler) is None:
        return False
    (folder / "nothing.c").write_text("int main(void) { return 0; }\n")
    command = [compiler, *SANITISED, str(folder / "nothing.c"), "-o", str(folder / "nothing")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def records(kinds, labels, X):
    return b"".join(
        bytes([ord(k), y]) + x.tobytes() for k, y, x in zip(kinds, labels, X, strict=True)
    )


def in_python(integers, kinds, labels, X):
    """What the C prints for these records, from the reference, which learns by it."""
    lines = []
    for kind, label, x in zip(kinds, labels, X, strict=True):
        if kind == "l":
            shown = integers.learn(x)
            integers.teach(shown, label)
        else:
            shown = integers.recognise(x)
        numbers = (shown.imprinted, shown.n_input_spikes, shown.n_raises, integers.vote(shown))
        fired = "".join(f" {j}" for j in shown.winners)
        lines.append(f"{' '.join(map(str, numbers))} {integers.novelty(x)}:{fired}")
    return lines


@cache
def digits():
    data = load("digits")
    order = np.argsort(data.y_train, kind="stable")
    rows = np.resize(order, 5000)
    return as_bytes(data.X_train)[rows], data.y_train[rows], as_bytes(data.X_test)


@cache
def thousands():
    """5,000 learned and 2,000 recognised presentations by the reference: once for all compilers."""
    X, y, test = digits()
    X = np.concatenate([X, np.resize(test, (2000, 64))])
    kinds, labels = "l" * 5000 + "r" * 2000, np.resize(y, 7000).tolist()
    integers = network(seed=2**40 + 7)
    untouched = copy.deepcopy(integers)
    lines = in_python(integers, kinds, labels, X)
    return untouched, records(kinds, labels, X), [*lines, image_of(integers).hex()]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_thousands_of_presentations_bit_for_bit_under_sanitizers(compiler, tmp_path):
    if not sanitises(compiler, tmp_path):
        pytest.skip(f"no {compiler} with sanitizers")
    integers, stream, expected = thousands()
    run = program(tmp_path, integers, "agree", compiler)
    done = subprocess.run([run], input=stream, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    found = done.stdout.decode().splitlines()
    assert len(found) == 7001
    assert found == expected
    imprints = sum(not line.startswith("-1 ") for line in expected[:5000])
    assert 20 < imprints < 4000  # both ways to learn were taken


@settings(max_examples=12, deadline=None)
@given(
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 40)),
    seed=st.integers(0, 2**64 - 1),
    how=st.sampled_from(
        [(8, "stochastic"), (8, "nearest"), (16, "nearest"), (4, "shadow"), (2, "nearest")]
    ),
    learning=st.booleans(),
    compiler=st.sampled_from(["gcc", "clang"]),
    changes=st.fixed_dictionaries(
        {},
        optional={
            "threshold": st.floats(0.5, 14),
            "tau_mem": st.floats(1, 15),
            "tau_pre": st.floats(10, 300),
            "learning_rate": st.floats(0, 1),
            "annealed": st.booleans(),
            "imprint_rate": st.floats(0, 1),
            "recognition_time": st.floats(0.5, 40),
            "forced_depression": st.floats(0, 3),
            "rate_gain": st.floats(1.05, 8),
            "max_rate_gain": st.floats(10, 30),
            "n_output_spikes": st.integers(1, 4),
        },
    ),
    data=st.data(),
)
def test_any_size_input_and_parameters(
    sizes, seed, how, learning, compiler, changes, data, tmp_path_factory
):
    n_neurons, n_features = sizes
    integers = network(
        n_neurons, n_features, seed, replace(BRIEF, **changes), 3, bits=how[0], rounding=how[1]
    )
    n = 6
    values = data.draw(st.binary(min_size=n * n_features, max_size=n * n_features))
    X = np.frombuffer(values, np.uint8).reshape(n, n_features)
    kinds = "lrlllr" if learning else "r" * n
    folder = tmp_path_factory.mktemp("c")
    strict = {"compiler": compiler} if sanitises(compiler, folder) else {"flags": ("-O1",)}
    run = program(folder, integers, "agree", learning=learning, **strict)
    done = subprocess.run(
        [run], input=records(kinds, [0, 1, 2] * 2, X), capture_output=True, check=True
    )
    expected = in_python(integers, kinds, [0, 1, 2] * 2, X)
    assert done.stdout.decode().splitlines() == [
        *expected, image_of(integers, learning=learning).hex()
    ]  # fmt: skip


@pytest.mark.parametrize("bits", [4, 8])
def test_a_frozen_network_has_the_same_bits(bits, tmp_path):
    X, _, test = digits()
    network_in_float = Network(BRIEF, initial_state(21, 64, 0))
    network_in_float.learn(X[:300])
    integers = quantise(network_in_float, bits=bits)
    run = program(tmp_path, integers, "agree", learning=False)
    stream = records("r" * 60, [0] * 60, test[:60])
    done = subprocess.run([run], input=stream, capture_output=True, check=True)
    expected = in_python(integers, "r" * 60, [0] * 60, test[:60])
    assert done.stdout.decode().splitlines()[:60] == expected


def test_a_million_calls_with_anything(tmp_path):
    run = program(tmp_path, network(5, 9, n_classes=3), "fuzz", flags=(*SANITISED, "-O2"))
    done = subprocess.run([run, "1000000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    assert done.stdout.endswith("wrongly restored 0\n")


def test_what_is_saved_can_be_restored_and_what_is_damaged_cannot():
    X, _, test = digits()
    host = HostNetwork(network())
    host.learn(X[:50])
    image = host.save()
    expected = host.recognise(test[:20]).winners
    on = host.learn(X[50:60]).winners
    host.restore(image)
    np.testing.assert_array_equal(host.recognise(test[:20]).winners, expected)
    np.testing.assert_array_equal(host.learn(X[50:60]).winners, on)
    for place in range(0, len(image), 97):
        spoilt = bytearray(image)
        spoilt[place] ^= 16
        with pytest.raises(ValueError, match="damaged"):
            host.restore(bytes(spoilt))
    with pytest.raises(ValueError, match="of another network"):
        HostNetwork(network(parameters=replace(BRIEF, threshold=3.3))).restore(image)


def test_one_library_serves_other_seeds():
    X, _, _ = digits()
    host, other = HostNetwork(network(seed=1)), network(seed=2)
    host.restore(image_of(other))
    found = host.learn(X[:10])
    expected = [other.learn(x).winners for x in X[:10]]
    assert [row[row >= 0].tolist() for row in found.winners] == expected


def test_names_that_are_no_names_and_samples_that_are_no_bytes():
    with pytest.raises(ValueError, match="no name for a C file"):
        c_sources(network(), name="my-net")
    with pytest.raises(ValueError, match="expected bytes"):
        HostNetwork(network(3, 5)).learn(np.zeros((2, 5)))
