"""Every spike and potential of a presentation, from the plain reference.

The reference says which spikes there were. Potentials follow from them: they are added up once more for the
neurons that are asked for, in the same single precision and order, so they have its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np

from .numbers import exp
from .parameters import Parameters
from .reference import Presentation, present
from .state import State

Neurons = int | Literal["all"] | Sequence[int] | np.ndarray | None

AT_ONCE = 256
"""Neurons whose potentials are held in memory while the highest ones are looked for."""


@dataclass(frozen=True, eq=False)
class Recording:
    """What happened while a sample was shown, in time units since it appeared.

    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> recording = network.record(np.eye(16)[3], learn=True)
    >>> recording.imprinted, recording.forced.tolist()
    (0, [True])
    >>> recording.to_frame().tail(1)["event"].tolist()
    ['forced']
    >>> recording.to_frame("potentials").columns.tolist()
    [0, 1, 3, 2, 'dopaminergic']
    """

    sample: np.ndarray
    """What the network was shown (n_features,)."""
    learned: bool
    """Whether it learned from it; it was frozen otherwise."""
    duration: float
    input_times: np.ndarray
    inputs: np.ndarray
    """Which input sent each input spike."""
    output_times: np.ndarray
    winners: np.ndarray
    """Which neuron fired each output spike."""
    forced: np.ndarray
    """Whether a push made it fire."""
    raise_times: np.ndarray
    """When the rates were raised."""
    neurons: np.ndarray
    """Whose potentials these are (k,). Unless a list was asked for, those that fired come first, in their
    order, and then those that came closest to it."""
    times: np.ndarray
    """Zero, and the time of each spike and raise twice: just before it, just after it (t,)."""
    potentials: np.ndarray
    """Membrane potentials at these times (t, k). In between they decay."""
    dopaminergic: np.ndarray
    """The dopaminergic neuron's potential at these times (t,)."""
    weights_before: np.ndarray
    """The winner's weights before each output spike (n_output_spikes, n_features), if it learned."""
    weights_after: np.ndarray
    parameters: Parameters

    @property
    def imprinted(self) -> int:
        """The neuron that dopamine made learn, or −1."""
        return int(self.winners[self.forced][-1]) if self.forced.any() else -1

    def to_frame(self, what: Literal["events", "potentials"] = "events") -> Any:
        """A pandas data frame: a row per spike and raise, or the potentials with a row per time."""
        import pandas as pd

        if what == "potentials":
            index = pd.Index(self.times, name="time")
            frame = pd.DataFrame(self.potentials, index, self.neurons.astype(object))
            return frame.assign(dopaminergic=self.dopaminergic)
        if what != "events":
            raise ValueError(f"what={what!r}: expected 'events' or 'potentials'.")
        spikes = np.where(self.forced, "forced", "natural")
        kinds = ["input"] * len(self.inputs) + spikes.tolist() + ["raise"] * len(self.raise_times)
        times = np.concatenate([self.input_times, self.output_times, self.raise_times])
        numbers = [*self.inputs, *self.winners, *[-1] * len(self.raise_times)]
        frame = pd.DataFrame({"time": times, "event": kinds, "number": numbers})
        return frame.sort_values("time", kind="stable", ignore_index=True)


def record_all(
    x: Any,
    state: State,
    p: Parameters,
    learn: Callable[[np.ndarray], object] | None,
    *,
    neurons: Neurons = None,
) -> Any:
    """Record a sample, or rows of samples as a list; ``learn`` changes ``state`` as these do."""
    X = np.atleast_2d(np.asarray(x, np.float64))
    if X.ndim != 2 or X.shape[1] != state.n_features:
        raise ValueError(
            f"x has the shape {np.shape(x)}: expected a sample with {state.n_features} features, "
            "or rows of them."
        )
    if not (np.isfinite(X).all() and (X >= 0).all()):
        raise ValueError("x has values that are negative or not finite: expected neither.")
    wanted = _check_neurons(neurons, state.n_neurons)
    if learn is None:
        recordings = [_record(row, state, p, wanted, plastic=False) for row in X]
    else:  # the engine learns, and the reference tells from a copy what happens
        own = state.copy()
        learn(X)
        recordings = [_record(row, own, p, wanted, plastic=True) for row in X]
    return recordings[0] if np.ndim(x) == 1 else recordings


def _check_neurons(neurons: Neurons, n_neurons: int) -> int | np.ndarray:
    """How many neurons are wanted, or which."""
    neurons = 10 if neurons is None else neurons
    if isinstance(neurons, str) and neurons == "all":
        return np.arange(n_neurons)
    if isinstance(neurons, Integral) and not isinstance(neurons, bool) and int(neurons) > 0:
        return int(neurons)
    which = np.asarray(neurons)
    if (
        which.ndim != 1
        or which.dtype.kind not in "iu"
        or not np.isin(which, range(n_neurons)).all()
    ):
        raise ValueError(
            f"neurons={neurons!r}: expected how many (at least 1), 'all', or a list of neurons "
            f"from 0 to {n_neurons - 1}."
        )
    return which.astype(np.int64)


def _record(
    sample: np.ndarray, state: State, p: Parameters, wanted: int | np.ndarray, *, plastic: bool
) -> Recording:
    shown = present(sample, state, p, plastic=plastic)
    events = _events(shown, p)
    neurons = _nearest(wanted, events, shown, state, p) if isinstance(wanted, int) else wanted
    weights = np.array(shown.learned, np.float32).reshape(-1, 2, state.n_features)
    rise = -p.dopaminergic_rest * np.expm1((events.bases - events.times) / p.tau_dopamine)
    dopaminergic = np.stack([rise, np.where(events.inputs < 0, 0.0, rise)], axis=1)
    return Recording(
        sample=sample,
        learned=plastic,
        duration=shown.duration,
        input_times=np.array(shown.input_times),
        inputs=np.array(shown.inputs, np.int64),
        output_times=np.array(shown.times),
        winners=np.array(shown.winners, np.int64),
        forced=np.array(shown.forced, bool),
        raise_times=np.array(shown.raises),
        neurons=neurons,
        times=np.insert(np.repeat(events.times, 2), 0, 0.0),
        potentials=_potentials(neurons, events, shown, state, p),
        dopaminergic=np.insert(dopaminergic, 0, 0.0),
        weights_before=weights[:, 0],
        weights_after=weights[:, 1],
        parameters=p,
    )


class Events(NamedTuple):
    """Input spikes, output spikes and raises in order; ``inputs`` and ``outputs`` say which, or −1."""

    times: np.ndarray
    inputs: np.ndarray
    outputs: np.ndarray
    bases: np.ndarray
    """The last output spike or raise before each: the reference's ``base``."""
    growths: np.ndarray


def _events(shown: Presentation, p: Parameters) -> Events:
    ends = sorted([(t, -1) for t in shown.raises] + [(t, k) for k, t in enumerate(shown.times)])
    # An input spike at that time is the cause of a natural spike; anything else comes before it
    sides: list[Any] = ["right" if k >= 0 and not shown.forced[k] else "left" for _, k in ends]
    found = [
        np.searchsorted(shown.input_times, t, s) for (t, _), s in zip(ends, sides, strict=True)
    ]
    places = np.array(found, np.int64)
    times = np.insert(np.array(shown.input_times), places, [t for t, _ in ends])
    inputs = np.insert(np.array(shown.inputs, np.int64), places, -1)
    outputs = np.insert(np.full(len(shown.inputs), -1), places, [k for _, k in ends])
    bases = np.maximum.accumulate(np.insert(np.where(inputs < 0, times, 0.0), 0, 0.0))[:-1]
    growths = [exp(since * (1.0 / p.tau_mem)) for since in (times - bases).tolist()]
    return Events(times, inputs, outputs, bases, np.array(growths))


def _potentials(
    neurons: np.ndarray, events: Events, shown: Presentation, state: State, p: Parameters
) -> np.ndarray:
    """The potentials of these neurons at zero, and before and after each event (t, k)."""
    weights = state.weights[neurons]
    for winner, (before, _) in reversed(list(zip(shown.winners, shown.learned, strict=False))):
        weights[neurons == winner] = before  # back to what they were when the sample appeared
    held = np.zeros(
        len(neurons), np.float32
    )  # the potentials at the last base, as the reference has
    parts: list[Any] = [held[None]]
    first = 0
    for last in np.flatnonzero(events.inputs < 0).tolist():
        growths, output = events.growths[first:last], events.outputs[last]
        added = weights[:, events.inputs[first:last]].T * growths.astype(np.float32)[:, None]
        grown = np.add.accumulate(np.vstack([held, added]), axis=0)
        around = np.stack([grown[:-1], grown[1:]], axis=1) / growths[:, None, None]
        decay = exp((events.bases[last] - events.times[last]) * (1.0 / p.tau_mem))
        held = grown[-1] * np.float32(decay if output < 0 else (1.0 - p.inhibition) * decay)
        if output >= 0:
            fired = neurons == shown.winners[output]
            held[fired] = 0.0
            weights[fired] = shown.learned[output][1] if shown.learned else weights[fired]
        parts += [around.reshape(-1, len(neurons)), [grown[-1].astype(np.float64) * decay, held]]
        first = last + 1
    return np.concatenate(parts).astype(np.float64)


def _nearest(
    n: int, events: Events, shown: Presentation, state: State, p: Parameters
) -> np.ndarray:
    """So many neurons: those that fired, in order, and then those whose potential rose highest."""
    everyone = np.arange(state.n_neurons)
    some = np.split(everyone, range(AT_ONCE, state.n_neurons, AT_ONCE))
    peaks = [_potentials(neurons, events, shown, state, p).max(axis=0) for neurons in some]
    order = np.argsort(-np.concatenate(peaks), kind="stable")
    return np.array(list(dict.fromkeys([*shown.winners, *order.tolist()]))[:n])
