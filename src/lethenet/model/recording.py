"""Every spike and potential of a presentation, from the plain reference.

The reference says which spikes there were. Potentials follow from them: they are added up here once more
for the neurons that are asked for, in the same single precision and the same order, so they have its bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np

from .numbers import exp
from .parameters import Parameters
from .reference import Presentation, present
from .state import State

Neurons = int | Literal["all"] | Sequence[int] | np.ndarray | None
"""Whose potentials are recorded: so many, all, these, or ten."""

USUAL_NEURONS = 10
NEURONS_AT_ONCE = 256
"""Whose potentials are held in memory while those that came closest to the threshold are looked for."""


@dataclass(frozen=True, eq=False)
class Recording:
    """What happened while a sample was shown: every spike, and potentials over time.

    Times are in time units since the sample appeared.

    Attributes
    ----------
    sample : float64 (n_features,)
        What was shown to the network.
    learned : bool
        Whether the network learned from it; it was frozen otherwise.
    duration : float
        How long it was shown.
    input_times, inputs : float64, int64 (n_input_spikes,)
        When an input sent a spike, and which.
    output_times, winners, forced : float64, int64, bool (n_output_spikes,)
        When a neuron fired, which, and whether a push made it.
    raise_times : float64 (n_raises,)
        When the rates were raised.
    neurons : int64 (k,)
        The neurons whose potentials are recorded. Those that fired come first, in their order, and then
        those that came closest to the threshold, unless others were asked for.
    times : float64 (t,)
        Zero, and twice the time of each event: just before and just after it. In between, potentials
        decay. Events are input spikes, output spikes and raises.
    potentials : float64 (t, k)
        The membrane potentials of ``neurons`` at these times.
    dopaminergic : float64 (t,)
        The dopaminergic neuron's potential at these times.
    weights_before, weights_after : float32 (n_output_spikes, n_features)
        The winner's weights around each output spike; no rows if the network was frozen.
    parameters : Parameters
        Those of the network, with the thresholds.

    Examples
    --------
    >>> from lethenet.model import PAPER, Network, initial_state
    >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
    >>> recording = network.record(np.eye(16)[3], learn=True)
    >>> recording.potentials.shape == (len(recording.times), 4)
    True
    >>> int(recording.imprinted), recording.forced.tolist()
    (0, [True])
    """

    sample: np.ndarray
    learned: bool
    duration: float
    input_times: np.ndarray
    inputs: np.ndarray
    output_times: np.ndarray
    winners: np.ndarray
    forced: np.ndarray
    raise_times: np.ndarray
    neurons: np.ndarray
    times: np.ndarray
    potentials: np.ndarray
    dopaminergic: np.ndarray
    weights_before: np.ndarray
    weights_after: np.ndarray
    parameters: Parameters

    @property
    def imprinted(self) -> int:
        """The neuron that dopamine made learn, or −1."""
        forced = self.winners[self.forced]
        return int(forced[-1]) if len(forced) else -1

    def to_frame(self, what: Literal["events", "potentials"] = "events") -> Any:
        """A pandas data frame: a row per spike and raise, or the potentials with a row per time.

        >>> from lethenet.model import PAPER, Network, initial_state
        >>> network = Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0))
        >>> recording = network.record(np.eye(16)[3], learn=True)
        >>> recording.to_frame().tail(1)["event"].tolist()
        ['forced']
        >>> recording.to_frame("potentials").columns.tolist()
        [0, 1, 3, 2, 'dopaminergic']
        """
        import pandas as pd

        if what == "potentials":
            index = pd.Index(self.times, name="time")
            frame = pd.DataFrame(self.potentials, index, self.neurons.astype(object))
            return frame.assign(dopaminergic=self.dopaminergic)
        if what != "events":
            raise ValueError(f"what={what!r}: expected 'events' or 'potentials'.")
        raised = np.full(len(self.raise_times), -1)
        kinds = [np.full(len(self.inputs), "input"), np.where(self.forced, "forced", "natural")]
        columns = {
            "time": np.concatenate([self.input_times, self.output_times, self.raise_times]),
            "event": np.concatenate([*kinds, np.full(len(raised), "raise")]),
            "number": np.concatenate([self.inputs, self.winners, raised]),
        }
        return pd.DataFrame(columns).sort_values("time", kind="stable", ignore_index=True)


class Stretch(NamedTuple):
    """What happens until the next output spike or raise."""

    first: int
    last: int
    """Input spikes of the stretch: from ``first``, below ``last``."""
    base: float
    end: float
    growths: np.ndarray
    """By how much what is added at each input spike has grown, as in the reference."""
    output: int
    """Which output spike ends it; −1 for a raise."""


def record_all(
    x: Any,
    state: State,
    p: Parameters,
    learn: Callable[[np.ndarray], object] | None,
    *,
    neurons: Neurons = None,
) -> Any:
    """Record a sample, or rows of samples as a list; ``learn`` changes ``state`` as these would."""
    X = np.atleast_2d(np.asarray(x, np.float64))
    if X.ndim != 2 or X.shape[1] != state.n_features:
        raise ValueError(
            f"x has the shape {np.shape(x)}: expected a sample with {state.n_features} features, "
            "or rows of them."
        )
    if not (np.isfinite(X).all() and (X >= 0).all()):
        raise ValueError("x has values that are negative or not finite: expected neither.")
    check_neurons(neurons, state.n_neurons)
    own = state if learn is None else state.copy()
    if learn is not None:
        learn(X)
    recordings = [record(row, own, p, plastic=learn is not None, neurons=neurons) for row in X]
    return recordings[0] if np.ndim(x) == 1 else recordings


def record(
    sample: np.ndarray, state: State, p: Parameters, *, plastic: bool, neurons: Neurons = None
) -> Recording:
    """Show one sample, changing ``state`` in place if ``plastic``, and record it."""
    wanted = check_neurons(neurons, state.n_neurons)
    shown = present(sample, state, p, plastic=plastic)
    stretches = list(_stretches(shown, p))
    if isinstance(wanted, int):
        wanted = _nearest(wanted, shown, stretches, state, p)
    ends = [(stretch.last, stretch.end) for stretch in stretches]
    events = np.insert(shown.input_times, [last for last, _ in ends], [end for _, end in ends])
    before, after = (
        np.array(weights, np.float32).reshape(-1, state.n_features)
        for weights in ([w for w, _ in shown.learned], [w for _, w in shown.learned])
    )
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
        neurons=wanted,
        times=np.concatenate([[0.0], np.repeat(events, 2)]),
        potentials=_potentials(wanted, shown, stretches, state, p),
        dopaminergic=_dopaminergic(shown, stretches, p),
        weights_before=before,
        weights_after=after,
        parameters=p,
    )


def check_neurons(neurons: Neurons, n_neurons: int) -> int | np.ndarray:
    """How many neurons are wanted, or which."""
    if neurons is None:
        return min(USUAL_NEURONS, n_neurons)
    if isinstance(neurons, str) and neurons == "all":
        return np.arange(n_neurons)
    if isinstance(neurons, Integral) and not isinstance(neurons, bool) and int(neurons) > 0:
        return min(int(neurons), n_neurons)
    which = np.asarray(neurons)
    whole = which.ndim == 1 and (which.dtype.kind in "iu" or not which.size)
    if not whole or (which.size and not (which.min() >= 0 and which.max() < n_neurons)):
        raise ValueError(
            f"neurons={neurons!r}: expected how many (at least 1), 'all', or a list of neurons "
            f"from 0 to {n_neurons - 1}."
        )
    return which.astype(np.int64)


def _stretches(shown: Presentation, p: Parameters) -> Iterator[Stretch]:
    raises = [(time, -1) for time in shown.raises]
    ends = sorted(raises + [(time, output) for output, time in enumerate(shown.times)])
    first, base = 0, 0.0
    for end, output in ends:
        # A natural spike is caused by the input spike of that time, a forced one comes before it
        side: Any = "right" if output >= 0 and not shown.forced[output] else "left"
        last = int(np.searchsorted(shown.input_times, end, side=side))
        times = shown.input_times[first:last]
        growths = np.array([exp((time - base) * (1.0 / p.tau_mem)) for time in times])
        yield Stretch(first, last, base, end, growths, output)
        first, base = last, end


def _potentials(
    neurons: np.ndarray, shown: Presentation, stretches: list[Stretch], state: State, p: Parameters
) -> np.ndarray:
    """The potentials of these neurons at zero, and before and after each event (t, k)."""
    weights = state.weights[neurons]
    for winner, (before, _) in reversed(list(zip(shown.winners, shown.learned, strict=False))):
        weights[neurons == winner] = before  # back to what they were when the sample appeared
    held = np.zeros(len(neurons), np.float32)  # at ``base``, as in the reference
    parts: list[Any] = [np.zeros((1, len(neurons)))]
    for first, last, base, end, growths, output in stretches:
        added = weights[:, shown.inputs[first:last]].T * growths.astype(np.float32)[:, None]
        grown = np.add.accumulate(np.vstack([held, added]), axis=0)
        around = np.stack([grown[:-1], grown[1:]], axis=1) / growths[:, None, None]
        decay = exp((base - end) * (1.0 / p.tau_mem))
        kept = 1.0 if output < 0 else 1.0 - p.inhibition
        held = grown[-1] * np.float32(kept * decay)
        if output >= 0:
            held[neurons == shown.winners[output]] = 0.0
            if shown.learned:
                weights[neurons == shown.winners[output]] = shown.learned[output][1]
        parts += [around.reshape(-1, len(neurons)), [grown[-1] * decay, held]]
    return np.concatenate(parts)


def _nearest(
    n: int, shown: Presentation, stretches: list[Stretch], state: State, p: Parameters
) -> np.ndarray:
    """The neurons that fired, in order, and then those whose potential rose highest."""
    everyone = np.arange(state.n_neurons)
    pieces = np.split(everyone, range(NEURONS_AT_ONCE, state.n_neurons, NEURONS_AT_ONCE))
    peaks = [_potentials(piece, shown, stretches, state, p).max(axis=0) for piece in pieces]
    order = np.argsort(-np.concatenate(peaks), kind="stable").tolist()
    return np.array(list(dict.fromkeys([*shown.winners, *order]))[:n])


def _dopaminergic(shown: Presentation, stretches: list[Stretch], p: Parameters) -> np.ndarray:
    """The dopaminergic neuron's potential: back to zero at every output spike, and when it fires."""
    parts: list[Any] = [np.zeros(1)]
    for first, last, base, end, _, _ in stretches:
        times = np.repeat([*shown.input_times[first:last], end], 2) - base
        risen = p.dopaminergic_rest * -np.expm1(-times / p.tau_dopamine)
        parts += [risen[:-1], [0.0]]
    return np.concatenate(parts)
