"""A fingerprint of what the network does: it changes when a bit of a weight or a spike would.

Unlike a hash of the source it stays when code is moved or a comment changes, so that hours of results
do not become void.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..model.parameters import Parameters
from ..model.rule import Rule

if TYPE_CHECKING:
    import numpy as np

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
    from ..data import load
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
    from ..data import load
    from ..lifelong.config import Config
    from ..lifelong.first_layer import with_layer

    config: Any = {"dataset": "digits", "layer": name}
    return sha256(with_layer(Config(**config), load("digits").limited(100, 20)).X_train)


def sha256(*arrays: np.ndarray) -> str:
    """SHA-256 over the bytes of arrays, in hexadecimal digits."""
    import numpy as np

    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
