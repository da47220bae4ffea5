"""What an experiment has gathered so far: windows of activity, and each evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import measures
from .energy import Cost

if TYPE_CHECKING:
    from ..model import Presented, State

MAX_WINDOWS = 500
"""Windows of activity over a whole run: what a figure can show."""

MAX_NEURONS_WITH_ALL_WEIGHTS = 400
"""Up to this size there are the weights of every evaluation, beyond it only of the last."""


@dataclass
class SinceEvaluation:
    """Sums over the samples learned since the last evaluation."""

    samples: int = 0
    output_spikes: int = 0
    input_spikes: int = 0
    dopaminergic_spikes: int = 0
    duration: float = 0.0


@dataclass(eq=False)
class History:
    """Everything an experiment has gathered so far. A checkpoint holds it with the network's state.

    Attributes
    ----------
    window : int
        Samples per window of activity.
    dopamine, input_spikes : int64 (windows,)
        Spikes in each window.
    imprint_counts_before : int64 (neurons,)
        The network's imprint counts at the last evaluation.
    online_counts : int64 (neurons, classes)
        Labels counted while learning; no classes if nobody wants to know.
    confusion, label_counts, imprinted, weights : lists of arrays
        One per evaluation; ``weights`` holds only the last for large networks.
    evaluations : list of dict
        As in ``run.json``.
    learned, recognised : Cost
        What the simulation did, which depends on where it was stopped: no part of the result.
    """

    window: int
    dopamine: np.ndarray
    input_spikes: np.ndarray
    imprint_counts_before: np.ndarray
    online_counts: np.ndarray
    since: SinceEvaluation = field(default_factory=SinceEvaluation)
    confusion: list[np.ndarray] = field(default_factory=list)
    label_counts: list[np.ndarray] = field(default_factory=list)
    imprinted: list[np.ndarray] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    learned: Cost = field(default_factory=Cost)
    recognised: Cost = field(default_factory=Cost)

    @classmethod
    def blank(cls, samples_total: int, n_neurons: int, n_classes: int = 0) -> History:
        """The history of an experiment that has not begun."""
        window = 16
        while window * MAX_WINDOWS < samples_total:
            window *= 2
        n_windows = -(-samples_total // window)
        return cls(
            window=window,
            dopamine=np.zeros(n_windows, np.int64),
            input_spikes=np.zeros(n_windows, np.int64),
            imprint_counts_before=np.zeros(n_neurons, np.int64),
            online_counts=np.zeros((n_neurons, n_classes), np.int64),
        )

    def room_in_window(self, samples_done: int) -> int:
        """How many samples go into the open window: no more may be added at a time."""
        return self.window - samples_done % self.window

    def add(
        self, learned: Presented, first: int, dopaminergic_spikes: int, labels: np.ndarray
    ) -> None:
        """Add samples that were learned, of which the first was number ``first`` of the run."""
        from ..estimators.readout import count_labels_online

        n = len(learned.durations)
        if n == 0:
            return
        if n > self.room_in_window(first):
            raise ValueError(f"{n} samples from {first} on do not lie in one window.")
        # Counted by the network, as a sample may hold several if an imprint does not end it
        self.dopamine[first // self.window] += dopaminergic_spikes
        input_spikes = int(learned.input_spikes.sum())
        self.input_spikes[first // self.window] += input_spikes
        self.learned.add(learned)
        if self.online_counts.size:
            count_labels_online(self.online_counts, learned.winners, learned.imprints, labels)
        self.since.samples += n
        self.since.dopaminergic_spikes += dopaminergic_spikes
        self.since.input_spikes += input_spikes
        self.since.output_spikes += int(np.count_nonzero(learned.winners >= 0))
        # One after the other, so that the sum has the same bits wherever the stream was cut
        self.since.duration = float(np.cumsum(np.r_[self.since.duration, learned.durations])[-1])

    def part(self, state: State) -> History:
        """The history at the end of a task, to be closed later; this one goes on from there.

        What is measured is added to both.
        """
        still = replace(
            self,
            dopamine=self.dopamine.copy(),
            input_spikes=self.input_spikes.copy(),
            online_counts=self.online_counts.copy(),
            learned=replace(self.learned),
        )
        self.imprint_counts_before = state.imprint_counts.copy()
        self.since = SinceEvaluation()
        return still

    def close(
        self, evaluation: dict[str, Any], state: State, confusion: np.ndarray, counts: np.ndarray
    ) -> dict[str, Any]:
        """Complete an evaluation with what happened since the last one, and add it."""
        imprinted = state.imprint_counts > self.imprint_counts_before
        labelled = np.zeros_like(imprinted)
        if self.label_counts:
            labelled = np.any(self.label_counts[-1], axis=1)
        since, n = self.since, self.since.samples
        evaluation |= measures.neuron_fates(imprinted, labelled) | {
            "samples_since": n,
            "dopaminergic_spikes": since.dopaminergic_spikes,
            "output_spikes": since.output_spikes,
            "input_spikes": since.input_spikes,
            "input_spikes_per_sample": since.input_spikes / n,
            "synaptic_operations_per_sample": since.input_spikes * state.n_neurons / n,
            "duration_per_sample": since.duration / n,
        }
        self.evaluations.append(evaluation)
        self.confusion.append(confusion)
        self.label_counts.append(counts)
        self.imprinted.append(imprinted.astype(np.uint8))
        if state.n_neurons > MAX_NEURONS_WITH_ALL_WEIGHTS:
            self.weights.clear()
        self.weights.append(state.weights)
        return evaluation

    def windows(self, samples_done: int) -> tuple[np.ndarray, np.ndarray]:
        """Dopaminergic and input spikes per sample in each window begun so far."""
        n = -(-samples_done // self.window)
        sizes = np.minimum(self.window, samples_done - self.window * np.arange(n))
        return self.dopamine[:n] / sizes, self.input_spikes[:n] / sizes
