"""What the first layer sees: what its neurons answer to, and samples on their way through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import Results
from ..style import GREY, name_figure, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_EXAMPLES = 4


@styled
def first_layer(results: Results) -> Figure:
    """The layer's neurons, and a few samples: as they are, as features, and as the features tell.

    >>> first_layer.__name__
    'first_layer'
    """
    results.require_evaluations()
    layer = results.first_layer
    if layer is None:
        raise ValueError(f"{results.folder}: the run has no first layer.")
    examples = results.arrays["examples"][:MOST_EXAMPLES]
    pictures, title = _what_neurons_see(layer)
    top = 1.4 if len(pictures) > 16 else 2.2
    figure = new_figure(11, top + 1 + 1.9 * len(examples))
    parts: Any = figure.subfigures(2, 1, height_ratios=[top, 1.9 * len(examples)])
    above, below = parts
    ax = above.subplots()
    _draw_row(ax, pictures)
    ax.set_title(title)
    axes = below.subplots(len(examples), 3, squeeze=False, width_ratios=[1, 3.4, 1])
    features = layer.transform(examples)
    seen = layer.inverse_transform(features)
    for row, sample, feature, again in zip(axes, examples, features, seen, strict=True):
        _draw_image(row[0], sample, layer.image_shape_)
        maps = feature.reshape(-1, layer.grid_shape_[2]).T
        row[1].imshow(maps, cmap="Greys", aspect="auto", interpolation="none")
        row[1].set_ylabel("Neuron")
        _draw_image(row[2], again, layer.image_shape_)
    for ax, name in zip(axes[0], ("Sample", "Features", "What they tell"), strict=True):
        ax.set_title(name)
    for ax in axes[:-1, 1]:
        ax.set_xticks([])
    axes[-1, 1].set_xlabel("Place in the image")
    return name_figure(figure, "The first layer", results.label)


def _what_neurons_see(layer: Any) -> tuple[np.ndarray, str]:
    """A picture of what each neuron answers to, and what these are."""
    if hasattr(layer, "network_"):
        side = layer.patch_side_
        on, off = layer.network_.state.weights.reshape(-1, 2, side, side).swapaxes(0, 1)
        return on - off, f"The {len(on)} patches that it has learned (blue: on, red: off)"
    across, down = layer.directions_
    place = np.linspace(-1, 1, 15)
    x, y = np.meshgrid(place, place)
    along = across[:, None, None] * x + down[:, None, None] * y
    pictures = along * np.exp(-2.5 * (x**2 + y**2))
    return pictures, f"Its {len(across)} directions (blue: brighter, red: darker)"


def _draw_row(ax: Axes, pictures: np.ndarray) -> None:
    """Pictures side by side, in as many rows as look well."""
    n, side = len(pictures), pictures.shape[1] + 1
    across = min(n, 32)
    sheet = np.full((-(-n // across) * side, across * side), np.nan)
    for place, picture in enumerate(pictures):
        top, left = place // across * side, place % across * side
        sheet[top : top + side - 1, left : left + side - 1] = picture
    largest = float(np.abs(pictures).max()) or 1.0
    ax.imshow(sheet, cmap="RdBu", vmin=-largest, vmax=largest, interpolation="none")
    ax.set_axis_off()


def _draw_image(ax: Axes, sample: np.ndarray, shape: tuple[int, int, int]) -> None:
    ax.imshow(sample.reshape(shape).mean(axis=2), cmap="Greys", interpolation="none")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color(GREY)
