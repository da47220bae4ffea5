"""Labels that come later, and questions that the model asks: ``teach`` and ``ask``."""

from __future__ import annotations

from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .asking import Questions, neurons_to_ask
from .labels import join_classes, moved_columns, split_labels
from .one_sample import OneSampleEstimator
from .readout import count_labels, shares
from .spreading import link_matrix, spread, with_spread_labels
from .validation import check_samples, check_size

# Not in the estimators: scikit-learn wants predict to leave them as they are
_SPREAD: WeakKeyDictionary[Any, tuple[tuple[Any, ...], np.ndarray]] = WeakKeyDictionary()


class TeachingMixin(OneSampleEstimator):
    """What a classifier does with labels besides counting those that come with samples."""

    spreading: float
    classes_: np.ndarray
    label_counts_: np.ndarray
    class_counts_: np.ndarray
    asked_: np.ndarray

    def teach(self, what: Any, labels: Any, *, was: Any = None) -> Self:
        """Take labels for neurons, or for samples, seen before or not; nothing is learned but these.

        Parameters
        ----------
        what : neurons (whole numbers, as :meth:`ask` gives them) or samples (n_samples, n_features)
            The label of a neuron replaces all that was known of it, until its next imprint. The
            label of a sample counts for the neurons that fire for it.
        labels : one label for all, or one each
            A class that is new joins ``classes_``. A missing label (None, NaN, −1 unless that is a
            class) says that there is none: of a neuron, its labels are taken back and it is not
            asked for again.
        was : labels, optional
            For samples: the labels by which they were taught before, wrongly; they are taken back.

        Examples
        --------
        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> model = ControlledForgettingClassifier(n_neurons=4, random_state=0, links=2)
        >>> model = model.partial_fit(np.eye(6))
        >>> model.teach([0, 2], ["cat", "dog"]).classes_.tolist()
        ['cat', 'dog']
        >>> model.teach(np.eye(6)[:1], "bird").teach(np.eye(6)[:1], "dog", was="bird").classes_.tolist()
        ['bird', 'cat', 'dog']
        """
        check_is_fitted(self)
        what = what if hasattr(what, "tocsr") else np.asarray(what)
        # a single label, for all
        wanted = [labels] * what.shape[0] if np.ndim(labels) == 0 else labels
        check_consistent_length(what, wanted)
        with self._lock():
            if what.ndim == 1:
                if was is not None:
                    raise ValueError("was=… is for samples: a neuron's new label replaces the old.")
                self._teach_neurons(what, *self._numbered(wanted))
            else:
                X = check_samples(self, what, reset=False)
                winners = self._winners(X)
                if was is not None:
                    before = [was] * X.shape[0] if np.ndim(was) == 0 else was
                    check_consistent_length(X, before)
                    self._count_more(winners, *self._numbered(before), sign=-1)
                self._count_more(winners, *self._numbered(wanted))
        return self

    def _teach_neurons(self, neurons: np.ndarray, numbers: np.ndarray, there: np.ndarray) -> None:
        n = len(self.label_counts_)
        if neurons.dtype.kind not in "iu" or (neurons.size and neurons.min() < 0):
            raise ValueError(f"what={neurons!r}: expected numbers of neurons, or rows of samples.")
        if neurons.size and neurons.max() >= n:
            raise ValueError(f"there is no neuron {neurons.max()}: there are {n}, from 0 on.")
        asked = self._asked()
        counts = self.label_counts_.copy()
        counts[neurons] = 0
        # as much as a presentation for which it alone fires
        counts[neurons[there], numbers] = self.network_.parameters.n_readout_spikes
        asked[neurons] = True
        self.label_counts_, self.asked_ = counts, asked

    def _count_more(
        self, winners: np.ndarray, numbers: np.ndarray, there: np.ndarray, sign: int = 1
    ) -> None:
        shape = self.label_counts_.shape
        more = sign * count_labels(winners[there], numbers, *shape)
        self.label_counts_ = np.maximum(self.label_counts_ + more, 0)
        classes = sign * np.bincount(numbers, minlength=shape[1])
        self.class_counts_ = np.maximum(self.class_counts_ + classes, 0)

    def ask(self, n: int = 1, X: Any = None) -> Questions:
        """Whose label would tell most: up to n neurons or, out of a pool X, samples.

        It goes by links, by how certain the classes of neurons are, and by how much neurons are used.
        Nothing that has a label, or was taught a missing one, is asked for. Fewer than n: there is
        nothing else left to learn by asking. Ten questions at once are better than one at a time: they
        are chosen together.

        Returns
        -------
        Questions
            ``numbers`` of neurons (rows of X, if given), and ``images``: their weights (samples).

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from lethenet import ControlledForgettingClassifier
        >>> X, y = load_digits(return_X_y=True)
        >>> model = ControlledForgettingClassifier(n_neurons=50, threshold=15.5, links=8, random_state=0)
        >>> asked = model.partial_fit(X[:500]).ask(3)
        >>> asked.images.shape
        (3, 64)
        >>> len(model.teach(asked.numbers, [1, 2, 3]).ask(2).numbers)
        2
        """
        state = self._fitted().state
        n = check_size("n", n)
        if not state.link_partners.shape[1]:
            raise ValueError(
                "ask goes by the links between neurons, and this network has none: learn with links=16."
            )
        pool = None
        if X is not None:
            X = check_samples(self, X, reset=False)
            pool = self._spikes(X).astype(np.float64)
        numbers = neurons_to_ask(
            link_matrix(state.link_partners, state.link_counts),
            state.spikes_since_imprint,
            self.certainty_,
            np.asarray(self.label_counts_.any(axis=1)),
            self._asked(),
            alpha=self._alpha() or 0.97,
            n=n,
            pool=pool,
        )
        images = (self.weights_ if X is None else X)[numbers]
        return Questions(numbers, images.toarray() if hasattr(images, "toarray") else images.copy())

    @property
    def certainty_(self) -> np.ndarray:
        """How likely its most likely class is for each neuron (n_neurons,); 0 where no label is known."""
        check_is_fitted(self)
        return np.asarray(shares(self._known_labels()).max(axis=1, initial=0.0))

    def _known_labels(self) -> np.ndarray:
        """Label counts for the read-out: a neuron's own and, over links, those around it."""
        state, alpha = self.network_.state, self._alpha()
        if not alpha or not state.link_partners.shape[1] or not self.label_counts_.any():
            return self.label_counts_
        key = (self.label_counts_, state.n_presentations, alpha)
        known, found = _SPREAD.get(self, ((None, None, None), self.label_counts_))
        if known[1:] != key[1:] or not np.array_equal(known[0], key[0]):
            links = link_matrix(state.link_partners, state.link_counts)
            found = with_spread_labels(self.label_counts_, spread(links, self.label_counts_, alpha))
            _SPREAD[self] = ((self.label_counts_.copy(), *key[1:]), found)
        return found

    def _alpha(self) -> float:
        if not 0 <= self.spreading < 1:
            raise ValueError(f"spreading={self.spreading!r}: expected 0 or more, below 1.")
        return float(self.spreading)

    def _asked(self) -> np.ndarray:
        """Which neurons were asked for: a copy; models put together from a run have none."""
        return np.array(getattr(self, "asked_", np.zeros(len(self.label_counts_), bool)))

    def _numbered(self, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Labels as numbers of classes, those that are there, and which are; new classes join."""
        labels, there = split_labels(y, minus_one=-1 not in self.classes_.tolist())
        self._join(labels)
        return np.searchsorted(self.classes_, labels), there

    def _join(self, labels: np.ndarray) -> None:
        old, new = self.classes_, join_classes(self.classes_, labels)
        if len(new) > len(old):
            counts = moved_columns(self.label_counts_, old, new)
            classes = moved_columns(self.class_counts_, old, new)
            self.classes_, self.label_counts_, self.class_counts_ = new, counts, classes
