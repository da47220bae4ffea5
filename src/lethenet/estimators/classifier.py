"""The network with a read-out on top: a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from .base import NetworkEstimator, with_network_parameters
from .readout import (
    Readout,
    count_labels,
    count_labels_online,
    decide,
    probabilities,
    readout_rule,
)
from .validation import check_samples, check_size


class ControlledForgettingClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """A Controlled Forgetting Network that says which class a sample belongs to.

    The network learns exactly as :class:`ControlledForgettingNetwork` does: labels touch only the
    read-out, which counts for which classes each neuron fires.

    * :meth:`fit` learns X in order, then freezes the network and counts labels by recognising X, as
      the paper does. :meth:`assign` repeats that with any labelled samples.
    * :meth:`partial_fit` counts labels while it learns; a neuron's counts start anew with its
      imprint. Nothing is shown twice.

    A blank (all-zero) sample sends no spikes and gets the most frequent class.

    Parameters
    ----------
    n_neurons : int, default=400
        Size of the layer.
    readout : {"dominant", "histogram", "evidence"}, default="dominant"
        "dominant" is the paper's: every output spike votes for the class that its neuron fired for
        most. "histogram": it splits its vote as the neuron's spikes were split over the classes.
        "evidence", the default of the annealed preset: it adds log P(class | neuron).
    threshold, …, candidates, random_state, n_jobs
        As in :class:`ControlledForgettingNetwork`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    label_counts_ : ndarray of shape (n_neurons, n_classes)
        For which classes each neuron fired.
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
    def __init__(self, *, readout: Readout = "dominant", **parameters: Any) -> None:
        super().__init__(**parameters)
        self.readout = readout

    def fit(self, X: Any, y: Any) -> Self:
        """Learn X in order, starting from a new network; then count labels by recognising X.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> X, y = np.repeat(np.eye(4), 5, axis=0), np.repeat([3, 1, 4, 1], 5)
        >>> ControlledForgettingClassifier(n_neurons=8, random_state=0).fit(X, y).classes_
        array([1, 3, 4])
        """
        readout_rule(self.readout)
        with self._lock():
            X = check_samples(self, X, reset=True)
            y = self._check_labels(X, y)
            self.classes_ = unique_labels(y)
            self._learn(X, anew=True)
            self._count(X, y)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning with X, counting its labels on the way.

        ``classes`` lists all classes that will ever come; the first call needs it.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> model = ControlledForgettingClassifier(n_neurons=8, random_state=0)
        >>> model = model.partial_fit(np.eye(4), [0, 1, 0, 1], classes=[0, 1, 2])
        >>> model.partial_fit(np.eye(4), [2, 2, 2, 2]).n_presentations_
        8
        """
        if not self.stop_after_imprint:
            raise ValueError(
                "partial_fit counts labels while learning and needs stop_after_imprint=True: it could "
                "not tell which spikes came before an imprint. Use fit, or assign after learning."
            )
        readout_rule(self.readout)
        with self._lock():
            first = not hasattr(self, "network_")
            X = check_samples(self, X, reset=first)
            y = self._check_labels(X, y)
            if first:
                if classes is None:
                    raise ValueError(
                        "classes must be passed on the first call to partial_fit: "
                        "all labels that will ever come."
                    )
                self.classes_ = unique_labels(classes)
            elif classes is not None and not np.array_equal(self.classes_, unique_labels(classes)):
                raise ValueError(
                    f"classes={classes!r} is not the same as on the last call to partial_fit, "
                    f"{self.classes_!r}."
                )
            labels = self._encode(y)
            if first:  # before learning, so that an interrupt leaves nothing missing
                size = check_size("n_neurons", self.n_neurons)
                self.label_counts_ = np.zeros((size, len(self.classes_)), np.int64)
                self.class_counts_ = np.zeros(len(self.classes_), np.int64)
            learned = self._learn(X, anew=first)
            count_labels_online(self.label_counts_, learned.winners, learned.imprints, labels)
            self.class_counts_ += np.bincount(labels, minlength=len(self.classes_))
        return self

    def assign(self, X: Any, y: Any) -> Self:
        """Freeze the network and count labels anew, by recognising labelled samples.

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

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> model = ControlledForgettingClassifier(n_neurons=8, random_state=0)
        >>> model.fit(np.eye(4), [0, 1, 0, 1]).predict_proba(np.eye(4)).sum(axis=1)
        array([1., 1., 1., 1.])
        """
        check_is_fitted(self)
        return probabilities(*self._answers(check_samples(self, X, reset=False)))

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, the first one among equals.

        >>> import numpy as np
        >>> from lethenet import ControlledForgettingClassifier
        >>> X, y = np.repeat(np.eye(4), 5, axis=0), np.repeat(list("abca"), 5)
        >>> model = ControlledForgettingClassifier(n_neurons=8, random_state=0).fit(X, y)
        >>> set(model.predict(X)) <= set("abc")
        True
        """
        check_is_fitted(self)
        numbers = decide(*self._answers(check_samples(self, X, reset=False)))
        return self.classes_[numbers]  # type: ignore[no-any-return]

    def _answers(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, Readout]:
        """What a read-out decides by: output spikes, label counts, class counts, and its name."""
        readout_rule(self.readout)
        return self._winners(X), self.label_counts_, self.class_counts_, self.readout

    def _count(self, X: np.ndarray, y: np.ndarray) -> None:
        labels = self._encode(y)
        n_classes = len(self.classes_)
        self.label_counts_ = count_labels(self._winners(X), labels, len(self.weights_), n_classes)
        self.class_counts_ = np.bincount(labels, minlength=n_classes)

    def _encode(self, y: np.ndarray) -> np.ndarray:
        labels = np.searchsorted(self.classes_, y)
        known = labels < len(self.classes_)
        known[known] = self.classes_[labels[known]] == y[known]
        if not known.all():
            raise ValueError(
                f"y holds the label {y[~known][0]!r}, which is not among the classes "
                f"{self.classes_!r}."
            )
        return labels

    def _check_labels(self, X: np.ndarray, y: Any) -> np.ndarray:
        if y is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: the read-out needs labels. "
                "ControlledForgettingNetwork learns without any."
            )
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        check_classification_targets(y)
        return y  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Only a sample's direction counts: blobs in two dimensions, as in scikit-learn's checks,
        # differ in little else than length.
        tags.classifier_tags.poor_score = True
        return tags
