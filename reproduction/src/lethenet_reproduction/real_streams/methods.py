"""What is compared: learners of a stream that say how new a sample is, and the settings each may have.

``learn(X, y)`` goes on with the stream, ``newness(X)`` is higher for what is newer, and ``predict(X)``,
where there is one, says the class. What is fitted before a stream begins (codes, thresholds, scales,
landmarks) is fitted with its known samples, without labels, for all alike.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from lethenet import ControlledForgettingClassifier
from lethenet.baselines import (
    FuzzyART,
    MiniBatchStream,
    SelfOrganisingMap,
    StreamingLDA,
    unit_rows,
)
from lethenet.theory import auto_threshold

Settings = dict[str, Any]
NEURONS = 200
"""Neurons or prototypes of all methods that have them."""
DIRECTIONS = ("on/off", "lifted", "population", "even")
LENGTHS = ("standard", "even")
"""Codes for methods that see a sample's direction only, and for those that see its length, too."""


_SETTLED: dict[bytes, float] = {}


def settled(X: np.ndarray) -> float:
    """The threshold for these samples, computed once: several settings share it."""
    key = hashlib.sha256(X.tobytes()).digest()
    if key not in _SETTLED:
        _SETTLED[key] = auto_threshold(X, NEURONS)
    return _SETTLED[key]


class Network:
    """Ours: the annealed preset, the public score, evidence votes; labels are counted while it learns."""

    def __init__(self, X: np.ndarray, seed: int, shift: float) -> None:
        self.model = ControlledForgettingClassifier.from_preset(
            "annealed", n_neurons=NEURONS, threshold=settled(X) + shift, random_state=seed
        )
        self.predict = self.model.predict

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn the rows in order."""
        self.model.partial_fit(X, y)

    def newness(self, X: np.ndarray) -> np.ndarray:
        """Minus the familiarity."""
        return -self.model.score_samples(X)


class Calibrated(Network):
    """A trial: 1 − cosine in units of what is usual for a neuron and for all (their geometric mean)."""

    def __init__(self, X: np.ndarray, seed: int, shift: float) -> None:
        super().__init__(X, seed, shift)
        self.sums, self.n = np.zeros(NEURONS), np.zeros(NEURONS)

    def _distances(self, X: np.ndarray) -> np.ndarray:
        far = 1 - unit_rows(X) @ self.model.weights_.T
        far[:, self.model.spike_counts_ + self.model.imprint_counts_ == 0] = 2
        return np.asarray(far)

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn, then take note of how far the samples are from the neurons nearest to them."""
        super().learn(X, y)
        far = self._distances(X)
        np.add.at(self.sums, far.argmin(axis=1), far.min(axis=1))
        np.add.at(self.n, far.argmin(axis=1), 1)

    def newness(self, X: np.ndarray) -> np.ndarray:
        """In these units; a neuron that was nearest to few counts partly, as if three were usual."""
        usual = self.sums.sum() / self.n.sum()
        own = (self.sums + 3 * usual) / (self.n + 3)
        return np.asarray((self._distances(X) / np.sqrt(own * usual)).min(axis=1))


class Prototypes:
    """A clusterer: how far the nearest prototype is; a prototype's class is the one it won most often."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.counts: dict[int, dict[int, int]] = {}

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn X, then count the labels of what each prototype wins."""
        for winner, label in zip(self.model.partial_fit(X).predict(X), y, strict=True):
            votes = self.counts.setdefault(int(winner), {})
            votes[int(label)] = votes.get(int(label), 0) + 1
        self.usual = int(np.bincount(y).argmax())

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The class of the winner; of one that has won nothing, the class learned last."""
        votes = (self.counts.get(int(w), {self.usual: 1}) for w in self.model.predict(X))
        return np.array([max(some, key=some.__getitem__) for some in votes])

    def newness(self, X: np.ndarray) -> np.ndarray:
        """The distance to the nearest prototype."""
        return np.asarray(self.model.transform(X).min(axis=1))


class Art(Prototypes):
    """Fuzzy ART: how badly the best category matches."""

    def newness(self, X: np.ndarray) -> np.ndarray:
        """1 − |min(I, w)| / |I|, with the samples coded as in :class:`~lethenet.baselines.FuzzyART`."""
        scaled = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), 1e-12)
        coded = np.concatenate([scaled, 1 - scaled], axis=1)
        weights = self.model.weights_
        match = [np.minimum(weights, row).sum(axis=1).max() for row in coded]
        return np.asarray(1 - np.array(match) / X.shape[1])


class Lda:
    """Streaming LDA, with labels: how far the nearest class mean is, in the shared covariance."""

    def __init__(self, shrinkage: float) -> None:
        self.model = StreamingLDA(shrinkage)
        self.learn, self.predict = self.model.partial_fit, self.model.predict

    def newness(self, X: np.ndarray) -> np.ndarray:
        """The smallest Mahalanobis distance, squared."""
        s, rows, means = self.model.shrinkage, unit_rows(X).astype(float), self.model.means_
        covariance = self.model.scatter_ * (1 - s) / self.model.class_counts_.sum()
        inverse = np.linalg.inv(covariance + s * np.eye(len(covariance)))
        own = np.einsum("ij,ij->i", rows @ inverse, rows)
        cross = means @ inverse
        far = own[:, None] - 2 * rows @ cross.T + np.einsum("ij,ij->i", cross, means)
        return np.asarray(far.min(axis=1))


class OneClass:
    """SGDOneClassSVM behind Nystroem features; γ in units of one over the mean squared distance."""

    def __init__(self, X: np.ndarray, seed: int, gamma: float, nu: float) -> None:
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import SGDOneClassSVM

        width = 2 * X.var(axis=0).sum()
        n = min(NEURONS, len(X))
        self.features = Nystroem(gamma=gamma / width, n_components=n, random_state=seed).fit(X)
        self.model = SGDOneClassSVM(nu=nu, random_state=seed)

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """One pass of stochastic gradient descent."""
        self.model.partial_fit(self.features.transform(X))

    def newness(self, X: np.ndarray) -> np.ndarray:
        """How far it is outside."""
        return -np.asarray(self.model.score_samples(self.features.transform(X)))


class Forest:
    """An isolation forest of the stream's last samples, grown when it is asked."""

    def __init__(self, seed: int, window: int, share: float) -> None:
        self.rows: deque[np.ndarray] = deque(maxlen=window)
        self.seed, self.share = seed, share

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Move the window."""
        self.rows.extend(X)
        self.model: Any = None

    def newness(self, X: np.ndarray) -> np.ndarray:
        """How soon samples are isolated."""
        from sklearn.ensemble import IsolationForest

        if self.model is None:
            forest = IsolationForest(max_features=self.share, random_state=self.seed)
            self.model = forest.fit(np.array(self.rows))
        return -np.asarray(self.model.score_samples(X))


class HalfSpaces:
    """River's half-space trees, a sample at a time, on features scaled to the unit interval."""

    def __init__(self, X: np.ndarray, seed: int, height: int, window: int) -> None:
        from river.anomaly import HalfSpaceTrees
        from sklearn.preprocessing import MinMaxScaler

        self.scale = MinMaxScaler(clip=True).fit(X)
        self.model: Any = HalfSpaceTrees(n_trees=25, height=height, window_size=window, seed=seed)

    def _rows(self, X: np.ndarray) -> list[dict[int, float]]:
        return [dict(enumerate(row)) for row in self.scale.transform(X).tolist()]

    def learn(self, X: np.ndarray, y: np.ndarray) -> None:
        """Learn one row after another."""
        for row in self._rows(X):
            self.model.learn_one(row)

    def newness(self, X: np.ndarray) -> np.ndarray:
        """River's score."""
        return np.array([self.model.score_one(row) for row in self._rows(X)])


@dataclass(frozen=True)
class Method:
    """One method: ``make(X, seed, **settings)`` with the known samples; settings without the code."""

    title: str
    make: Callable[..., Any]
    grid: dict[str, tuple[Any, ...]]
    codes: tuple[str, ...] = DIRECTIONS

    def choices(self, is_text: bool) -> list[Settings]:
        """All combinations of a code and the settings; texts have one code.

        >>> len(METHODS["cfn"].choices(is_text=False)), len(METHODS["cfn"].choices(is_text=True))
        (8, 2)
        """
        codes = ("tf-idf",) if is_text else self.codes
        names = ["code", *self.grid]
        return [dict(zip(names, some, strict=True)) for some in product(codes, *self.grid.values())]


METHODS: dict[str, Method] = {
    "cfn": Method("controlled forgetting (ours)", Network, {"shift": (0.0, 0.75)}),
    "cfn, calibrated": Method("ours, calibrated by neuron", Calibrated, {"shift": (0.0, 0.75)}),
    "half-space trees": Method(
        "half-space trees (River)", HalfSpaces, {"height": (6, 10), "window": (50, 250)}, LENGTHS
    ),
    "one-class svm": Method(
        "Nystroem, SGDOneClassSVM", OneClass, {"gamma": (2.0, 10.0), "nu": (0.05, 0.3)}, LENGTHS
    ),
    "isolation forest": Method(
        "isolation forest on windows",
        lambda X, seed, **settings: Forest(seed, **settings),
        {"window": (256, 2000), "share": (0.3, 1.0)},
        LENGTHS,
    ),
    "minibatch k-means": Method(
        "MiniBatchKMeans",
        lambda X, seed, size: Prototypes(MiniBatchStream(NEURONS, size, random_state=seed)),
        {"size": (32, 256)},
    ),
    "som": Method(
        "self-organising map",
        lambda X, seed, radius: Prototypes(
            SelfOrganisingMap(NEURONS, final_radius=radius, random_state=seed)
        ),
        {"radius": (0.3, 0.8)},
    ),
    "fuzzy art": Method(
        "fuzzy ART",
        lambda X, seed, vigilance: Art(FuzzyART(NEURONS, vigilance=vigilance)),
        {"vigilance": (0.75, 0.9)},
    ),
    "streaming lda": Method(
        "streaming LDA (labels)",
        lambda X, seed, shrinkage: Lda(shrinkage),
        {"shrinkage": (1e-3, 1e-1)},
    ),
}
"""Methods by name. Every grid has eight combinations of a code and settings (texts: two or four)."""
