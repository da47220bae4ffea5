"""The headline numbers of a run, each with its definition: what is shown must say what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..lifelong.results import HARD_VOTES, Results
from .wording import loss, number, percent, points, rate


class Measure(NamedTuple):
    """One number of a run's summary."""

    key: str
    label: str
    show: Callable[[Any], str]
    better: int
    """1 if more is better, −1 if less is, 0 if neither."""
    definition: str

    def value(self, results: Results) -> Any:
        """Its value: from the summary, or of the last evaluation while the run is unfinished."""
        if self.key in _NEED_TASKS and len(results.task_names) < 2:
            return None
        if self.key in results.summary:
            return results.summary[self.key]
        if self.key in _FROM_EVALUATION and results.evaluations:
            return results.last[_FROM_EVALUATION[self.key]]
        return None

    def applies(self, results: Results) -> bool:
        """Whether a run has it, or will have it when it has finished."""
        pending = not results.finished and self.key != "sequential_penalty"
        return pending or self.value(results) is not None

    def shown(self, results: Results) -> str:
        """Its value as text."""
        return self.show(self.value(results))

    def meaning(self, results: Results) -> str:
        """Its definition, with the votes that this run counts."""
        hard = results.votes == HARD_VOTES
        rule = (
            "Each output spike votes for the one class its neuron answered to most (hard votes, the "
            "paper's rule)."
            if hard
            else "Each output spike votes in proportion to all classes its neuron answered to "
            "(histogram votes; the paper's rule is hard votes)."
        )
        return self.definition.replace("{rule}", rule)


_FROM_EVALUATION = {
    "accuracy": "test_accuracy",
    "accuracy_histogram": "test_accuracy_histogram",
    "train_accuracy": "train_accuracy",
    "input_spikes_per_sample": "input_spikes_per_sample",
    "synaptic_operations_per_sample": "synaptic_operations_per_sample",
}

_NEED_TASKS = ("bwt", "forgetting")
"""Say nothing about a run with a single task."""

MEASURES: tuple[Measure, ...] = (
    Measure(
        "accuracy",
        "Test accuracy",
        percent,
        1,
        "Share of right answers on the test samples of all classes, after the last task. {rule}",
    ),
    Measure(
        "accuracy_histogram",
        "Test accuracy, histogram votes",
        percent,
        1,
        "The same, with each output spike's vote split in proportion to all classes its neuron "
        "answered to.",
    ),
    Measure(
        "train_accuracy",
        "Training accuracy",
        percent,
        1,
        "The same as test accuracy, on the training samples that also gave the neurons their labels. "
        "The paper's Table 1 shows this one.",
    ),
    Measure(
        "acc",
        "ACC",
        percent,
        1,
        "Mean over tasks j of R[T, j], the test accuracy on task j after the last task T: every task "
        "counts the same, however many samples it has (Lopez-Paz & Ranzato 2017).",
    ),
    Measure(
        "bwt",
        "BWT, backward transfer",
        points,
        1,
        "Mean over tasks j before the last of R[T, j] − R[j, j]: what became of a task since it was "
        "learned. Negative is forgetting (Lopez-Paz & Ranzato 2017, GEM).",
    ),
    Measure(
        "forgetting",
        "Forgetting",
        loss,
        -1,
        "Mean over tasks j before the last of max R[l, j] over l < T, minus R[T, j]: the loss since a "
        "task's best (Chaudhry et al. 2018). Less is better.",
    ),
    Measure(
        "sequential_penalty",
        "Sequential penalty",
        loss,
        -1,
        "Test accuracy of the twin that met all classes mixed, minus test accuracy of this run: the "
        "price of one task after the other.",
    ),
    Measure(
        "dopaminergic_spikes_per_sample",
        "Dopaminergic spikes per sample",
        rate,
        0,
        "How often a training sample was not recognised in time and was imprinted on a neuron.",
    ),
    Measure(
        "input_spikes_per_sample",
        "Input spikes per sample",
        number,
        -1,
        "Poisson spikes that one training sample sent until the layer had answered.",
    ),
    Measure(
        "synaptic_operations_per_sample",
        "Synaptic operations per sample",
        number,
        -1,
        "Input spikes times neurons, per training sample: one operation is one weight added to one "
        "potential.",
    ),
)
"""In the order in which they are shown."""
