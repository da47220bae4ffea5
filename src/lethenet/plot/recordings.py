"""Pictures of a presentation: spikes, potentials, and who came how close to firing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.recording import Recording
from ..report.style import (
    BLACK,
    BLUE,
    DASHES,
    GREY,
    ORANGE,
    PALE,
    VERMILLION,
    series_style,
    styled,
)
from .models import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 8
"""Neurons that are told apart by colour; others are grey."""


@styled
def raster(recording: Recording, *, ax: Axes | None = None) -> Axes:
    """Input spikes as dots, output spikes as lines: natural ones solid, forced ones dashed."""
    ax = axes_or_new(ax, 8.4, 4.4)
    active = np.flatnonzero(recording.sample > 0)
    rows = np.searchsorted(active, recording.inputs)
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
    ax.plot(recording.input_times, rows, color=GREY, markersize=1.8, label="input spike", **look)
    _mark_outputs(ax, recording)
    ax.set_ylim(-1, max(len(active), 1))
    ax.set_ylabel("Active inputs")
    return _finish(ax, recording)


@styled
def potentials(recording: Recording, *, ax: Axes | None = None) -> Axes:
    """Membrane potentials over time, and that of the dopaminergic neuron, each below its threshold."""
    ax = axes_or_new(ax, 8.4, 4.4)
    p = recording.parameters
    for place in reversed(range(len(recording.neurons))):
        fired = place < MOST_NAMED and recording.neurons[place] in recording.winners
        look: dict[str, Any] = {"color": PALE, "linewidth": 0.7}
        if fired:
            look = {"color": series_style(place).color, "linewidth": 1.1}
            look |= {"label": f"neuron {recording.neurons[place]}", "zorder": 3}
        ax.plot(recording.times, recording.potentials[:, place], **look)
    # both thresholds at the same height
    scale = p.threshold / p.dopaminergic_threshold
    look = {"color": BLACK, "linewidth": 1.4, "linestyle": DASHES[3]}
    ax.plot(recording.times, recording.dopaminergic * scale, label="dopaminergic neuron", **look)
    ax.axhline(p.threshold, color=GREY, linewidth=1, linestyle=DASHES[1], label="threshold")
    _mark_outputs(ax, recording)
    ax.set_ylim(0, 1.12 * max(p.threshold, recording.potentials.max(initial=0.0)))
    ax.set_ylabel("Potential")
    return _finish(ax, recording)


@styled
def race(recording: Recording, *, spike: int = -1, ax: Axes | None = None) -> Axes:
    """How close neurons had come to the threshold when one of them fired; by default, the last one.

    A bar is a neuron's potential at that moment, a tick the highest since the spike before.
    """
    n = len(recording.winners)
    if not -n <= spike < n:
        raise ValueError(f"spike={spike!r}: the recording has {n} output spikes.")
    end = recording.output_times[spike]
    begin = recording.output_times[spike % n - 1] if spike % n else 0.0
    now = (
        int(np.searchsorted(recording.times, end, side="right")) - 2
    )  # the last is after the reset
    since = int(np.searchsorted(recording.times, begin, side="right")) - 1
    final = recording.potentials[now]
    peaks = recording.potentials[since : now + 1].max(axis=0)
    order = np.argsort(final, kind="stable")
    winner, forced = recording.winners[spike], recording.forced[spike]
    ax = axes_or_new(ax, 7.0, 1.2 + 0.3 * len(order))
    places = np.arange(len(order))
    won = recording.neurons[order] == winner
    colours = np.where(won, VERMILLION if forced else BLUE, PALE)
    ax.barh(places, final[order], 0.72, color=colours)
    tick: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 11, "color": GREY}
    ax.plot(peaks[order], places, label="highest before", **tick)
    threshold = recording.parameters.threshold
    ax.axvline(threshold, color=GREY, linewidth=1, linestyle=DASHES[1], label="threshold")
    ax.set_yticks(places, [str(neuron) for neuron in recording.neurons[order]])
    ax.set_ylabel("Neuron")
    ax.set_xlabel(f"Potential at time {end:.1f}")
    ax.set_title(f"Neuron {winner} {'was pushed' if forced else 'fires'}")
    ax.legend(loc="lower right")
    return ax


def _mark_outputs(ax: Axes, recording: Recording) -> None:
    """A line per output spike and per raise."""
    marks = (
        (recording.output_times[~recording.forced], "natural spike", BLUE, "solid"),
        (recording.output_times[recording.forced], "forced spike", VERMILLION, DASHES[1]),
        (recording.raise_times, "raised rates", ORANGE, DASHES[2]),
    )
    for times, name, color, dashes in marks:
        for place, time in enumerate(times):
            label = "_" if place else name
            ax.axvline(time, color=color, linestyle=dashes, linewidth=1.2, label=label, zorder=1)
    for time, neuron in zip(recording.output_times, recording.winners, strict=True):
        look: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8.5, "color": GREY}
        ax.annotate(
            str(neuron), (time, 1), (0, 2), xycoords=("data", "axes fraction"), ha="center", **look
        )


def _finish(ax: Axes, recording: Recording) -> Axes:
    ax.set_xlim(0, 1.01 * recording.duration or 1.0)
    ax.set_xlabel("Time since the sample appeared")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    what = "learned" if recording.learned else "recognised"
    ax.set_title(f"A sample is {what}; above: the neurons that fire", pad=16)
    return ax
