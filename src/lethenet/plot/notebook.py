"""What notebooks show of a model besides scikit-learn's diagram."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..report.pictures import data_uri, rendered
from ..report.rendering import render
from ..report.style import new_figure
from .models import model_of


def model_html(model: Any) -> str:
    """What a fitted model has learned: its weights, if matplotlib is there, and a few numbers.

    >>> from lethenet import ControlledForgettingNetwork
    >>> network = ControlledForgettingNetwork(n_neurons=4, random_state=0).fit(np.eye(16))
    >>> "4 neurons have learned 16 samples" in model_html(network)
    True
    """
    parts = model_of(model)
    names = [*parts.classes, "no class"]
    owned = np.bincount(parts.owners % len(names), minlength=len(names))
    return render(
        "model.html",
        picture=_picture(model),
        state=parts.network.state,
        threshold=parts.network.parameters.threshold,
        owned=list(zip(names, owned.tolist(), strict=True)) if parts.classes else [],
    )


def _picture(model: Any) -> str | None:
    try:
        from .networks import weights

        figure = new_figure(4.6, 4.8)
        weights(model, ax=figure.add_subplot())
    except ImportError:
        return None
    return data_uri("png", rendered(figure, "png"))
