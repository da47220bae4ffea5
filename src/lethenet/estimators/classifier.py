"""The network with a read-out on top: a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ..model import Presented
from .base import with_network_parameters
from .labels import join_classes, split_labels
from .one_labelled_sample import OneLabelledSampleMixin
from .readout import (
    Readout,
    count_labels,
    count_labels_online,
    decide,
    probabilities,
    readout_rule,
)
from .settling import SETTLING
from .validation import check_samples


class ControlledForgettingClassifier(
    ClassifierMixin,  # type: ignore[misc]
    OneLabelledSampleMixin,
):
    """A Controlled Forgetting Network that says which class a sample belongs to.

    The network learns exactly as :class:`ControlledForgettingNetwork` does: labels touch only the
    read-out, which counts for which classes each neuron fires.

    * :meth:`fit` learns X in order, then freezes the network and counts labels by recognising X, as
      the paper does. :meth:`assign` repeats that with any labelled samples.
    * :meth:`partial_fit` counts labels while it learns; a neuron's counts start anew with its
      imprint. Nothing is shown twice. Labels may be missing, and classes need not be announced.
    * :meth:`teach` takes labels that come later, :meth:`ask` names the neurons whose label would
      tell most. With ``links``, a few labels spread to all neurons (see *Few labels* in the
      documentation).

    A blank (all-zero) sample sends no spikes and gets the most frequent class.

    Parameters
    ----------
    n_neurons : int, default=400
        Size of the layer.
    readout : {"dominant", "histogram", "evidence"}, default="dominant"
        "dominant" is the paper's: every output spike votes for the class that its neuron fired for
        most. "histogram": it splits its vote as the neuron's spikes were split over the classes.
        "evidence", the default of the annealed preset: it adds log P(class | neuron).
    spreading : float, default=0.97
        How far labels spread over ``links``: the share α that a link hands on, 0 for not at all. Without
        links nothing spreads.
    threshold, …, candidates, random_state, n_jobs
        As in :class:`ControlledForgettingNetwork`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        All classes that were announced or have come so far, rising.
    label_counts_ : ndarray of shape (n_neurons, n_classes)
        For which classes each neuron fired.
    certainty_ : ndarray of shape (n_neurons,)
        How likely its most likely class is for each neuron.
    asked_ : ndarray of shape (n_neurons,)
        Which neurons were taught by :meth:`teach`, as such.
    weights_, dopaminergic_weights_, spike_counts_, imprint_counts_, n_presentations_, network_
        As in :class:`ControlledForgettingNetwork`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lethenet import ControlledForgettingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> digits_in_turn = y[:1000].argsort(kind="stable")
    >>> model = ControlledForgettingClassifier(n_neurons=100, threshold=15.5, random_state=0)
    >>> bool(model.fit(X[digits_in_turn], y[digits_in_turn]).score(X[1000:], y[1000:]) > 0.75)
    True
    """

    @with_network_parameters
    def __init__(
        self, *, readout: Readout = "dominant", spreading: float = 0.97, **parameters: Any
    ) -> None:
        super().__init__(**parameters)
        self.readout = readout
        self.spreading = spreading

    def fit(self, X: Any, y: Any) -> Self:
        """Learn X in order, starting from a new network; then count labels by recognising X.

        A label may be missing: None or NaN. (−1 is a class like any other here.)
        """
        readout_rule(self.readout)
        with self._lock():
            X = check_samples(self, X, reset=True)
            y = self._check_labels(X, y)
            with self._fitting():
                self.classes_ = np.zeros(0, np.int64)
                self._learn(X, anew=True)
                self._count(X, y)
            self._warn_of_threshold(self.label_counts_, self.class_counts_)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Go on learning with X, counting its labels on the way.

        Labels may be missing: None, NaN or, unless it is among ``classes``, −1; all of them if ``y`` is
        left out. ``classes`` announces classes; others join ``classes_`` when they come, in
        their place, so the columns of :meth:`predict_proba` always follow ``classes_``.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> model = ControlledForgettingClassifier(n_neurons=8, random_state=0)
        >>> model = model.partial_fit(np.eye(4), [0, 1, 0, 1], classes=[0, 1, 2])
        >>> model.partial_fit(np.eye(4), [2, 2, None, 7]).n_presentations_
        8
        >>> model.classes_
        array([0, 1, 2, 7])
        """
        self._check_that_labels_can_be_counted()
        with self._lock():
            begins = self._begins
            X = check_samples(self, X, reset=begins)
            y = np.full(X.shape[0], None) if y is None else self._check_labels(X, y)
            if begins:  # before learning, so that an interrupt leaves nothing missing
                self._begin_to_count()
            if classes is not None:
                self._join(split_labels(list(classes), minus_one=False)[0])
            ready = self._waits(X, y)
            if ready is not None:
                self._learn_more(*ready)
        return self

    def _learn_more(self, X: Any, y: Any) -> None:
        numbers, there = self._numbered(y)
        labels = np.zeros(len(there), np.int64)
        labels[there] = numbers

        def count(learned: Presented) -> None:
            n = len(learned.winners)
            heard = np.where(there[:n, None], learned.winners, -1)
            count_labels_online(self.label_counts_, heard, learned.imprints, labels[:n])
            counted = labels[:n][there[:n]]
            self.class_counts_ += np.bincount(counted, minlength=len(self.classes_))
            self.asked_ = self._asked()
            self.asked_[learned.imprints[learned.imprints >= 0]] = False

        anew = not hasattr(self, "network_")
        self._learn(X, anew=anew, settle_from=SETTLING, count=count)

    def assign(self, X: Any, y: Any) -> Self:
        """Freeze the network and count labels anew, by recognising labelled samples.

        What was counted or taught before is forgotten, but not the classes.

        >>> from sklearn.datasets import load_digits
        >>> from lethenet import ControlledForgettingClassifier
        >>> X, y = load_digits(return_X_y=True)
        >>> model = ControlledForgettingClassifier(n_neurons=20, threshold=15.5, random_state=0)
        >>> int(model.fit(X[:100], y[:100]).assign(X[:10], y[:10]).label_counts_.sum())
        50
        """
        check_is_fitted(self)
        with self._lock():
            X = check_samples(self, X, reset=False)
            self._count(X, self._check_labels(X, y))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the votes for each class (n_samples, n_classes).

        A sample without votes (blank, or only unlabelled neurons fired) gets the classes' frequencies.
        """
        return probabilities(*self._answers(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, the first one among equals."""
        numbers = decide(*self._answers(X))
        return self.classes_[numbers]  # type: ignore[no-any-return]

    def _answers(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, Readout]:
        """What a read-out decides by: output spikes, label counts, class counts, and its name."""
        check_is_fitted(self)
        X = check_samples(self, X, reset=False)
        known = self.decision_inputs()
        return self._winners(X), *known

    def _count(self, X: np.ndarray, y: Any) -> None:
        """Count labels anew, by recognising the samples that have one."""
        known = self.classes_.tolist()
        labels, there = split_labels(y, minus_one=bool(known) and -1 not in known)
        self.classes_ = join_classes(self.classes_, labels)
        shape = len(self.weights_), len(self.classes_)
        numbers = np.searchsorted(self.classes_, labels)
        self.label_counts_ = count_labels(self._winners(X[there]), numbers, *shape)
        self.class_counts_ = np.bincount(numbers, minlength=shape[1])
        self.asked_ = np.zeros(shape[0], bool)

    def _check_labels(self, X: np.ndarray, y: Any) -> np.ndarray:
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: the read-out needs labels. "
                "ControlledForgettingNetwork learns without any."
            )
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        split_labels(y, minus_one=False)
        return y  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Only a sample's direction counts: blobs in two dimensions, as in scikit-learn's checks,
        # differ in little else than length.
        tags.classifier_tags.poor_score = True
        return tags
