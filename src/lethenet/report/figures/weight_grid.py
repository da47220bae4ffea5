"""The weight vectors after each task, with the fate of each neuron (the paper's figure 100_visual)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...lifelong.results import Results
from ..style import BLUE, GREEN, GREY, VERMILLION, name_figure, new_figure, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NEURONS = 100
MAX_PANELS = 10
GAP = 5
"""Blank pixels between two weight vectors, where the outlines run."""


class Outline(NamedTuple):
    """What is said of a neuron, and how it is outlined."""

    name: str
    meaning: str
    color: str
    linestyle: Any
    linewidth: float
    marker: str


DASHED, DOTTED = (0, (3, 1.5)), (0, (1, 1.1))

FATES = (
    Outline("preserved", "had a label, and was not imprinted", BLUE, "solid", 0.9, "o"),
    Outline("replaced", "had a label, and was imprinted anew", VERMILLION, DASHED, 1.7, "s"),
    Outline("new", "had no label, and was imprinted", GREEN, DOTTED, 1.7, "^"),
)
"""What became of a neuron since the evaluation before."""


def fates(results: Results, evaluation: int) -> np.ndarray:
    """For each neuron the place of its fate in ``FATES``, or -1: no label, not imprinted.

    "Before" is the evaluation before; before the first one no neuron had a label.
    """
    imprinted = results.arrays["imprinted_in_task"][evaluation] > 0
    labelled = np.zeros(len(imprinted), bool)
    if evaluation:
        labelled = results.arrays["label_counts"][evaluation - 1].any(axis=1)
    cases = [labelled & ~imprinted, labelled & imprinted, ~labelled & imprinted]
    return np.select(cases, [0, 1, 2], -1)


class Marking(NamedTuple):
    """Which neurons are outlined how, and what panels and legend say."""

    outlines: tuple[Outline, ...]
    of: Callable[[Results, int], np.ndarray]
    """For each neuron the place of its outline, or -1, after an evaluation."""
    title: Callable[[Results, int], str]
    legend: str


def after_task(results: Results, evaluation: int) -> str:
    """The title of a panel."""
    return f"After task {plain(results.evaluations[evaluation]['task'], 20)}"


BY_FATE = Marking(FATES, fates, after_task, "Since the evaluation before, a neuron …")


def shown_neurons(n_neurons: int) -> np.ndarray:
    """All neurons, or ``MAX_NEURONS`` at even distances: neither the first nor the best ones.

    >>> shown_neurons(400)[:4], len(shown_neurons(6400))
    (array([ 0,  4,  8, 12]), 100)
    """
    n_shown = min(n_neurons, MAX_NEURONS)
    return np.arange(n_shown) * n_neurons // max(n_shown, 1)


def shown_evaluations(results: Results) -> list[int]:
    """Which evaluations get a panel: all that have weights, or ``MAX_PANELS`` at even distances."""
    held = len(results.arrays.get("weights", ()))
    last = len(results.evaluations) - 1
    if held <= 1:
        return [last] * held
    panels = min(held, MAX_PANELS)
    return sorted({round(place) for place in np.linspace(0, last, panels)})


@styled
def weight_grid(results: Results, marking: Marking = BY_FATE) -> Figure:
    """A grid of weight vectors per task; outlines say which were preserved, replaced, or are new.

    Another ``marking`` outlines others.

    >>> from lethenet.report.example import example_results
    >>> len([ax for ax in weight_grid(example_results()).axes if ax.images])  # a panel per task
    2
    """
    results.require_evaluations()
    chosen = shown_evaluations(results)
    if not chosen:
        raise ValueError(f"{results.folder}: no weights have been kept.")
    neurons = shown_neurons(results.settings["neurons"])
    columns = 1 if len(chosen) == 1 else 2 if len(chosen) <= 4 else 3
    down = -(-len(chosen) // columns)
    side = {1: 6.4, 2: 5.0, 3: 4.1}[columns]
    figure = new_figure(columns * side, down * (side + 0.35) + 0.9)
    axes = figure.subplots(down, columns, squeeze=False).ravel()
    held = results.arrays["weights"]
    rows = [held[evaluation if len(held) > 1 else 0][neurons] for evaluation in chosen]
    pictures = [results.as_samples(weights) for weights in rows]
    vmax = float(np.quantile(pictures, 0.998)) or 1.0
    for ax, evaluation, layer in zip(axes, chosen, pictures, strict=False):
        which = marking.of(results, evaluation)
        shown, outlines = which[neurons], marking.outlines
        draw_layer(ax, layer, shown, outlines, results.image_shape, vmax)
        _name_panel(ax, marking.title(results, evaluation), which, outlines)
    spare = axes[len(chosen) :]
    for ax in spare:
        ax.set_axis_off()
    _explain(figure, results, marking, len(neurons), spare[0] if len(spare) else None)
    return figure


def draw_layer(
    ax: Axes,
    layer: np.ndarray,
    which: np.ndarray,
    outlines: tuple[Outline, ...],
    shape: tuple[int, ...] | None,
    vmax: float,
) -> None:
    """Weight vectors as a grid of images, or a row each; ``which`` has each one's outline, or -1."""
    if shape is None or len(shape) not in (2, 3):
        _draw_rows(ax, layer, which, outlines, vmax)
        return
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    images = layer.reshape(len(layer), *shape)
    if images.ndim == 4:
        images = images.mean(axis=3)
    height, width = images.shape[1] + GAP, images.shape[2] + GAP
    across = int(np.ceil(np.sqrt(len(images))))
    down = -(-len(images) // across)
    sheet = np.zeros((down * across, height, width))
    sheet[: len(images), :-GAP, :-GAP] = images
    sheet = sheet.reshape(down, across, height, width).swapaxes(1, 2)
    sheet = sheet.reshape(down * height, across * width)
    ax.imshow(sheet, cmap="Greys", vmin=0, vmax=vmax, interpolation="none")
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)])
    square = corners * (width - GAP + 2.2, height - GAP + 2.2) - 1.6
    for place, look in enumerate(outlines):
        squares = [
            Path(np.add(square, (one % across * width, one // across * height)), closed=True)
            for one in np.flatnonzero(which == place)
        ]
        whole = Path.make_compound_path(*squares)  # one path: a hundred take longer to draw
        stroke = {"edgecolor": look.color, "linestyle": look.linestyle, "linewidth": look.linewidth}
        ax.add_patch(PathPatch(whole, facecolor="none", label=look.name, **stroke))
    ax.set_xlim(-GAP, across * width)
    ax.set_ylim(down * height, -GAP)
    ax.set_axis_off()


def _draw_rows(
    ax: Axes, layer: np.ndarray, which: np.ndarray, outlines: tuple[Outline, ...], vmax: float
) -> None:
    """For samples that are not images: a row per neuron, with a mark at the left."""
    ax.imshow(layer, cmap="Greys", vmin=0, vmax=vmax, aspect="auto", interpolation="none")
    left = -0.035 * layer.shape[1] - 0.5
    for place, look in enumerate(outlines):
        rows = np.flatnonzero(which == place)
        mark: dict[str, Any] = {"linestyle": "none", "marker": look.marker, "markersize": 3.2}
        (marks,) = ax.plot([left] * len(rows), rows, color=look.color, label=look.name, **mark)
        marks.set_in_layout(False)
    ax.set_xlim(2 * left, layer.shape[1] - 0.5)
    ax.locator_params(axis="y", integer=True)
    ax.set_xlabel("Input")
    ax.set_ylabel("Neuron")


def _name_panel(ax: Axes, title: str, which: np.ndarray, outlines: tuple[Outline, ...]) -> None:
    """The title, and how many of all neurons have each outline."""
    counts = ", ".join(f"{(which == k).sum()} {look.name}" for k, look in enumerate(outlines))
    ax.set_title(f"{title}\n", fontsize=11, parse_math=False)
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate(counts, (0, 1), (0, 7), fontsize=9, color=GREY, **where)


def _explain(
    figure: Figure, results: Results, marking: Marking, n_shown: int, spare: Axes | None
) -> None:
    """The title, and what the outlines mean: in an empty panel if there is one."""
    from matplotlib.lines import Line2D

    n_neurons = results.settings["neurons"]
    images = results.image_shape is not None
    handles = []
    for look in marking.outlines:
        mark = (
            {"linestyle": look.linestyle}
            if images
            else {"linestyle": "none", "marker": look.marker}
        )
        label = f"{look.meaning}: {look.name}"
        handles.append(Line2D([], [], color=look.color, linewidth=2, label=label, **mark))
    part = "" if n_shown == n_neurons else f" ({n_shown} of {n_neurons} neurons, evenly spaced)"
    seen = "" if results.first_layer is None else ", as what each neuron would like to see"
    name_figure(figure, f"Weight vectors{part}{seen}", results.label)
    place: dict[str, Any] = {"handles": handles, "title": marking.legend}
    if spare is not None:
        legend = spare.legend(loc="upper left", fontsize=10.5, **place)
    else:
        columns = 3 if figure.get_figwidth() > 11 else 1
        legend = figure.legend(loc="outside lower left", ncols=columns, **place)
    legend.set_alignment("left")
    legend.set_in_layout(spare is None)
