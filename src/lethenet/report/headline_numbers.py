"""The headline numbers of a run: which there are, how they are shown, and what is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..lifelong.measures import DEFINITIONS
from ..lifelong.results import Results
from .wording import loss, number, percent, points, rate


class Measure(NamedTuple):
    """One number of a run's summary."""

    key: str
    label: str
    show: Callable[[Any], str]
    better: int
    """1 if more is better, −1 if less is, 0 if neither."""

    @property
    def meaning(self) -> str:
        """Its definition."""
        return DEFINITIONS[self.key]

    def value(self, results: Results) -> Any:
        """Its value: from the summary, or of the last evaluation while the run is unfinished."""
        if self.key in ("bwt", "forgetting") and len(results.task_names) < 2:
            return None  # they say nothing about a single task
        if results.finished or not results.evaluations:
            return results.summary.get(self.key)
        return results.last.get(_IN_EVALUATION.get(self.key, self.key))

    def applies(self, results: Results) -> bool:
        """Whether a run has it, or will have it when it has finished."""
        pending = not results.finished and self.key != "sequential_penalty"
        return pending or self.value(results) is not None

    def shown(self, results: Results) -> str:
        """Its value as text."""
        return self.show(self.value(results))


_IN_EVALUATION = {"accuracy": "test_accuracy", "accuracy_histogram": "test_accuracy_histogram"}
"""What evaluations call by another name than the summary."""

MEASURES = (
    Measure("accuracy", "Test accuracy", percent, 1),
    Measure("accuracy_histogram", "Test accuracy, histogram votes", percent, 1),
    Measure("train_accuracy", "Training accuracy", percent, 1),
    Measure("acc", "ACC", percent, 1),
    Measure("bwt", "BWT, backward transfer", points, 1),
    Measure("forgetting", "Forgetting", loss, -1),
    Measure("sequential_penalty", "Sequential penalty", loss, -1),
    Measure("dopaminergic_spikes_per_sample", "Dopaminergic spikes per sample", rate, 0),
    Measure("input_spikes_per_sample", "Input spikes per sample", number, -1),
    Measure("synaptic_operations_per_sample", "Synaptic operations per sample", number, -1),
    Measure("recognition_operations_per_sample", "Synaptic operations per recognition", number, -1),
)
"""In the order in which they are shown."""
