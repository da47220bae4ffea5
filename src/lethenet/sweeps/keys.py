"""What makes two experiments the same: a hash over everything that decides their outcome."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..model.parameters import Parameters
from .fingerprint import behaviour, layer_behaviour
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
