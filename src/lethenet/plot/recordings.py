"""Pictures of a presentation: spikes, potentials, and who came how close to firing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.recording import Recording
from ..report import style
from ..report.style import DASHES, GREY, PALE, styled
from .models import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (style.BLUE, style.GREEN, style.PURPLE, style.SKY)
"""Of the first neurons that fire. Others are for forced spikes, raises and the dopaminergic neuron."""
MOST_BARS = 12


@styled
def raster(recording: Recording, *, ax: Axes | None = None) -> Axes:
    """Input spikes as dots, output spikes as lines: natural ones solid, forced ones dashed.

    >>> from lethenet.report.example import example_model
    >>> raster(example_model().record(np.arange(64.0))).get_ylabel()
    'Active inputs'
    """
    ax = axes_or_new(ax, 8.4, 4.4)
    active = np.flatnonzero(recording.sample > 0)
    rows = np.searchsorted(active, recording.inputs)
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
    ax.plot(recording.input_times, rows, color=GREY, markersize=1.8, label="input spike", **look)
    ax.set_ylim(-1, max(len(active), 1))
    ax.locator_params(axis="y", integer=True)
    ax.set_ylabel("Active inputs")
    return _over_time(ax, recording, style.BLUE)


@styled
def potentials(recording: Recording, *, ax: Axes | None = None) -> Axes:
    """Membrane potentials over time, and that of the dopaminergic neuron, each below its threshold.

    >>> from lethenet.report.example import example_model
    >>> len(potentials(example_model().record(np.arange(64.0), neurons=3)).lines) > 5
    True
    """
    ax = axes_or_new(ax, 8.4, 4.4)
    p = recording.parameters
    for place in reversed(range(len(recording.neurons))):
        look: dict[str, Any] = {"color": PALE, "linewidth": 0.7}
        if place < len(COLOURS) and recording.neurons[place] in recording.winners:
            look = {"color": COLOURS[place], "linewidth": 1.1, "zorder": 3}
            look["label"] = f"neuron {recording.neurons[place]}"
        ax.plot(recording.times, recording.potentials[:, place], **look)
    # both thresholds at the same height
    scale = p.threshold / p.dopaminergic_threshold
    look = {"color": style.BLACK, "linewidth": 1.4, "linestyle": DASHES[3]}
    ax.plot(recording.times, recording.dopaminergic * scale, label="dopaminergic, scaled", **look)
    _threshold(ax.axhline, recording)
    ax.set_ylim(0, 1.12 * max(p.threshold, recording.potentials.max(initial=0.0)))
    ax.set_ylabel("Potential")
    return _over_time(ax, recording, GREY)


@styled
def race(recording: Recording, *, spike: int = -1, ax: Axes | None = None) -> Axes:
    """How close neurons had come to the threshold when one of them fired; by default, the last one.

    A bar is a neuron's potential at that moment, a tick the highest since the spike before.

    >>> from lethenet.report.example import example_model
    >>> len(race(example_model().record(np.arange(64.0), neurons=3)).patches)
    3
    """
    n = len(recording.winners)
    if not -n <= spike < n:
        raise ValueError(f"spike={spike!r}: the recording has {n} output spikes.")
    end = recording.output_times[spike]
    begin = recording.output_times[spike % n - 1] if spike % n else 0.0
    # The last point of a spike is after it, where all are back at zero
    since, until = np.searchsorted(recording.times, [begin, end], side="right") - 1
    run = recording.potentials[since:until]
    final, peaks = run[-1], run.max(axis=0)
    winner, forced = recording.winners[spike], recording.forced[spike]
    rank = np.lexsort([-final, recording.neurons != winner])[:MOST_BARS]  # the winner is among them
    order = rank[np.argsort(final[rank], kind="stable")]
    ax = axes_or_new(ax, 7.0, 1.2 + 0.3 * len(order))
    places, won = np.arange(len(order)), recording.neurons[order] == winner
    colours = np.where(won, style.VERMILLION if forced else style.BLUE, PALE)
    ax.barh(places, final[order], 0.72, color=colours)
    tick: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 11, "color": GREY}
    ax.plot(peaks[order], places, label="highest before", **tick)
    _threshold(ax.axvline, recording)
    ax.set_yticks(places, [str(neuron) for neuron in recording.neurons[order]])
    ax.set_ylabel("Neuron")
    ax.set_xlabel(f"Potential at time {end:.1f}")
    ax.set_title(f"Neuron {winner} {'was pushed' if forced else 'fires'}", loc="center")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def _threshold(line: Any, recording: Recording) -> None:
    look: dict[str, Any] = {"color": GREY, "linewidth": 1, "linestyle": DASHES[1]}
    line(recording.parameters.threshold, label="threshold", **look)


def _over_time(ax: Axes, recording: Recording, natural: str) -> Axes:
    """A line per output spike and per raise, and what both plots over time say."""
    forced = recording.forced
    for times, name, color, dashes in (
        (recording.output_times[~forced], "natural spike", natural, "solid"),
        (recording.output_times[forced], "forced spike", style.VERMILLION, DASHES[1]),
        (recording.raise_times, "raised rates", style.ORANGE, DASHES[2]),
    ):
        for place, time in enumerate(times):
            label = "_" if place else name
            ax.axvline(time, color=color, linestyle=dashes, linewidth=1.3, label=label, zorder=3)
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 8.5}
    free = 0.0  # numbers closer to each other could not be read
    for time, neuron in zip(recording.output_times, recording.winners, strict=True):
        at: Any = ("data", "axes fraction")
        if time >= free:
            ax.annotate(str(neuron), (time, 1), (0, 2), xycoords=at, color=GREY, **look)
            free = time + 0.01 * (1 + len(str(neuron))) * recording.duration
    ax.set_xlim(0, 1.01 * recording.duration or 1.0)
    ax.set_xlabel("Time since the sample appeared")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), markerscale=3)
    what = "learned" if recording.learned else "recognised"
    ax.set_title(f"A sample is {what}; above: the neurons that fire", loc="center", pad=16)
    return ax


__test__ = {"raster": raster, "potentials": potentials, "race": race}
