"""Pictures of a model: what its neurons remember, how much they are used, how they are linked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.dopamine import NEVER
from ..report.figures.links_map import draw_links, draw_neurons, laid_out
from ..report.figures.weight_grid import GAP, Outline, draw_layer, shown_neurons
from ..report.style import BLUE, VERMILLION, plain, styled
from .models import axes_or_new, model_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def weights(
    model: Any,
    *,
    ax: Axes | None = None,
    neurons: Sequence[int] | None = None,
    image_shape: tuple[int, ...] | None = None,
) -> Axes:
    """The weights as a grid of images, or as rows where samples are no images.

    Behind a first layer, a neuron is drawn as what it would like to see. A classifier's neurons have their
    class beside them. Without ``neurons``, a hundred at even distances are drawn, or all if there are
    fewer. ``image_shape`` is for images that are not square.

    >>> from lethenet.report.example import example_model
    >>> weights(example_model()).get_title()
    'Weights of 20 neurons'
    """
    return draw_weights(model, axes_or_new(ax, 6.0, 6.3), neurons, image_shape)


def draw_weights(
    model: Any,
    ax: Axes,
    neurons: Sequence[int] | None,
    image_shape: tuple[int, ...] | None,
    marks: np.ndarray | None = None,
    outlines: tuple[Outline, ...] = (),
) -> Axes:
    """The weights with outlines; ``marks`` has each neuron's place among these, or -1."""
    parts = model_of(model)
    n_neurons = parts.network.state.n_neurons
    shown = shown_neurons(n_neurons) if neurons is None else np.asarray(neurons)
    if not np.isin(shown, range(n_neurons)).all():
        raise ValueError(f"neurons={neurons!r}: expected numbers from 0 to {n_neurons - 1}.")
    seen, shape = parts.pictures(shown, image_shape)
    marks = np.full(len(shown), -1) if marks is None else marks[shown]
    draw_layer(ax, seen, marks, outlines, shape, float(np.quantile(seen, 0.998)) or 1.0)
    across = int(np.ceil(np.sqrt(len(shown))))
    for place, owner in enumerate(parts.owners[shown]):
        if shape is not None and owner >= 0:
            at = place % across * (shape[1] + GAP) - 1, place // across * (shape[0] + GAP) - 1
            name = plain(parts.classes[owner], 6)
            ax.text(*at, name, fontsize=7, color=BLUE, va="top", in_layout=False)
    part = "" if len(shown) == n_neurons else f"{len(shown)} of "
    ax.set_title(f"Weights of {part}{n_neurons} neurons", loc="center")
    return ax


@styled
def usage(model: Any, *, ax: Axes | None = None) -> Axes:
    """How much each neuron has been used, from the least to the most; dopamine reaches the least first.

    >>> from lethenet.report.example import example_model
    >>> usage(example_model()).get_ylabel()
    'Usage (output spikes)'
    """
    network = model_of(model).network
    used = network.state.usage
    order = np.argsort(used, kind="stable")
    order = order[used[order] < NEVER]
    ax = axes_or_new(ax, 7.2, 3.8)
    places = np.arange(1, len(order) + 1)
    ax.fill_between(places, used[order], step="mid", color=BLUE, alpha=0.18, linewidth=0)
    ax.plot(places, used[order], drawstyle="steps-mid", color=BLUE, linewidth=1.3)
    least = f"the least used: neuron {order[0]}"
    ax.plot(1, used[order[0]], "o", color=VERMILLION, clip_on=False, zorder=3, label=least)
    ax.legend(loc="upper left")
    ax.set_xlim(0.5, len(order) + 0.5)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("Neurons, from the least used to the most used")
    ax.set_ylabel("Usage (output spikes)")
    ax.set_title("Usage of the neurons", loc="center")
    return ax


@styled
def links(model: Any, *, ax: Axes | None = None) -> Axes:
    """Neurons laid out by their links: those that fire for the same samples lie together.

    >>> from lethenet.report.example import example_model
    >>> links(example_model()).get_title()
    'Links between 20 neurons'
    """
    from ..estimators.spreading import link_matrix

    parts = model_of(model)
    state = parts.network.state
    if not state.link_partners.shape[1]:
        expected = "expected one that learned with links=8, for instance"
        raise ValueError(f"the model has no links: {expected}.")
    whole = link_matrix(state.link_partners, state.link_counts)
    shown, among, places = laid_out(whole, state.spike_counts + state.imprint_counts)
    ax = axes_or_new(ax, 7.0, 5.6)
    draw_links(ax, among, places)
    names = [plain(name, 12) for name in parts.classes]
    draw_neurons(ax, places, parts.owners[shown], np.ones(len(shown)), names)
    if names:
        ax.legend(title="Class", loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_title(f"Links between {len(shown)} neurons", loc="center")
    return ax


# doctest passes by functions that a decorator has wrapped, unless they are named here
__test__ = {"weights": weights, "usage": usage, "links": links}
