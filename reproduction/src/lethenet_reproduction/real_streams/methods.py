"""What is compared: learners of a stream that say how new a sample is, and the settings each may have.

What is fitted before a stream begins (codes, thresholds, scales, landmarks) is fitted with its known
samples, without labels, for all alike.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
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

NEURONS = 200
"""Neurons or prototypes of all methods that have them."""
DIRECTIONS, LENGTHS = ("on/off", "lifted", "population", "even"), ("standard", "even")
"""Codes for methods that see a sample's direction only, and for those that see its length, too."""


@dataclass
class Learner:
    """``learn(X, y)`` goes on with the stream; ``newness(X)`` is higher for what is newer; ``predict(X)``,
    where there is one, says the class. ``state`` is all that it keeps.
    """

    state: Any
    learn: Callable[[np.ndarray, np.ndarray], Any]
    newness: Callable[[np.ndarray], np.ndarray]
    predict: Callable[[np.ndarray], np.ndarray] | None = None


_SETTLED: dict[bytes, float] = {}


def network(X: np.ndarray, seed: int, shift: float) -> Learner:
    """Ours: the annealed preset, the public score, evidence votes; labels are counted while it learns."""
    key = hashlib.sha256(X.tobytes()).digest()
    if key not in _SETTLED:  # several settings share it
        _SETTLED[key] = auto_threshold(X, NEURONS)
    model = ControlledForgettingClassifier.from_preset(
        "annealed", n_neurons=NEURONS, threshold=_SETTLED[key] + shift, random_state=seed
    )
    return Learner(model, model.partial_fit, lambda X: -model.score_samples(X), model.predict)


def calibrated(X: np.ndarray, seed: int, shift: float) -> Learner:
    """A trial: 1 − cosine in units of what is usual for a neuron and for all (their geometric mean)."""
    plain = network(X, seed, shift)
    model, sums, n = plain.state, np.zeros(NEURONS), np.zeros(NEURONS)

    def distances(X: np.ndarray) -> np.ndarray:
        far = 1 - unit_rows(X) @ model.weights_.T
        far[:, model.spike_counts_ + model.imprint_counts_ == 0] = 2
        return np.asarray(far)

    def learn(X: np.ndarray, y: np.ndarray) -> None:
        model.partial_fit(X, y)
        far = distances(X)
        np.add.at(sums, far.argmin(axis=1), far.min(axis=1))
        np.add.at(n, far.argmin(axis=1), 1)

    def newness(X: np.ndarray) -> np.ndarray:
        usual = sums.sum() / n.sum()
        own = (sums + 3 * usual) / (n + 3)  # one that was nearest to few is taken for a usual one
        return np.asarray((distances(X) / np.sqrt(own * usual)).min(axis=1))

    return Learner((model, sums, n), learn, newness, model.predict)


def prototypes(model: Any, newness: Callable[[np.ndarray], np.ndarray] | None = None) -> Learner:
    """A clusterer: how far the nearest prototype is; a prototype's class is the one it won most often."""
    won: dict[int, Counter[int]] = defaultdict(Counter)
    latest: Counter[int] = Counter()

    def learn(X: np.ndarray, y: np.ndarray) -> None:
        for winner, label in zip(model.partial_fit(X).predict(X).tolist(), y.tolist(), strict=True):
            won[winner][label] += 1
        latest.clear()
        latest.update(y.tolist())

    def predict(X: np.ndarray) -> np.ndarray:
        votes = (won.get(winner, latest) for winner in model.predict(X).tolist())
        return np.array([some.most_common(1)[0][0] for some in votes])

    nearest = newness or (lambda X: model.transform(X).min(axis=1))
    return Learner((model, won), learn, nearest, predict)


def fuzzy_art(vigilance: float) -> Learner:
    """How badly the best category matches: 1 − |min(I, w)| / |I|, with FuzzyART's code of samples."""
    model = FuzzyART(NEURONS, vigilance=vigilance)

    def newness(X: np.ndarray) -> np.ndarray:
        scaled = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), 1e-12)
        coded = np.concatenate([scaled, 1 - scaled], axis=1)
        match = [np.minimum(model.weights_, row).sum(axis=1).max() for row in coded]
        return np.asarray(1 - np.array(match) / X.shape[1])

    return prototypes(model, newness)


def lda(shrinkage: float) -> Learner:
    """Streaming LDA, with labels: the smallest squared Mahalanobis distance to a class mean."""
    model = StreamingLDA(shrinkage)

    def newness(X: np.ndarray) -> np.ndarray:
        covariance = model.scatter_ * (1 - shrinkage) / model.class_counts_.sum()
        inverse = np.linalg.inv(covariance + shrinkage * np.eye(len(covariance)))
        rows, cross = unit_rows(X).astype(float), model.means_ @ inverse
        own = np.einsum("ij,ij->i", rows @ inverse, rows)
        far = own[:, None] - 2 * rows @ cross.T + np.einsum("ij,ij->i", cross, model.means_)
        return np.asarray(far.min(axis=1))

    return Learner(model, model.partial_fit, newness, model.predict)


def one_class(X: np.ndarray, seed: int, gamma: float, nu: float) -> Learner:
    """SGDOneClassSVM behind Nystroem features; γ in units of one over the mean squared distance."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import SGDOneClassSVM

    width, n = 2 * X.var(axis=0).sum(), min(NEURONS, len(X))
    features = Nystroem(gamma=gamma / width, n_components=n, random_state=seed).fit(X)
    model = SGDOneClassSVM(nu=nu, random_state=seed)
    return Learner(
        (features, model),
        lambda X, y: model.partial_fit(features.transform(X)),
        lambda X: -model.score_samples(features.transform(X)),
    )


def forest(seed: int, window: int, share: float) -> Learner:
    """An isolation forest of the stream's last samples, grown when it is asked."""
    from sklearn.ensemble import IsolationForest

    rows: deque[np.ndarray] = deque(maxlen=window)
    model = IsolationForest(max_features=share, random_state=seed)
    return Learner(
        rows,  # the forest is grown from them whenever it is asked
        lambda X, y: rows.extend(X),
        lambda X: -model.fit(np.array(rows)).score_samples(X),
    )


def half_spaces(X: np.ndarray, seed: int, height: int, window: int) -> Learner:
    """River's half-space trees, a sample at a time, on features scaled to the unit interval."""
    from river.anomaly import HalfSpaceTrees
    from sklearn.preprocessing import MinMaxScaler

    scale = MinMaxScaler(clip=True).fit(X)
    model: Any = HalfSpaceTrees(n_trees=25, height=height, window_size=window, seed=seed)

    def rows(X: np.ndarray) -> list[dict[int, float]]:
        return [dict(enumerate(row)) for row in scale.transform(X).tolist()]

    def learn(X: np.ndarray, y: np.ndarray) -> None:
        for row in rows(X):
            model.learn_one(row)

    def newness(X: np.ndarray) -> np.ndarray:
        return np.array([model.score_one(row) for row in rows(X)])

    return Learner((scale, model), learn, newness)


@dataclass(frozen=True)
class Method:
    """One method: ``make(X, seed, **settings)`` with the known samples; settings without the code."""

    title: str
    make: Callable[..., Learner]
    grid: dict[str, tuple[Any, ...]]
    codes: tuple[str, ...] = DIRECTIONS

    def choices(self, is_text: bool) -> list[dict[str, Any]]:
        """All combinations of a code and the settings; texts have one code.

        >>> len(METHODS["cfn"].choices(is_text=False)), len(METHODS["cfn"].choices(is_text=True))
        (8, 2)
        """
        codes = ("tf-idf",) if is_text else self.codes
        names = ["code", *self.grid]
        return [dict(zip(names, some, strict=True)) for some in product(codes, *self.grid.values())]


METHODS = {
    "cfn": Method("controlled forgetting (ours)", network, {"shift": (0.0, 0.75)}),
    "cfn, calibrated": Method("ours, calibrated by neuron", calibrated, {"shift": (0.0, 0.75)}),
    "half-space trees": Method(
        "half-space trees (River)", half_spaces, {"height": (6, 10), "window": (50, 250)}, LENGTHS
    ),
    "one-class svm": Method(
        "Nystroem, SGDOneClassSVM", one_class, {"gamma": (2.0, 10.0), "nu": (0.05, 0.3)}, LENGTHS
    ),
    "isolation forest": Method(
        "isolation forest on windows",
        lambda X, seed, **settings: forest(seed, **settings),
        {"window": (256, 2000), "share": (0.3, 1.0)},
        LENGTHS,
    ),
    "minibatch k-means": Method(
        "MiniBatchKMeans",
        lambda X, seed, size: prototypes(MiniBatchStream(NEURONS, size, random_state=seed)),
        {"size": (32, 256)},
    ),
    "som": Method(
        "self-organising map",
        lambda X, seed, radius: prototypes(
            SelfOrganisingMap(NEURONS, final_radius=radius, random_state=seed)
        ),
        {"radius": (0.3, 0.8)},
    ),
    "fuzzy art": Method(
        "fuzzy ART",
        lambda X, seed, vigilance: fuzzy_art(vigilance),
        {"vigilance": (0.75, 0.9)},
    ),
    "streaming lda": Method(
        "streaming LDA (labels)",
        lambda X, seed, shrinkage: lda(shrinkage),
        {"shrinkage": (1e-3, 1e-1)},
    ),
}
"""Methods by name. Every grid has eight combinations of a code and settings (texts: two or four)."""
