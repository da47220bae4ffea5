"""Real streams that package managers carry, as arrays: movements, machines, voices, letters, texts.

Training and test samples are of different people or series where there are people or series. Features are
plain numbers, signed and in their own units (texts: strings); :meth:`Stream.dataset` makes samples for a
network of them.

>>> list(STREAMS)
['watch', 'shuttle', 'segments', 'plaid', 'vowels', 'acsf1', 'letters', 'reuters', 'newsgroups']
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from lethenet.data import Dataset
from lethenet.data.splitting import stratified_split
from lethenet.layers import OnOff

from . import reading, series
from .codes import Population

__all__ = ["STREAMS", "Population", "Stream", "load_stream"]


@dataclass(frozen=True, eq=False)
class Stream:
    """Samples of a real stream, before any code.

    Attributes
    ----------
    name : str
    X_train, X_test : ndarray
        Numbers (n_samples, n_features), or texts (n_samples,).
    y_train, y_test : ndarray of int
        Classes; of Shuttle, whether it is an anomaly.
    groups : ndarray of int
        Training samples that belong together: of a person, or of a series.
    """

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    groups: np.ndarray

    @property
    def is_text(self) -> bool:
        """Whether samples are texts."""
        return self.X_train.ndim == 1

    def code(self, kind: str = "population") -> Any:
        """A new transformer that makes samples for a network: one of :data:`CODES`, of texts tf-idf."""
        return _tf_idf() if self.is_text else CODES[kind]()

    def dataset(self, kind: str = "population") -> Dataset:
        """As a data set for networks, the code fitted on the training part (without labels)."""
        code = self.code(kind).fit(self.X_train)
        return Dataset.from_arrays(
            self.name, code.transform(self.X_train), self.y_train,
            code.transform(self.X_test), self.y_test,
        )  # fmt: skip


def _lifted(X: np.ndarray) -> np.ndarray:
    return np.hstack([X, np.full((len(X), 1), np.sqrt(X.shape[1] / 2))])


CODES: dict[str, Callable[[], Any]] = {
    "on/off": lambda: make_pipeline(StandardScaler(), OnOff()),
    "lifted": lambda: make_pipeline(StandardScaler(), OnOff(), FunctionTransformer(_lifted)),
    "population": Population,
    "even": lambda: Population(8, even=True),
}
"""Codes for numbers: standardised, then on and off parts; the same and a constant input as strong as a
usual sample, so that its length counts; a few inputs for each number, at equal shares or distances."""


def _tf_idf() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(
        max_features=1000, sublinear_tf=True, stop_words="english", dtype=np.float32
    )
    return make_pipeline(words, FunctionTransformer(lambda X: X.toarray(), accept_sparse=True))


def _watch() -> Stream:
    """Windows of four seconds, every two; people 8, 9 and 10 are for testing."""
    found, exercise, person = reading.read_watch()
    cut = [series.windows(one, 200, 100) for one in found]
    X = np.array([series.summary(w) for windows in cut for w in windows])
    counts = [len(windows) for windows in cut]
    y, who = np.repeat(exercise, counts), np.repeat(person, counts)
    test = who >= 8
    return Stream("watch", X[~test], y[~test], X[test], y[test], who[~test])


def _shuttle() -> Stream:
    """The first two thirds are for training."""
    X, anomaly = reading.read_shuttle()
    n = 2 * len(X) // 3
    return Stream("shuttle", X[:n], anomaly[:n], X[n:], anomaly[n:], np.arange(n))


def _segments() -> Stream:
    X, y = reading.read_segments()
    train, test = stratified_split(y, n_test=len(y) // 3, source="segments")
    return Stream("segments", X[train], y[train], X[test], y[test], np.arange(len(train)))


def _letters() -> Stream:
    """The usual split: the first 16,000 are for training."""
    X, y = reading.read_letters()
    n = 16_000
    return Stream("letters", X[:n], y[:n], X[n:], y[n:], np.arange(n))


def _ts(name: str, problem: str, rows: Callable[[np.ndarray], list[np.ndarray]]) -> Stream:
    """Training and test series as they come; ``rows`` makes rows of a series."""

    def part(which: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found, y = reading.read_ts(f"{problem}_{which}.ts")
        made = [rows(one) for one in found]
        number = np.repeat(np.arange(len(made)), [len(some) for some in made])
        return np.array([row for some in made for row in some]), y[number], number

    (X, y, groups), (X_test, y_test, _) = part("TRAIN"), part("TEST")
    return Stream(name, X, y, X_test, y_test, groups)


def _topics(name: str, file: str) -> Stream:
    (X, names), (X_test, test_names) = (
        reading.read_topics(f"{file}-{part}.tab") for part in ("train", "test")
    )
    known, y = np.unique(names, return_inverse=True)
    return Stream(name, X, y, X_test, np.searchsorted(known, test_names), np.arange(len(y)))


STREAMS: dict[str, Callable[[], Stream]] = {
    "watch": _watch,
    "shuttle": _shuttle,
    "segments": _segments,
    "plaid": lambda: _ts("plaid", "PLAID", lambda one: [series.summary(one)]),
    "vowels": lambda: _ts("vowels", "JapaneseVowels", lambda one: [series.resampled(one, 7)]),
    "acsf1": lambda: _ts(
        "acsf1", "ACSF1", lambda one: [*map(series.summary, series.windows(one, 365, 365))]
    ),
    "letters": _letters,
    "reuters": lambda: _topics("reuters", "reuters-r8"),
    "newsgroups": lambda: _topics("newsgroups", "20newsgroups"),
}
"""Streams by name, and what loads them."""


def load_stream(name: str) -> Stream:
    """One of :data:`STREAMS`; its files are fetched at first use.

    >>> load_stream("weather")
    Traceback (most recent call last):
    ...
    ValueError: 'weather' is no stream. There are: watch, shuttle, segments, plaid, ...
    """
    if name not in STREAMS:
        raise ValueError(f"{name!r} is no stream. There are: {', '.join(STREAMS)}.")
    return STREAMS[name]()
