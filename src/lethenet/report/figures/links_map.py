"""The map of links: neurons that fire for the same samples lie together; labels spread over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...lifelong.results import Results
from ..style import BLACK, GREY, name_figure, new_figure, plain, series_style, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 500
"""Neurons on the map at most: those that fired most."""
ALPHA = 0.97
_STEPS = 150


@styled
def links_map(results: Results) -> Figure:
    """Neurons laid out by their links: coloured by class, and by what a few named ones tell of them.

    >>> from lethenet.report.example import example_results
    >>> [ax.get_title("left") for ax in links_map(example_results()).axes]
    ['By dominant class', '2 neurons named: ...']
    """
    results.require_evaluations()
    from ...estimators.readout import dominant_classes
    from ...estimators.spreading import link_matrix

    arrays = results.arrays
    links = link_matrix(arrays["link_partners"], arrays["link_counts"])
    spikes, counts = arrays["link_spikes"], arrays["label_counts"][-1]
    owners = dominant_classes(counts)
    named, spread_owners, certainty = told(links, spikes, owners, counts.shape[1])
    shown, among, places = laid_out(links, spikes)
    figure = new_figure(11.0, 5.6)
    left, right = figure.subplots(1, 2)
    classes = [plain(label, 12) for label in results.settings["classes"]]
    for axes in (left, right):
        draw_links(axes, among, places)
    draw_neurons(left, places, owners[shown], np.ones(len(shown)), classes)
    draw_neurons(right, places, spread_owners[shown], certainty[shown], [])
    rings = places[np.isin(shown, named)]
    right.scatter(*rings.T, s=130, facecolors="none", edgecolors=BLACK, linewidths=1.6)
    known = owners >= 0
    right_told = float(np.average(spread_owners[known] == owners[known], weights=spikes[known] + 1))
    left.set_title("By dominant class")
    right.set_title(f"{len(named)} neurons named: {100 * right_told:.1f} % told right")
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center", title="Class")
    return name_figure(figure, "Neurons laid out by their links", results.label)


def told(
    links: Any, spikes: np.ndarray, owners: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As many neurons as there are classes, asked for and named; the classes they tell; how surely."""
    from ...estimators.asking import neurons_to_ask
    from ...estimators.spreading import spread

    nothing = np.zeros(len(owners))
    named = neurons_to_ask(
        links, spikes, nothing, nothing > 0, owners < 0, alpha=ALPHA, n=n_classes
    )
    counts = np.zeros((len(owners), n_classes))
    counts[named, owners[named]] = 1
    shares = spread(links, counts, ALPHA)
    reached = shares.any(axis=1)
    return named, np.where(reached, shares.argmax(axis=1), -1), shares.max(axis=1)


def laid_out(links: Any, spikes: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
    """The neurons that fired most, the links among them, and their places."""
    shown = np.sort(np.argsort(-spikes, kind="stable")[:MOST])
    shown = shown[spikes[shown] > 0]
    among = links[shown][:, shown]
    return shown, among.tocoo(), layout(among.toarray())


def layout(strengths: np.ndarray) -> np.ndarray:
    """Places in the plane (n, 2): linked neurons attract each other, all others keep their distance.

    Starts from the slowest two modes of the links, so the same links always give the same map.

    >>> layout(np.array([[0.0, 1.0], [1.0, 0.0]])).shape
    (2, 2)
    """
    n = len(strengths)
    if n < 4:
        return np.eye(2)[np.arange(n) % 2] * (1 + np.arange(n))[:, None]
    modes = np.linalg.eigh(strengths)[1][:, [-3, -2]]
    modes *= np.sign(modes[np.abs(modes).argmax(axis=0), [0, 1]])
    rank = modes.argsort(axis=0).argsort(axis=0)
    places = rank / n + 1e-3 * np.arange(n)[:, None] / n
    wanted = 1.0 / np.sqrt(n)
    for step in range(_STEPS):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-4)
        force = wanted**2 / distance**2 - 4.0 * strengths * distance / wanted
        moves = (apart * force[:, :, None]).sum(axis=1)
        length = np.sqrt((moves**2).sum(axis=1, keepdims=True))
        places += moves / np.maximum(length, 1e-9) * np.minimum(length, 0.1 * (1 - step / _STEPS))
        places -= 0.02 * (places - places.mean(axis=0))
    return np.asarray(places)


def draw_links(axes: Axes, links: Any, places: np.ndarray) -> None:
    """A line per link, the stronger the wider."""
    from matplotlib.collections import LineCollection

    upper = (links.row < links.col) & (links.data > 0.02)
    pairs = np.stack([places[links.row[upper]], places[links.col[upper]]], axis=1)
    widths = 2.0 * np.sqrt(links.data[upper])
    axes.add_collection(LineCollection(list(pairs), linewidths=widths, colors=GREY, alpha=0.25))
    axes.autoscale_view()
    axes.set_axis_off()


def draw_neurons(
    axes: Axes, places: np.ndarray, owners: np.ndarray, alphas: np.ndarray, names: list[str]
) -> None:
    """A mark per neuron, with colour and form of the class that owns it, or a ring for none (-1)."""
    for number in sorted({int(owner) for owner in owners}):
        mine = owners == number
        style = series_style(max(number, 0))
        look: dict[str, Any] = {"color": style.color, "marker": style.marker, "s": 26}
        if number < 0:
            look = {"facecolors": "none", "edgecolors": GREY, "marker": "o", "s": 18}
        label = "no label" if number < 0 else names[number] if names else None
        alpha: Any = np.clip(alphas[mine], 0.15, 1.0) if number >= 0 else 0.6
        axes.scatter(*places[mine].T, alpha=alpha, linewidths=0.6, label=label, **look)
