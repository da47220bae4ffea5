"""Constants are checked once, and the message says what is wrong."""

from dataclasses import asdict, fields

import pytest

from lethenet.model import ANNEALED, PAPER, PRESETS, Parameters
from lethenet.model.constants import constants_of


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold": 0}, "threshold=0.0 is out of range: expected a number above 0"),
        ({"threshold": float("nan")}, "threshold=nan: expected a finite number"),
        ({"tau_mem": -1}, "tau_mem=-1.0 is out of range"),
        ({"learning_rate": 1.5}, "learning_rate=1.5 is out of range: expected between 0 and 1"),
        ({"stdp": "hebb"}, "stdp='hebb' is unknown: expected one of oja, static"),
        ({"push": None}, "push=None is unknown"),
        ({"n_output_spikes": 2.5}, "n_output_spikes=2.5: expected a whole number"),
        ({"n_output_spikes": 0}, "n_output_spikes=0 is out of range"),
        ({"rate_gain": 1.0}, "rate_gain=1.0 is out of range"),
        ({"max_rate_gain": 1.0}, "max_rate_gain=1.0 is out of range"),
        ({"tau_mem": 1.0}, "tau_mem=1.0 is out of range: expected at least recognition_time / 60"),
        ({"depression": -0.1}, "depression=-0.1 is out of range: expected 0 or more"),
    ],
)
def test_bad_values(changes, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace("/", "/")):
        Parameters(**changes)


@pytest.mark.parametrize("changes", [{"threshold": "high"}, {"dopamine": "yes"}, {"tau_pre": None}])
def test_bad_types(changes):
    with pytest.raises(TypeError, match=next(iter(changes))):
        Parameters(**changes)


def test_presets_are_values():
    assert list(PRESETS)[:2] == ["paper", "annealed"]
    assert (PRESETS["paper"], PRESETS["annealed"]) == (PAPER, ANNEALED)
    assert Parameters(**asdict(ANNEALED)) == ANNEALED
    assert (PAPER.tau_mem, PAPER.tau_pre, PAPER.learning_rate) == (15.0, 200.0, 0.01)


def test_every_parameter_is_documented_and_reaches_the_kernels():
    def both(parameters):
        numbers = [constants_of(parameters, 784, frozen=frozen) for frozen in (False, True)]
        return numbers, parameters.rule

    for field in fields(Parameters):
        assert f"    {field.name} : " in Parameters.__doc__, field.name
        other = {
            "stdp": "static",
            "push": "leftover",
            "dopaminergic_target": "random",
            "n_output_spikes": 7,
            "n_readout_spikes": 7,
            "links": 7,
            "max_rate_gain": 50.0,
            "rate_gain": 1.3,
        }.get(field.name)
        if other is None:
            value = getattr(PAPER, field.name)
            other = (not value) if isinstance(value, bool) else value / 2 + 0.01
        changed = both(Parameters(**{field.name: other}))
        if field.name not in ("tau_dopamine", "dopaminergic_rest"):  # their period is fixed
            assert changed != both(PAPER), field.name
