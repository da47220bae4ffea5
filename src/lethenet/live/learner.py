"""A network on the page: it learns, answers, and knows the names that its neurons were given."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from ..data import Dataset
from ..estimators import ControlledForgettingClassifier, make_pipeline
from ..estimators.readout import count_labels, count_labels_online, probabilities, voted
from ..lifelong import Config
from ..lifelong.first_layer import INFANCY, with_layer
from ..model import Network, initial_state
from ..theory import auto_threshold

MOST_NEURONS = 2500
SETTINGS = ("preset", "neurons", "threshold", "habituation", "layer")
"""What can be chosen for a network on the page."""
_ENOUGH = 3000
"""Samples from which a threshold is settled."""
_BOUNDS = {"recognition_time": 2000, "n_output_spikes": 100, "n_readout_spikes": 100, "links": 64}
"""A model from somebody else must not keep the page busy for hours with one presentation."""


def other_networks() -> dict[str, Callable[..., Any]]:
    """Networks that other installed packages offer to compare with: a name, and what makes one."""
    return {point.name: point.load for point in entry_points(group="lethenet.live_networks")}


class Learner:
    """A network, the first layer before it, and for which classes each of its neurons fired.

    >>> from lethenet.data import load
    >>> learner = Learner.made(load("digits"), {"neurons": 20, "threshold": 15.5}, seed=0)
    >>> learner.title
    'annealed, 20 neurons, threshold 15.5'
    """

    def __init__(
        self, network: Any, layer: Any, readout: str, title: str, settings: Mapping[str, Any]
    ) -> None:
        self.network, self.layer, self.readout = network, layer, readout
        self.title, self.settings = title, dict(settings)
        self.counts = np.zeros((network.state.n_neurons, 0), np.int64)
        self.examples: np.ndarray | None = (
            None  # features are no image: show what neurons answered to
        )

    @classmethod
    def made(cls, data: Dataset, settings: Mapping[str, Any], seed: int) -> Learner:
        """A network that has seen nothing, with these settings; ValueError if there is no such network."""
        given = {key: value for key, value in settings.items() if value is not None}
        unknown = [key for key in given if key not in SETTINGS]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r:.40} is not a setting: expected {', '.join(SETTINGS)}."
            )
        neurons = given.get("neurons", 400)
        if not isinstance(neurons, int) or not 1 <= neurons <= MOST_NEURONS:
            raise ValueError(
                f"neurons={neurons!r:.20}: expected a whole number from 1 to {MOST_NEURONS}."
            )
        others = other_networks()
        if given.get("preset") in others:
            network = others[given["preset"]]()(neurons, data.n_features, seed)
            return cls(network, None, "dominant", f"{given['preset']}, {neurons} neurons", given)
        config = Config.of(dataset=data.name, seed=seed, **given)
        layer, features = None, data.X_train
        if config.layer != "none":
            first = np.flatnonzero(data.y_train == data.classes[0])[: 2 * INFANCY]
            few = [int(np.flatnonzero(data.y_test == label)[0]) for label in data.classes]
            layer = with_layer(config, data.rows(first, few)).layer  # type: ignore[attr-defined]
        parameters = config.parameters
        if "threshold" not in given and (layer is not None or data.name != "mnist"):
            rng = np.random.default_rng(seed)
            sample = features[np.sort(rng.permutation(len(features))[:_ENOUGH])]
            sample = sample if layer is None else layer.transform(sample)
            found = auto_threshold(sample, neurons, parameters=parameters)
            parameters = replace(parameters, threshold=found)
        given["threshold"] = parameters.threshold  # so that a replay need not look for it
        width = data.n_features if layer is None else layer.transform(data.X_test[:1]).shape[1]
        network = Network(parameters, initial_state(neurons, width, seed))
        learner = cls(network, layer, config.readout, _title(given, config.preset, network), given)
        if layer is not None:
            learner.examples = np.zeros((neurons, data.n_features))
        return learner

    @classmethod
    def of_model(cls, model: Any, n_features: int) -> tuple[Learner, list[str]]:
        """A model that :func:`lethenet.load` has checked, and its classes; ValueError if it does not fit."""
        layers, final = ([], model) if not hasattr(model, "steps") else ([*model[:-1]], model[-1])
        if not isinstance(final, ControlledForgettingClassifier):
            kind = type(final).__name__
            raise ValueError(f"the file holds a {kind}: expected a ControlledForgettingClassifier.")
        network, layer = final.network_, make_pipeline(*layers) if layers else None
        taken = layers[0].n_features_in_ if layers else network.state.n_features
        if taken != n_features or network.state.n_neurons > MOST_NEURONS:
            raise ValueError(
                f"the model has {network.state.n_neurons} neurons for samples of {taken} numbers: this page "
                f"shows up to {MOST_NEURONS} neurons for samples of {n_features}."
            )
        for name, most in _BOUNDS.items():
            if getattr(network.parameters, name) > most:
                raise ValueError(f"the model's {name} is above {most}: too slow for a live page.")
        given = {"threshold": network.parameters.threshold, "neurons": network.state.n_neurons}
        learner = cls(
            network, layer, final.readout, _title(given, "a loaded model", network), given
        )
        learner.counts = final.label_counts_.astype(np.int64)
        if layer is not None:
            learner.examples = np.zeros((network.state.n_neurons, n_features))
        return learner, [str(label) for label in final.classes_]

    def model(self, classes: Sequence[str]) -> Any:
        """The learner as a classifier or, with a first layer, a pipeline: what model files hold."""
        if not isinstance(self.network, Network):
            raise ValueError("this network is for comparison only and cannot be saved.")
        state, order = self.network.state, np.argsort(classes)
        parameters = {
            f.name: getattr(self.network.parameters, f.name)
            for f in fields(self.network.parameters)
        }
        made = ControlledForgettingClassifier(
            n_neurons=state.n_neurons, random_state=state.seed, readout=self.readout, **parameters
        )
        made.network_, made.threshold_ = self.network, self.network.parameters.threshold
        made.n_features_in_ = state.n_features
        made.classes_ = np.array([classes[place] for place in order])
        self.make_room(len(classes))
        made.label_counts_ = self.counts[:, order]
        made.class_counts_ = made.label_counts_.sum(axis=0)
        steps = [] if self.layer is None else [*getattr(self.layer, "steps", [("", self.layer)])]
        return make_pipeline(*(step for _, step in steps), made) if steps else made

    def retitle(self, changes: Mapping[str, Any]) -> None:
        """Note what was changed of the running network."""
        self.settings.update(changes)
        self.title = _title(self.settings, self.settings.get("preset", "changed"), self.network)

    @property
    def forgets_on_purpose(self) -> bool:
        """Whether imprints say where a neuron begins anew; others are labelled by recognition alone."""
        return hasattr(self.network.state, "imprint_counts")

    def make_room(self, n_classes: int) -> None:
        """Count so many classes from now on."""
        more = n_classes - self.counts.shape[1]
        if more > 0:
            self.counts = np.pad(self.counts, ((0, 0), (0, more)))

    def features(self, X: np.ndarray) -> np.ndarray:
        """Samples as the network sees them."""
        return X if self.layer is None else np.asarray(self.layer.transform(X))

    def learn(self, X: np.ndarray, labels: np.ndarray) -> Any:
        """Learn samples in order; labels are numbers of classes, −1 where there is none."""
        learned = self.network.learn(self.features(X))
        self.count(learned, X, labels)
        return learned

    def count(self, learned: Any, X: np.ndarray, labels: np.ndarray) -> None:
        """Add what fired in learning to the counts of labels."""
        if not self.forgets_on_purpose:
            return
        self.make_room(int(labels.max(initial=-1)) + 1)
        heard = np.where(labels[:, None] >= 0, learned.winners, -1)
        count_labels_online(self.counts, heard, learned.imprints, np.maximum(labels, 0))
        if self.examples is not None:
            for x, first, imprint in zip(X, learned.winners[:, 0], learned.imprints, strict=True):
                if imprint >= 0 or first >= 0:
                    rate = 1.0 if imprint >= 0 else 0.1
                    shown = self.examples[imprint if imprint >= 0 else first]
                    shown += rate * (x - shown)

    def label(self, winners: np.ndarray, labels: np.ndarray) -> None:
        """Count labels anew from what fired for labelled samples in recognition."""
        self.counts = count_labels(
            winners, labels, len(self.counts), int(labels.max(initial=0)) + 1
        )

    def answers(self, winners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How likely each class is by what fired for each sample, and whether any name was known."""
        if not self.counts.shape[1]:
            return np.zeros((len(winners), 0)), np.zeros(len(winners), bool)
        known = voted(winners, self.counts)
        frequent = np.ones(self.counts.shape[1])
        return probabilities(winners, self.counts, frequent, self.readout), known

    def owners(self) -> np.ndarray:
        """The class that each neuron fired for most, −1 without any."""
        if not self.counts.shape[1]:
            return np.full(len(self.counts), -1, np.int16)
        return np.where(self.counts.any(axis=1), self.counts.argmax(axis=1), -1).astype(np.int16)

    def fired(self) -> np.ndarray:
        """Output spikes of each neuron so far, and imprints: where these have not changed, no weight has."""
        state = self.network.state
        imprints = getattr(state, "imprint_counts", np.zeros_like(state.spike_counts))
        return np.stack([state.spike_counts, imprints])

    def pictures(self, neurons: Any) -> np.ndarray:
        """These neurons as grey images, 0 to 255: weights or, behind a first layer, what they answered to."""
        shown = self.network.state.weights if self.examples is None else self.examples
        rows = shown[neurons]
        return (rows * (255 / np.maximum(rows.max(axis=1, keepdims=True), 1e-12))).astype(np.uint8)

    def digest(self) -> str:
        """A hash of all that the network remembers, and of its labels if they came while learning."""
        found, state = hashlib.sha256(), self.network.state
        assert is_dataclass(state)
        for field in fields(state):
            value = getattr(state, field.name)
            found.update(value.tobytes() if isinstance(value, np.ndarray) else str(value).encode())
        if self.forgets_on_purpose:
            found.update(np.trim_zeros(self.counts.sum(axis=0), "b").tobytes())
            found.update(self.counts[:, self.counts.any(axis=0)].tobytes())
        return found.hexdigest()


def _title(given: Mapping[str, Any], preset: str, network: Network) -> str:
    words = [
        preset,
        f"{network.state.n_neurons} neurons",
        f"threshold {network.parameters.threshold:g}",
    ]
    if given.get("layer", "none") != "none":
        words.insert(1, f"behind {given['layer']}")
    if network.parameters.habituation:
        words.append(f"habituation {network.parameters.habituation:g}")
    return ", ".join(words)
