"""What makes two experiments the same, and what does not."""

from dataclasses import replace

import numpy as np
import pytest

from lethenet.data import load
from lethenet.model import PAPER, Parameters, Rule
from lethenet.model.presets import preset_parameters
from lethenet.sweeps import Experiment, behaviour, fingerprint
from lethenet.sweeps.experiment import SETTINGS

OTHER = {
    "links": 16,
    "dataset": "fashion-mnist", "neurons": 401, "epochs": 2, "order": "interleaved", "seed": 1,
    "classes": (1, 0, 2, 3, 4, 5, 6, 7, 8, 9), "train_per_class": 10, "test_per_class": 10,
    "evaluate": "each task", "validation": 10, "label_per_class": 7, "stdp": "static", "push": "leftover",
    "dopaminergic_target": "random",
    "layer": "edges", "fit_threshold": True,
}  # fmt: skip
"""Another value for settings whose other value is not obvious."""


def other_value(name):
    if name in OTHER:
        return OTHER[name]
    usual = getattr(PAPER, name)
    return not usual if isinstance(usual, bool) else usual + 1 if usual > 1 else usual * 0.9 + 0.05


@pytest.mark.parametrize("name", sorted(set(SETTINGS) - {"preset", "dataset"}))
def test_every_setting_counts(name):
    usual = {"dataset": "digits", "preset": "paper"}
    assert Experiment.of(**usual, **{name: other_value(name)}).key != Experiment.of(**usual).key


def test_the_same_experiment_has_the_same_key_however_it_is_written():
    usual = {"dataset": "digits", "preset": "paper"}
    plain = Experiment.of(**usual).key
    assert Experiment.of(**usual, classes=range(10)).key == plain
    assert Experiment.of(**usual, threshold=PAPER.threshold).key == plain
    annealed = preset_parameters("annealed", Experiment.of().config.neurons)
    constants = {f: getattr(annealed, f) for f in Parameters.__dataclass_fields__}
    assert (
        Experiment.of(**usual, **constants).key
        == Experiment.of(dataset="digits", preset="annealed").key
    )
    assert Experiment.from_json(Experiment.of(**usual).to_json()).key == plain


def write_digits(path, scale=1):
    digits = load("digits")
    np.savez(path, X_train=digits.X_train * scale, y_train=digits.y_train,
             X_test=digits.X_test * scale, y_test=digits.y_test)  # fmt: skip
    return Experiment.of(dataset=str(path))


def test_own_files_count_by_their_content(tmp_path):
    first = write_digits(tmp_path / "here.npz")
    assert first.key == write_digits(tmp_path / "there.npz").key
    assert first.key != write_digits(tmp_path / "other.npz", scale=2).key


def test_a_parameter_that_came_later_leaves_the_old_keys_alone(monkeypatch):
    """With its neutral value the key is as if the parameter did not exist."""
    usual, other = (
        Experiment.of(dataset="digits"),
        Experiment.of(dataset="digits", carry_trace=True),
    )
    before = fingerprint.key_of.__wrapped__(usual), fingerprint.key_of.__wrapped__(other)
    monkeypatch.setitem(fingerprint.NEUTRAL, "carry_trace", False)
    after = fingerprint.key_of.__wrapped__(usual), fingerprint.key_of.__wrapped__(other)
    assert after[0] != before[0]
    assert after[1] == before[1]
    assert set(fingerprint.NEUTRAL) <= set(Parameters.__dataclass_fields__)
    for name, value in fingerprint.NEUTRAL.items():
        assert Parameters.__dataclass_fields__[name].default == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("annealed", True), ("stdp", "static"), ("push", "leftover"), ("dopamine", False),
     ("dopaminergic_target", "random"), ("stop_after_imprint", False), ("carry_trace", True),
     ("normalise_weights", False), ("inhibition", 0.7), ("age_weight", 0.3)],
)  # fmt: skip
def test_every_switch_of_the_model_has_a_behaviour_of_its_own(name, value):
    assert behaviour(replace(PAPER, **{name: value})) != behaviour(PAPER)


def test_the_behaviour_does_not_depend_on_numbers_that_a_preset_may_be_given_anew():
    assert behaviour(replace(PAPER, threshold=14.0, forced_depression=0.1)) == behaviour(PAPER)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"twin": True}, "twin is not a setting of a sweep: add order"),
        ({"readout": "histogram"}, "readout is not a setting of a sweep"),
        ({"n_jobs": 2}, "n_jobs is not a setting of a sweep"),
        ({"evaluate": "often"}, "evaluate='often': expected one of end, each task"),
        ({"validation": -1}, "validation=-1: expected a number of samples per class"),
        ({"validation": True}, "validation=True"),
        ({"validation": 1.5}, "validation=1.5"),
        ({"thresold": 3}, "Did you mean threshold"),
    ],
)
def test_bad_experiments(settings, said):
    with pytest.raises(ValueError, match=said):
        Experiment.of(**settings)


def test_classes_that_the_data_lack():
    with pytest.raises(ValueError, match="digits has no class 12"):
        _ = Experiment.of(dataset="digits", classes=(1, 12)).key


def test_a_rule_of_ones_own_cannot_be_written_down():
    mine = Rule(step=lambda weight, pre, rate, offset: weight + rate * (pre - weight))
    with pytest.raises(TypeError, match=r"a sweep takes rules by name \(oja, static\)"):
        Experiment.of(dataset="digits", stdp=mine)
