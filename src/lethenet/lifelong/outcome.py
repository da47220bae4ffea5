"""What comes out of an experiment: headline numbers, arrays, a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import measures
from .config import MODEL_FIELDS, Config
from .first_layer import LayeredDataset

if TYPE_CHECKING:
    from ..data import Dataset
    from ..model import Network
    from .history import History


class Outcome:
    """What an experiment that has come to its end can tell."""

    config: Config
    data: Dataset
    history: History
    network: Network
    labels: tuple[Any, ...]
    samples_total: int

    def _headlines(self, twin_accuracy: float | None) -> dict[str, Any]:
        """The numbers that every learner has."""
        last, evaluations = self.history.evaluations[-1], self.history.evaluations
        R = measures.accuracy_matrix([evaluation["task_accuracy"] for evaluation in evaluations])
        return {
            "accuracy": last["test_accuracy"],
            "accuracy_histogram": last.get("test_accuracy_histogram"),
            "train_accuracy": last["train_accuracy"],
            "acc": measures.average_accuracy(R),
            "bwt": measures.backward_transfer(R),
            "forgetting": measures.forgetting(R),
            "sequential_penalty": (
                None if twin_accuracy is None else twin_accuracy - last["test_accuracy"]
            ),
        }

    def summary(self, twin_accuracy: float | None = None) -> dict[str, Any]:
        """The headline numbers of a finished experiment, as ``run.json`` holds them."""
        evaluations, n = self.history.evaluations, self.samples_total
        input_spikes = sum(evaluation["input_spikes"] for evaluation in evaluations)
        return self._headlines(twin_accuracy) | {
            "dopaminergic_spikes_per_sample": (
                sum(evaluation["dopaminergic_spikes"] for evaluation in evaluations) / n
            ),
            "input_spikes_per_sample": input_spikes / n,
            "synaptic_operations_per_sample": input_spikes * self.config.neurons / n,
            "recognition_operations_per_sample": evaluations[-1][
                "recognition_operations_per_sample"
            ],
        }

    def diagnosis(self) -> list[str]:
        """What is wrong with the threshold of a finished experiment, if anything is."""
        from ..estimators.diagnosis import diagnose

        order = self.config.classes or ()
        frequent = np.array([np.sum(self.data.y_train == label) for label in order])
        return diagnose(self.network, self.history.label_counts[-1], frequent)

    def classifier(self) -> Any:
        """The network, behind its layer, with its read-out from the last evaluation: a classifier."""
        from ..estimators import ControlledForgettingClassifier

        model = ControlledForgettingClassifier(
            n_neurons=self.config.neurons,
            readout=self.config.readout,
            random_state=self.config.seed,
            **{name: getattr(self.config.parameters, name) for name in MODEL_FIELDS},
        )
        order = np.argsort(self.config.classes or ())
        model.network_ = self.network
        model.n_features_in_ = self.network.state.n_features
        model.classes_ = np.array([self.data.name_of(label) for label in self.labels])
        model.label_counts_ = np.ascontiguousarray(self.history.label_counts[-1][:, order])
        model.class_counts_ = np.array([np.sum(self.data.y_train == c) for c in self.labels])
        model.threshold_ = self.config.parameters.threshold
        if not isinstance(self.data, LayeredDataset):
            return model
        from ..estimators import make_pipeline

        return make_pipeline(self.data.layer, model)
