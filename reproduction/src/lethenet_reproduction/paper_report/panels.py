"""Figures of several panels, one per size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lethenet.report.style import HEADING, name_ticks, new_figure, series_style, strip_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def panels(width: float, height: float, used: int, columns: int) -> tuple[Figure, list[Axes]]:
    """A figure with panels of this height in rows, one more than is used: for the legend."""
    rows = -(-(used + 1) // columns)
    figure = new_figure(width, height * rows)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(h_pad=0.1)  # type: ignore[call-arg]
    return figure, list(figure.subplots(rows, columns, squeeze=False).ravel())


def name_panel(ax: Axes, number: int, text: str) -> None:
    """A letter and a name above a panel, as in the paper."""
    ax.set_title(f"{chr(ord('A') + number)}  {text}", fontsize=10.5)


def spare_panel(axes: Sequence[Axes], used: int) -> Axes:
    """The first panel without data, emptied for the legend; the others after it disappear."""
    for ax in axes[used:]:
        ax.set_axis_off()
    return axes[used]


def task_ticks(ax: Axes, names: Sequence[str]) -> None:
    """A tick per task, and the name of the axis."""
    name_ticks(ax, list(names))
    ax.set_xlabel("After digit")


def legend_of_classes(ax: Axes, classes: Sequence[str]) -> None:
    """What each line stands for, in an empty panel."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label=label, **series_style(number)._asdict())
        for number, label in enumerate(classes)
    ]
    ax.legend(handles=handles, loc="center", ncols=2, title="digit", fontsize=10, handlelength=3)


def without_headings(figure: Figure) -> Figure:
    """The same figure without its headings and their strip."""
    width, height = figure.get_size_inches()
    share = strip_share(figure)
    if share:
        figure.set_size_inches(width, height * (1 - share))
        figure.get_layout_engine().set(rect=(0, 0, 1, 1))  # type: ignore[union-attr, call-arg]
    for artist in figure.findobj(lambda artist: artist.get_gid() == HEADING):
        artist.set_visible(False)
    return figure
