"""What makes two experiments the same: a hash over everything that decides their outcome.

What the network does counts by a fingerprint, which changes when a bit of a weight or a spike would.
Unlike a hash of the source it stays when code is moved or a comment changes, so that hours of results do
not become void.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import load
from ..lifelong.config import Config
from ..lifelong.first_layer import with_layer
from ..model.parameters import Parameters
from ..model.rule import Rule
from .samples import data_identity

if TYPE_CHECKING:
    from .experiment import Experiment

DIGITS = 16
"""Hexadecimal digits of a key: among a million experiments, two agree by chance once in 10⁷ sweeps."""

NEUTRAL: dict[str, Any] = {f.name: f.default for f in fields(Parameters) if "later" in f.metadata}
"""Parameters that the model got after results had been made, with the value that changes nothing.

A parameter with that value stays out of the key, so the results that were made before it remain."""

PROTOCOL = 1
"""Raise it when the same network would get other results: another order of samples, other samples held
out, another way to count labels or votes. Everything that was measured before is void then.

What the network itself does is in :func:`.behaviour`."""

# Written out, so that a preset that is fitted anew does not change it.
_NUMBERS = Parameters(
    threshold=15.5,
    tau_mem=15.0,
    tau_pre=200.0,
    learning_rate=0.01,
    imprint_rate=1.0,
    static_offset=1.0,
    inhibition=1.0,
    n_output_spikes=5,
    n_readout_spikes=5,
    recognition_time=200.0,
    tau_dopamine=200.0,
    dopaminergic_rest=1.0,
    depression=0.3,
    forced_depression=1.0,
    age_weight=0.0,
    rate_gain=1.1,
    max_rate_gain=100.0,
)


@lru_cache(maxsize=100_000)
def key_of(experiment: Experiment) -> str:
    """The key of an experiment, see :attr:`.Experiment.key`."""
    document = experiment.resolved().to_json()
    del document["preset"]  # its constants stand in the parameters
    document["dataset"] = data_identity(experiment.config.dataset)
    document["parameters"] = {
        name: value
        for name, value in document["parameters"].items()
        if name not in NEUTRAL or value != NEUTRAL[name]
    }
    document["behaviour"] = behaviour(experiment.config.parameters)
    if experiment.config.layer != "none":
        document["layer_behaviour"] = layer_behaviour(experiment.config.layer)
    if PROTOCOL != 1:  # the first results were made before it had a number
        document["protocol"] = PROTOCOL
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:DIGITS]


def behaviour(parameters: Parameters | None = None) -> str:
    """Hash of the weights and spikes of a short run on the built-in digits, 64 digits.

    Only the switches of the parameters count (``push``, ``annealed``, whether ``age_weight`` is 0),
    as each leads through other code; the numbers are the same in every such run. So there are few
    of them to make, and a change of, say, annealed plasticity leaves the results of the paper's
    rule alone.

    >>> from lethenet.model import ANNEALED, PAPER
    >>> behaviour(PAPER) == behaviour(Parameters(threshold=14.0)) != behaviour(ANNEALED)
    True
    """
    parameters = parameters or Parameters()
    switches: dict[str, Any] = {}
    for field in fields(Parameters):
        value, usual = getattr(parameters, field.name), field.default
        if isinstance(value, bool | str | Rule):
            switches[field.name] = value
        elif usual == 0.0:  # a number that switches something off
            switches[field.name] = value if value == 0 else 4 if isinstance(value, int) else 0.1
    # partial inhibition leads through other code, too
    switches["inhibition"] = 1.0 if parameters.inhibition == 1.0 else 0.5
    return _of_short_run(replace(_NUMBERS, **switches))


@lru_cache(maxsize=1000)
def _of_short_run(parameters: Parameters) -> str:
    from ..model import Network, initial_state

    X = load("digits").X_train[:300]
    state = initial_state(60, X.shape[1], seed=1)
    network = Network(parameters, state)
    learned = network.learn(X)
    links = state.link_partners, state.link_counts
    seen = network.recognise(X).winners
    return sha256(state.weights, state.usage, learned.durations, seen, *links)


@lru_cache(maxsize=10)
def layer_behaviour(name: str) -> str:
    """Hash of the features that a first layer makes of the built-in digits, 64 digits."""
    config: Any = {"dataset": "digits", "layer": name}
    return sha256(with_layer(Config(**config), load("digits").limited(100, 20)).X_train)


def sha256(*arrays: np.ndarray) -> str:
    """SHA-256 over the bytes of arrays, in hexadecimal digits."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
