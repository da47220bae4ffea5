"""One sample at a time, with labels: what a classifier counts and answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..model import Presented
from .one_sample import PLACES
from .readout import Readout, readout_rule
from .teaching import TeachingMixin
from .validation import check_size


class OneLabelledSampleMixin(TeachingMixin):
    """Counting labels while learning, and single samples for classifiers."""

    readout: Readout

    def predict_one(self, x: Any) -> Any:
        """The class of one sample (n_features,), as ``predict`` has it."""
        with self._lock():
            votes = self._votes_for_one(x)
            label = self.classes_[(self.class_counts_ if votes is None else votes).argmax()]
        return label.item() if isinstance(label, np.generic) else label

    def predict_proba_one(self, x: Any) -> np.ndarray:
        """Share of the votes for each class (n_classes,), for one sample (n_features,)."""
        with self._lock():
            votes = self._votes_for_one(x)
            if votes is not None:
                return np.asarray(readout_rule(self.readout).probabilities(votes[None])[0])
            frequent = self.decision_inputs()[1]
            return np.asarray(frequent / frequent.sum())

    def _votes_for_one(self, x: Any) -> np.ndarray | None:
        """The sums of votes for each class, None without any: :func:`.readout.vote` for one sample."""
        winners = self._place().recognise(self._sample(x)).winners[0]
        ballots = readout_rule(self.readout).ballots
        if not len(self.classes_):
            self.decision_inputs()  # says so
        counts = self._known_labels()[winners[winners >= 0]]
        counts = counts[counts.any(axis=1)]
        return np.asarray(ballots(counts).sum(axis=0)) if len(counts) else None

    def _number_of(self, label: Any) -> int:
        if label is None:
            return -1
        place = PLACES[self]
        if place.classes is not self.classes_:
            numbers = {known: number for number, known in enumerate(self.classes_.tolist())}
            place = PLACES[self] = place._replace(classes=self.classes_, numbers=numbers)
        try:
            return place.numbers[label]
        except (KeyError, TypeError):  # new, or missing in some other way
            found, there = self._numbered([label])
            return int(found[0]) if there[0] else -1

    def _note_one(self, learned: Presented, number: int) -> None:
        super()._note_one(learned, number)
        imprinted = learned.imprints[0]
        if imprinted >= 0:
            self.label_counts_[imprinted] = 0
            self.asked_[imprinted] = False
        if number >= 0:
            for winner in learned.winners[0].tolist():
                if winner >= 0:
                    self.label_counts_[winner, number] += 1
            self.class_counts_[number] += 1

    def _begin_with_one(self, X: np.ndarray) -> None:
        self._check_that_labels_can_be_counted()
        self._begin_to_count()
        self._begin_with(X)

    def _go_on(self) -> None:
        self._check_that_labels_can_be_counted()
        super()._go_on()

    def _check_that_labels_can_be_counted(self) -> None:
        """While learning, that is."""
        if not self.stop_after_imprint:
            raise ValueError(
                "partial_fit counts labels while learning and needs stop_after_imprint=True: it could "
                "not tell which spikes came before an imprint. Use fit, or assign after learning."
            )
        readout_rule(self.readout)

    def _begin_to_count(self) -> None:
        size = check_size("n_neurons", self.n_neurons)
        self.classes_ = np.zeros(0, np.int64)
        self.label_counts_ = np.zeros((size, 0), np.int64)
        self.class_counts_ = np.zeros(0, np.int64)
        self.asked_ = np.zeros(size, bool)

    def decision_inputs(self) -> tuple[np.ndarray, np.ndarray, Readout]:
        """What output spikes are read by: label counts, with what links add, class counts, and how."""
        check_is_fitted(self)
        readout_rule(self.readout)
        if not len(self.classes_):
            raise ValueError("no label is known yet: give some by teach, partial_fit or assign.")
        frequent = self.class_counts_ if self.class_counts_.any() else self.class_counts_ + 1
        return self._known_labels(), frequent, self.readout
