"""Does the threshold fit? What a network's own counts say after learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..model import Network

FEW_USED, MOSTLY_NOVEL, IMPRINTS_PER_NEURON = 0.1, 0.5, 2
OWNED, TIMES_ITS_SHARE = 0.6, 2.5
"""Where a diagnosis begins. At the thresholds of results/threshold that are within 1.5 points of the best,
none is made."""


class ThresholdWarning(UserWarning):
    """The network hardly learned, or hardly remembers: its threshold does not fit the data."""


def diagnose(
    network: Network,
    label_counts: np.ndarray | None = None,
    class_counts: np.ndarray | None = None,
) -> list[str]:
    """What is wrong with the threshold of a network that has learned, and what to do; [] if nothing is.

    ``label_counts`` (n_neurons, n_classes), for which classes each neuron fires, and ``class_counts``, how
    frequent these are, show whether one class has taken the layer.

    >>> from lethenet.model import PAPER, Network, initial_state
    >>> diagnose(Network(PAPER, initial_state(n_neurons=4, n_features=16, seed=0)))
    []
    """
    state, p = network.state, network.parameters
    n, learned = state.n_neurons, state.n_presentations
    imprints = int(state.imprint_counts.sum())
    if not p.dopamine or learned < 100:
        return []
    found = []
    used = int(np.count_nonzero(state.imprint_counts))
    novel = f"{100 * imprints / learned:.1f} % of {learned:,} samples were novel"
    lower, higher = (f"Take threshold='auto', or one {way}." for way in ("lower", "higher"))
    if used < FEW_USED * min(n, learned):
        found.append(
            f"The threshold {p.threshold:g} is too low: {used} of {n} neurons ever took a novelty, because "
            f"some answer to almost anything ({novel}). {higher}"
        )
    if imprints > MOSTLY_NOVEL * learned and imprints > IMPRINTS_PER_NEURON * n:
        found.append(
            f"The threshold {p.threshold:g} is too high: {novel}, and neurons are overwritten before they "
            f"fire again. {lower}"
        )
    if label_counts is not None and class_counts is not None:
        owners = np.bincount(
            label_counts[label_counts.any(axis=1)].argmax(axis=1), minlength=len(class_counts)
        )
        shares, usual = owners / max(owners.sum(), 1), class_counts / max(class_counts.sum(), 1)
        if (
            shares.max(initial=0) > OWNED
            and shares.max() > TIMES_ITS_SHARE * usual[shares.argmax()]
        ):
            found.append(
                f"One class owns {shares.max():.0%} of the layer: others were overwritten (a threshold too "
                "high), or neurons answer to several classes (too low). Take threshold='auto', or more "
                "neurons.".replace("%", " %")
            )
    return found
