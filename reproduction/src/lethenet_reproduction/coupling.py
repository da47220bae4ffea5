"""Two layers coupled by real spikes: what passing rates from layer to layer stands for.

The product computes the first layer's features from the sample, and the second layer sees Poisson trains of
these rates. Here every step from pixel to output spike is a spike of a neuron, in continuous time:
:mod:`.spiking_edges` is the first layer, and its spikes drive the second layer's membranes.
"""

from __future__ import annotations

import math

import numpy as np

from lethenet.model import Parameters, State
from lethenet.model.reference import Presentation, learn_spike

from .spiking_edges import SpikingEdges

WINDOW = 10.0
"""How far the first layer runs ahead of the second, at most, in time units."""


def present_spikes(
    sample: np.ndarray,
    first: SpikingEdges,
    state: State,
    p: Parameters,
    *,
    plastic: bool,
    rng: np.random.Generator,
) -> Presentation:
    """Show one sample to both layers; the second is that of :func:`lethenet.model.reference.present`.

    Only its input differs: spikes of the first layer's relays, in the place of Poisson trains. Where
    silence raises the rates, it raises the relays'. Dopamine takes the least used neuron
    (``push="usage"``), and the imprint ends the presentation, as in both presets.

    >>> from lethenet.data import load
    >>> from lethenet.layers import Edges
    >>> from lethenet.model import ANNEALED, initial_state
    >>> image, rng = load("digits").X_train[0], np.random.default_rng(0)
    >>> first = SpikingEdges(Edges().fit(image[None]))
    >>> state = initial_state(n_neurons=5, n_features=512, seed=0)
    >>> present_spikes(image, first, state, ANNEALED, plastic=True, rng=rng).imprinted
    0
    """
    shown = Presentation()
    wanted = p.n_output_spikes if plastic else p.n_readout_spikes
    state.n_presentations += plastic
    if not sample.any():
        return shown
    cells = first.rest(rng)
    potentials, trace = np.zeros(state.n_neurons), np.zeros(state.n_features)
    now = base = 0.0  # potentials and trace are values at time ``base``, as in the reference
    raised = 1.0
    while len(shown.winners) < wanted and raised <= p.max_rate_gain:
        # A window never reaches beyond the moment at which silence would end
        end = min(now + WINDOW, base + p.recognition_time)
        for time, line in zip(*first.spikes(sample, cells, now, end, raised, rng), strict=True):
            growth = math.exp((time - base) / p.tau_mem)
            potentials += state.weights[:, line] * growth
            trace[line] += math.exp((time - base) / p.tau_pre)
            shown.inputs.append(int(line))
            winner = int(potentials.argmax())
            if potentials[winner] < p.threshold * growth:
                continue
            # An output spike: learn, inhibit the others
            _note(shown, winner, float(time))
            trace *= math.exp((base - time) / p.tau_pre)
            potentials[:], base = 0.0, time
            if plastic:
                learn_spike(state, p, trace, winner, forced=False)
            if len(shown.winners) == wanted:
                return shown
        now = end
        if now < base + p.recognition_time:
            continue
        trace *= math.exp((base - now) / p.tau_pre)
        if (
            plastic
        ):  # silence: dopamine makes the least used neuron learn, which ends the presentation
            shown.imprinted = int(np.argmin(state.usage))
            _note(shown, shown.imprinted, now)
            learn_spike(state, p, trace, shown.imprinted, forced=True)
            return shown
        potentials *= math.exp((base - now) / p.tau_mem)
        base, raised = now, raised * p.rate_gain
        shown.raises.append(now)
    return shown


def _note(shown: Presentation, winner: int, time: float) -> None:
    shown.winners.append(winner)
    shown.times.append(time)
    shown.duration = time
