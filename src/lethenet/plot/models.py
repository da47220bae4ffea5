"""What there is to draw of a model, be it an estimator, a pipeline or a plain network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..estimators.readout import dominant_classes
from ..layers.base import image_shape
from ..model import Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Model(NamedTuple):
    """A network, the layers before it, and the classes that its neurons stand for."""

    network: Network
    layers: Any
    n_inputs: int
    """Features before each got an input for its positive and one for its negative part, if it did."""
    owners: np.ndarray
    """For each neuron the place of its class in ``classes``, or -1."""
    classes: list[str]

    def pictures(
        self, neurons: np.ndarray, shape: tuple[int, ...] | None
    ) -> tuple[np.ndarray, tuple[int, ...] | None]:
        """Weights as samples of length one, seen through the layers, and their shape if they are images."""
        seen = self.network.state.weights[neurons]
        if seen.shape[1] == 2 * self.n_inputs:
            seen = seen[:, : self.n_inputs] - seen[:, self.n_inputs :]
        if hasattr(self.layers, "inverse_transform"):
            seen = np.asarray(self.layers.inverse_transform(seen))
            seen = seen / np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-9)
            shape = shape or getattr(self.layers[0], "image_shape_", None)
        found = image_shape(shape, seen.shape[1])
        return seen, found if shape is not None or found[0] > 1 else None


def model_of(model: Any) -> Model:
    """The parts of a model that has learned."""
    layers = None
    if hasattr(model, "steps"):
        layers, model = model[:-1] if len(model.steps) > 1 else None, model.steps[-1][1]
    network = getattr(model, "network_", model)
    if not isinstance(network, Network):
        raise TypeError(
            f"{type(model).__name__} cannot be drawn: expected an estimator of lethenet that has "
            "learned, a pipeline that ends with one, or a lethenet.model.Network."
        )
    owners, classes = np.full(network.state.n_neurons, -1), getattr(model, "classes_", ())
    if len(classes):
        owners = dominant_classes(model.decision_inputs()[0])
    n_inputs = getattr(model, "n_features_in_", network.state.n_features)
    return Model(network, layers, n_inputs, owners, [str(name) for name in classes])


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """These axes, or those of a new figure of pyplot, which notebooks and ``plt.show()`` show."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained").add_subplot()
