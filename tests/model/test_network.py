"""Same seed, same bits: whatever the slicing, the threads, the order, or the candidates."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from lethenet.model import ANNEALED, PAPER, Network, initial_state
from lethenet.model.state import ARRAY_FIELDS

PARAMETERS = replace(PAPER, threshold=15.5)


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    return load_digits().data


def same(a, b):
    assert a.n_presentations == b.n_presentations
    for name in ARRAY_FIELDS:
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name


def test_slices_are_the_whole(digits):
    whole = Network(PARAMETERS, initial_state(30, 64, 1))
    whole.learn(digits[:150])
    sliced = Network(PARAMETERS, initial_state(30, 64, 1))
    for part in np.split(digits[:150], [1, 2, 40, 41, 100]):
        sliced.learn(part)
    same(whole.state, sliced.state)


def test_recognition_in_between_changes_nothing(digits):
    straight = Network(PARAMETERS, initial_state(30, 64, 1))
    straight.learn(digits[:100])
    watched = Network(PARAMETERS, initial_state(30, 64, 1))
    watched.learn(digits[:50])
    watched.recognise(digits[:200], n_threads=2)
    watched.learn(digits[50:100])
    same(straight.state, watched.state)


def test_recognition_depends_on_the_sample_alone(digits):
    network = Network(PARAMETERS, initial_state(30, 64, 1))
    network.learn(digits[:200])
    X = digits[:90]
    winners = network.recognise(X).winners
    order = np.random.default_rng(0).permutation(90)
    assert (network.recognise(X[order]).winners == winners[order]).all()
    assert (network.recognise(X[7:8]).winners == winners[7:8]).all()
    assert (network.recognise(X[10:60], n_threads=3).winners == winners[10:60]).all()
    assert (network.recognise(4 * X).winners == winners).all(), "only the direction counts"


def test_seeds_differ(digits):
    a, b = (Network(PARAMETERS, initial_state(30, 64, seed)) for seed in (1, 2))
    assert (a.learn(digits[:20]).durations != b.learn(digits[:20]).durations).any()


@pytest.mark.parametrize("n_neurons", [400, 1600])
@pytest.mark.parametrize(
    "p", [PARAMETERS, replace(ANNEALED, threshold=15.5)], ids=["paper", "annealed"]
)
def test_certified_equals_full_on_digits(digits, n_neurons, p):
    """2,000 presentations: spike trains, weights and usage, bit for bit."""
    X = np.vstack([digits, digits[:203]])
    assert len(X) == 2000
    outcomes = []
    for candidates in ("certified", "all"):
        network = Network(p, initial_state(n_neurons, 64, 3), candidates=candidates)
        learned = network.learn(X)
        seen = network.recognise(digits[:300])
        outcomes.append((network.state, learned, seen))
    (state, learned, seen), (full_state, full_learned, full_seen) = outcomes
    same(state, full_state)
    for name in ("winners", "imprints", "durations", "input_spikes"):
        assert (getattr(learned, name) == getattr(full_learned, name)).all(), name
    for name in ("winners", "durations", "input_spikes", "raises"):
        assert (getattr(seen, name) == getattr(full_seen, name)).all(), name
    assert learned.simulated.mean() < n_neurons, "the certificate should leave somebody out"


@pytest.mark.parametrize("n_neurons", [400, 1600])
def test_certified_equals_full_on_mnist(n_neurons):
    from lethenet.data import DataUnavailableError, load

    try:
        X = load("mnist").X_train[:2000]
    except DataUnavailableError as error:
        pytest.skip(f"MNIST cannot be had here: {error}")
    states = []
    for candidates in ("certified", "all"):
        network = Network(PAPER, initial_state(n_neurons, 784, 3), candidates=candidates)
        learned = network.learn(X)
        states.append((network.state, learned))
    same(states[0][0], states[1][0])
    assert (states[0][1].winners == states[1][1].winners).all()
    assert (states[0][1].durations == states[1][1].durations).all()
    assert states[0][1].simulated.mean() < 0.6 * n_neurons


def test_a_blank_sample_sends_no_spikes(digits):
    network = Network(PARAMETERS, initial_state(10, 64, 1))
    X = np.zeros((2, 64))
    before = network.state.copy()
    learned = network.learn(X)
    assert learned.winners.max() == -1
    assert learned.input_spikes.sum() == 0
    assert (network.state.weights == before.weights).all()
    assert network.state.n_presentations == 2
    assert network.recognise(X).winners.max() == -1


def test_a_hopeless_sample_is_given_up():
    """A sample that shares no input with any neuron never makes one fire: there is an end to it."""
    state = initial_state(3, 4, 1)
    state.weights[:, 3] = 0.0
    seen = Network(replace(PAPER, max_rate_gain=5.0), state).recognise(np.array([[0.0, 0, 0, 1]]))
    assert seen.winners.max() == -1
    assert seen.raises[0] == 17  # 1.1 to the 17th is the first power above 5


@pytest.mark.parametrize("scale", [1e-300, 1e-110, 1e110, 1e300])
def test_any_scale_of_the_data(digits, scale):
    network = Network(PARAMETERS, initial_state(20, 64, 1))
    learned = network.learn(digits[:20] * scale)
    assert (learned.winners[:, 0] >= 0).all()


def test_an_interrupt_keeps_state_and_count_together(digits, monkeypatch):
    """Ctrl-C is raised when a kernel returns; what was learned until then must count."""
    from lethenet.model import network as face

    kernel = face.learning_kernel(PARAMETERS.rule)

    def interrupted(*args):
        kernel(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(face, "learning_kernel", lambda rule: interrupted)
    network = Network(PARAMETERS, initial_state(20, 64, 1))
    with pytest.raises(KeyboardInterrupt):
        network.learn(digits[:10])
    monkeypatch.undo()
    network.learn(digits[10:20])
    straight = Network(PARAMETERS, initial_state(20, 64, 1))
    straight.learn(digits[:20])
    same(straight.state, network.state)


def test_unknown_candidate_rule():
    with pytest.raises(ValueError, match="candidates='some' is unknown"):
        Network(PAPER, initial_state(3, 4, 1), candidates="some")


def test_kernels_work_without_a_writable_cache(tmp_path):
    """A read-only cache directory costs compile time, nothing else."""
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    code = (
        "import numpy as np\n"
        "from lethenet.engine.numbers import exp\n"
        "from lethenet.engine.compiling.kernels import entry_kernel\n"
        "@entry_kernel\n"
        "def double(x):\n    return exp(x) * 2\n"
        "assert double(0.0) == 2.0\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    environment = {**os.environ, "LETHENET_CACHE": str(blocked)}
    subprocess.run([sys.executable, script], check=True, env=environment, timeout=120)


def test_cached_kernels_are_found_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from lethenet.engine.compiling.kernels import entry_kernel\n"
        "@entry_kernel\n"
        "def double(x):\n    return x * 2\n"
        "assert double(1.5) == 3.0\n"
        "print(sum(double.stats.cache_hits.values()))\n"
    )
    environment = {**os.environ, "LETHENET_CACHE": str(tmp_path / "cache")}
    hits = [
        subprocess.run(
            [sys.executable, script], check=True, env=environment, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert hits == ["0", "1"]
