"""What notebooks show of a model besides scikit-learn's diagram."""

from __future__ import annotations

from typing import Any

from ..report.pictures import data_uri, rendered
from ..report.rendering import render
from ..report.style import new_figure
from .models import model_of
from .networks import weights


def model_html(model: Any) -> str:
    """What a model has learned: its weights, if matplotlib is there, and a few numbers.

    >>> from lethenet import ControlledForgettingNetwork
    >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0).fit([[0, 1], [1, 0]])
    >>> "4 neurons have learned 2 samples" in model_html(network)
    True
    """
    parts, picture = model_of(model), None
    try:
        figure = new_figure(4.6, 4.8)
        weights(model, ax=figure.add_subplot())
        picture = data_uri("png", rendered(figure, "png"))
    except ImportError:
        pass  # the words will do
    owned = [(name, int((parts.owners == k).sum())) for k, name in enumerate(parts.classes)]
    return render("model.html", picture=picture, network=parts.network, owned=owned)
