"""The nearest error of k-means networks beside the thresholds that were chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lethenet.model import PAPER
from lethenet.report.style import BLACK, BLUE, GREEN, GREY, new_figure, styled

from .findings import Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _times(factor: float) -> Callable[[Any], Any]:
    return lambda values: factor * values


@styled
def kmeans(found: Findings) -> Figure:
    """Dot product of the nearest error over the size, and the mean potential it corresponds to."""
    sizes, table = found.scale.sizes, found.table
    place = {neurons: number for number, neurons in enumerate(sizes)}
    figure = new_figure(8.4, 4.6)
    ax = figure.add_subplot()
    ax.errorbar(
        [place[errors.neurons] for errors in found.k_means],
        [errors.mean for errors in found.k_means],
        [2 * (errors.deviation or 0.0) for errors in found.k_means],
        color=GREEN,
        marker="^",
        capsize=4,
        label="nearest error of k-means (bars: two standard deviations)",
    )
    ours = {neurons: point for neurons in sizes if (point := table.best(neurons)) is not None}
    for points, color, marker, label in (
        (
            {neurons: table.paper_best(neurons) for neurons in sizes},
            BLACK,
            "D",
            "threshold of the paper's best cell",
        ),
        (ours, BLUE, "o", "threshold of our best cell"),
    ):
        if points:
            ax.plot(
                [place[neurons] for neurons in points],
                [point.threshold / PAPER.tau_mem for point in points.values()],
                linestyle="none",
                marker=marker,
                markersize=9 if marker == "D" else 6,
                markerfacecolor="white" if marker == "D" else color,
                color=color,
                label=label,
            )
    trials = {errors.neurons: len(errors.dots) for errors in found.k_means}
    ax.set_xticks(range(len(sizes)), [f"{n}\n{trials.get(n, 0)} trials" for n in sizes])
    ax.set_xlim(-0.4, len(sizes) - 0.6)
    ax.set_xlabel("Neurons, and trials of k-means with as many prototypes")
    ax.set_ylabel("Dot product with the prototype")
    ax.margins(y=0.15)
    ax.grid(axis="y")
    tau = PAPER.tau_mem
    right = ax.secondary_yaxis("right", functions=(_times(tau), _times(1 / tau)))
    right.set_ylabel(f"Mean potential E[V] = {tau:g} × dot product")
    right.spines["right"].set_visible(True)
    right.tick_params(color=GREY)
    figure.legend(loc="outside lower center", ncols=2)
    return figure
