"""A network on the page: a classifier, the first layer before it, and a title."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from ..data import Dataset
from ..estimators import ControlledForgettingClassifier, make_pipeline
from ..lifelong import Config
from ..lifelong.first_layer import INFANCY, with_layer
from ..model import Network, initial_state

MOST_NEURONS = 2500
SETTINGS = ("preset", "neurons", "threshold", "habituation", "layer")
"""What can be chosen for a network on the page."""
_OF_EACH = 300
"""Samples of each class from which a threshold is settled."""
_BOUNDS = {"recognition_time": 2000, "n_output_spikes": 100, "n_readout_spikes": 100, "links": 64}
"""A model from somebody else must not keep the page busy for hours with one presentation."""


@cache
def other_networks() -> dict[str, Callable[..., Any]]:
    """Networks that other installed packages offer to compare with: a name, and what loads its maker."""
    return {point.name: point.load for point in entry_points(group="lethenet.live_networks")}


class Learner:
    """A classifier that goes on learning, with a first layer or without.

    Networks of other packages stand in a classifier, too: they learn by themselves, and are labelled by
    recognition alone.

    >>> from lethenet.data import load
    >>> Learner.made(load("digits"), {"neurons": 20, "threshold": 15.5}, seed=0).title
    'annealed, 20 neurons, threshold 15.5'
    """

    def __init__(
        self, model: Any, layers: list[Any], settings: Mapping[str, Any], data: Dataset
    ) -> None:
        self.model, self.layers, self.settings = model, layers, dict(settings)
        if layers:  # features are no image: a neuron looks like the sample most like it
            self._pool = data.X_test[:300]
            rows = self.features(self._pool).astype(np.float32)
            self._rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    @classmethod
    def made(cls, data: Dataset, settings: Mapping[str, Any], seed: int) -> Learner:
        """A network that has seen nothing, with these settings; ValueError if there is no such network."""
        given = {"preset": "annealed", "neurons": 400}
        given |= {key: value for key, value in settings.items() if value is not None}
        neurons, others = given["neurons"], other_networks()
        if not set(given) <= set(SETTINGS) or type(neurons) is not int:
            raise ValueError(
                f"{given!r:.80}: expected {', '.join(SETTINGS)}, neurons a whole number."
            )
        if not 1 <= neurons <= MOST_NEURONS:
            raise ValueError(f"neurons={neurons}: expected 1 to {MOST_NEURONS}.")
        if given["preset"] in others:
            network = others[given["preset"]]()(neurons, data.n_features, seed)
            blank = ControlledForgettingClassifier(n_neurons=neurons, spreading=0)
            return cls(_begun(blank, network), [], given, data)
        layered = given.get("layer", "none") != "none"
        fit = "threshold" not in given and (layered or data.name != "mnist")
        config = Config.of(dataset=data.name, seed=seed, fit_threshold=fit, **given)
        # a few of each class tell the threshold; a layer may need more of the first, for its infancy
        wanted = [2 * INFANCY if layered else _OF_EACH] + [_OF_EACH] * (len(data.classes) - 1)
        own = (np.flatnonzero(data.y_train == label) for label in data.classes)
        rows = np.concatenate([part[:n] for part, n in zip(own, wanted, strict=True)])
        seen = with_layer(config, data.rows(rows, slice(100)))
        parameters = config.resolved(seen).parameters
        given["threshold"] = parameters.threshold  # so that a replay need not look for it
        values = {field.name: getattr(parameters, field.name) for field in fields(parameters)}
        model = ControlledForgettingClassifier(
            n_neurons=neurons, readout=config.readout, random_state=seed, **values
        )
        network = Network(parameters, initial_state(neurons, seen.n_features, seed))
        layers = [seen.layer] if hasattr(seen, "layer") else []
        return cls(_begun(model, network), layers, given, data)

    @classmethod
    def of_model(cls, model: Any, data: Dataset) -> Learner:
        """A model that :func:`lethenet.load` has checked; ValueError if it does not fit the page."""
        *layers, final = model if hasattr(model, "steps") else [model]
        if not isinstance(final, ControlledForgettingClassifier):
            kind = type(final).__name__
            raise ValueError(f"the file holds a {kind}: expected a ControlledForgettingClassifier.")
        neurons, p = final.network_.state.n_neurons, final.network_.parameters
        taken = layers[0].n_features_in_ if layers else final.network_.state.n_features
        slow = [name for name, most in _BOUNDS.items() if getattr(p, name) > most]
        if taken != data.n_features or neurons > MOST_NEURONS or slow:
            raise ValueError(
                f"the model has {neurons} neurons for samples of {taken} numbers: this page shows up to "
                f"{MOST_NEURONS} for {data.n_features}, and {', '.join(_BOUNDS)} as they usually are."
            )
        final.classes_ = final.classes_.astype(str)
        return cls(final, layers, {"neurons": neurons, "threshold": p.threshold}, data)

    @property
    def network(self) -> Any:
        """The network itself."""
        return self.model.network_

    @property
    def ours(self) -> bool:
        """Whether it is a Controlled Forgetting Network, and not another one to compare with."""
        return isinstance(self.network, Network)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        preset, neurons = self.settings.get("preset", "a loaded model"), self.settings["neurons"]
        words = [preset, f"{neurons} neurons"]
        if self.settings.get("layer", "none") != "none":
            words.append(f"behind {self.settings['layer']}")
        given = ((name, self.settings.get(name)) for name in ("threshold", "habituation"))
        return ", ".join([*words, *(f"{name} {value:g}" for name, value in given if value)])

    def saved(self) -> Any:
        """What model files hold: the classifier or, with a first layer, a pipeline."""
        if not self.ours:
            raise ValueError("this network is for comparison only and cannot be saved.")
        return make_pipeline(*self.layers, self.model) if self.layers else self.model

    def features(self, X: np.ndarray) -> np.ndarray:
        """Samples as the network sees them."""
        for layer in self.layers:
            X = np.asarray(layer.transform(X))
        return X

    def learn(self, X: np.ndarray, names: Any) -> int:
        """Learn samples in order, with a class's name or None for each; how many were novel."""
        if not self.ours:
            self.network.learn(self.features(X))
            return 0
        before = int(self.network.state.imprint_counts.sum())
        self.model.partial_fit(self.features(X), names)
        return int(self.network.state.imprint_counts.sum()) - before

    def change(self, settings: Mapping[str, Any]) -> None:
        """Go on with another threshold or habituation."""
        wanted = ((key, settings.get(key)) for key in ("threshold", "habituation"))
        given = {key: value for key, value in wanted if value is not None}
        changed = replace(self.network.parameters, **given)
        self.model.set_params(**given)
        self.model.network_ = Network(changed, self.network.state)
        self.settings.update(given)

    def owner(self, neuron: int) -> str | None:
        """The class that a neuron fired for most."""
        counts = self.model.label_counts_[neuron]
        return str(self.model.classes_[counts.argmax()]) if counts.any() else None

    def fired(self) -> np.ndarray:
        """Spikes of each neuron so far, and imprints: where these have not changed, no weight has."""
        spikes = self.network.state.spike_counts
        return np.stack([spikes, getattr(self.network.state, "imprint_counts", 0 * spikes)])

    def pictures(self, neurons: Any) -> np.ndarray:
        """These neurons as grey images, 0 to 255."""
        rows = self.network.state.weights[neurons]
        if self.layers:  # a neuron that has seen nothing is like nothing
            alike = self._pool[np.argmax(rows @ self._rows.T, axis=1)]
            rows = np.where(self.fired()[:, neurons].any(axis=0, keepdims=True).T, alike, 0.0)
        return as_grey(rows)

    def digest(self) -> str:
        """A hash of all that the network remembers, and of its labels if they came while learning."""
        found, state = hashlib.sha256(), self.network.state
        assert is_dataclass(state)
        values = [getattr(state, field.name) for field in fields(state)]
        values += [self.model.label_counts_, *self.model.classes_] if self.ours else []
        for value in values:
            found.update(value.tobytes() if isinstance(value, np.ndarray) else str(value).encode())
        return found.hexdigest()


def as_grey(rows: np.ndarray) -> np.ndarray:
    """Rows as bytes, the highest value of each as 255."""
    return np.asarray(rows * (255 / np.maximum(rows.max(axis=-1, keepdims=True), 1e-12)), np.uint8)


def _begun(model: Any, network: Any) -> Any:
    """A classifier around a network that has not learned yet."""
    model.network_, model.n_features_in_ = network, network.state.n_features
    model.threshold_ = network.parameters.threshold
    model.classes_, model.class_counts_ = np.zeros(0, "<U1"), np.zeros(0, np.int64)
    model.label_counts_ = np.zeros((network.state.n_neurons, 0), np.int64)
    return model
