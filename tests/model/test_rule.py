"""A rule of one's own: what it may be, and errors that say what is wrong (bits: test_agreement)."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lethenet.engine.compiling.kernels import kernel, specialised
from lethenet.engine.plasticity import move_weights_checked
from lethenet.model import Network, Parameters, Rule, initial_state, reference
from lethenet.model.rule import RULES

GAIN = 0.5


def towards_a_power(weight, pre, rate, offset):
    """Follows a sharpened trace, and forgets slowly."""
    return max(weight + rate * (pre * pre - GAIN * weight), 0.0)


OWN = Rule(step=towards_a_power)


def samples(n):
    rng = np.random.default_rng(1)
    X = rng.random((n, 24))
    X[rng.random(X.shape) < 0.5] = 0.0
    return X


def test_built_in_rules_by_name_or_by_object():
    assert Parameters(stdp=RULES["static"]).rule is Parameters(stdp="static").rule
    with pytest.raises(ValueError, match="stdp='hebb' is unknown: expected one of oja, static, or"):
        Parameters(stdp="hebb")


def test_a_rule_that_gives_negative_weights_is_refused_where_it_is_made():
    with pytest.raises(ValueError, match=r"gives -0\.002: the engine needs weights >= 0"):
        Rule(step=lambda weight, pre, rate, offset: weight - rate)
    with pytest.raises(ValueError, match="gives 'x'"):
        Rule(step=lambda weight, pre, rate, offset: "x")


def negative_where_trials_do_not_look(weight, pre, rate, offset):
    return weight + rate * (pre - weight) if rate != 0.125 else -1.0


def test_or_where_it_happens_and_then_nothing_is_written():
    rule = Rule(step=negative_where_trials_do_not_look)
    move = specialised(move_weights_checked, "negative", step=kernel(rule.step))
    weights, trace = np.full(5, 0.25, np.float32), np.ones(5)
    move(weights, trace, 0.5, 0.25, 0.0)
    assert weights.tolist() == [0.3125] * 5
    with pytest.raises(ValueError, match="the engine needs weights >= 0"):
        move(weights, trace, 0.5, 0.125, 0.0)
    assert weights.tolist() == [0.3125] * 5
    with pytest.raises(ValueError, match="the engine needs weights >= 0"):
        reference.move_weights(weights, trace * 0.5, 0.125, 0.0, rule)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"step": 3}, "step=3: expected a plain Python function"),
        ({"step": lambda weight: weight}, "expected 4 positional arguments"),
        ({"step": towards_a_power, "rate": lambda: 1.0}, "expected 3 positional arguments"),
    ],
)
def test_what_is_no_rule(parts, message):
    with pytest.raises(TypeError, match=message):
        Rule(**parts)


def uses_what_cannot_be_compiled(weight, pre, rate, offset):
    return float(str(weight).strip() or open) if rate < 0 else weight


def test_a_rule_that_cannot_be_compiled_says_so():
    parameters = Parameters(stdp=Rule(step=uses_what_cannot_be_compiled))
    with pytest.raises(
        ValueError, match="The rule 'uses_what_cannot_be_compiled' cannot be compiled"
    ):
        Network(parameters, initial_state(3, 24, 2)).learn(samples(3))


def test_the_fingerprint_knows_the_constants_that_a_rule_uses(monkeypatch):
    before = OWN.fingerprint
    assert Rule(step=towards_a_power).fingerprint == before
    monkeypatch.setitem(globals(), "GAIN", 0.25)
    assert Rule(step=towards_a_power).fingerprint != before


TWINS = """
import sys
from lethenet.engine.compiling.kernels import entry_kernel, kernel, renamed, specialised

def make(share):
    def step(x):
        return x * share
    return step

step = kernel(make(1.0))

@kernel
def inner(x):
    return step(x) + 1.0

@entry_kernel
def outer(x):
    return inner(x)

for share in map(float, sys.argv[1:]):
    key = str(share).replace(".", "_")
    twin = specialised(inner, key, step=kernel(renamed(make(share), key)))
    assert specialised(outer, key, inner=twin)(8.0) == 8.0 * share + 1.0, share
assert outer(8.0) == 9.0
"""


def test_twins_never_get_each_others_machine_code(tmp_path):
    """What one process compiled is loaded by another beside what that compiles itself."""
    script = tmp_path / "script.py"
    script.write_text(TWINS)
    environment = {**os.environ, "LETHENET_CACHE": str(tmp_path / "cache")}
    for shares in ([], ["0.5"], ["0.25", "0.5"], ["0.5", "0.25", "2.0"]):
        subprocess.run([sys.executable, script, *shares], check=True, env=environment)


SCRIPT = """
import numpy as np
from lethenet.engine.rule_kernels import learning_kernel
from lethenet.model import Network, Parameters, Rule, initial_state

def decaying(weight, pre, rate, offset):
    return weight + rate * (pre - 0.75 * weight)

rule = Rule(step=decaying)
Network(Parameters(stdp=rule), initial_state(4, 16, 0)).learn(np.eye(16))
stats = learning_kernel(rule).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_second_process_compiles_nothing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "LETHENET_CACHE": str(tmp_path / "cache")}

    def run():
        done = subprocess.run(
            [sys.executable, script], check=True, env=environment, capture_output=True, text=True
        )
        return done.stdout.split()

    assert run() == ["0", "1"]
    assert run() == ["1", "0"]
